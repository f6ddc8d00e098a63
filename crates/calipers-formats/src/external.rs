//! Tensors kept outside the model file: where they may be, and whether they are there.
//!
//! A location comes from the model, so it is an enemy's until shown otherwise: it must stay inside
//! the model's folder by its spelling, by every link on its way, and by not being a second name of
//! some other file. What fails is refused without being touched; what is missing is a fact.

use std::collections::HashMap;
use std::path::{Component, Path};

use calipers_ir::{DataFile, DataFileState, External, NameId, Names, Source};

use crate::error::DataError;
use crate::folder::Folder;

/// The data files that a model refers to, each looked at once.
#[derive(Debug, Default)]
pub(crate) struct DataFiles {
    known: HashMap<NameId, usize>,
    pub(crate) files: Vec<DataFile>,
}

/// Entries of `external_data`, as written.
#[derive(Debug, Default)]
pub(crate) struct Reference {
    pub(crate) location: Option<NameId>,
    pub(crate) offset: Option<String>,
    pub(crate) length: Option<String>,
    pub(crate) unknown_keys: Vec<NameId>,
}

impl DataFiles {
    /// The tensor's place as the model has it. [`DataFiles::check_files`] checks it against the file.
    pub(crate) fn resolve(&mut self, reference: Reference, names: &Names) -> External {
        let file = self.file(reference.location.unwrap_or(names.empty()), names);
        let (offset, bad_offset) = number("offset", reference.offset);
        let (length, bad_length) = number("length", reference.length);
        External {
            file,
            offset: if bad_offset.is_some() { None } else { Some(offset.unwrap_or(0)) },
            length,
            problem: bad_offset.or(bad_length),
            unknown_keys: reference.unknown_keys,
        }
    }

    /// The index of the file at a location, whose spelling is checked on first sight.
    pub(crate) fn file(&mut self, location: NameId, names: &Names) -> usize {
        *self.known.entry(location).or_insert_with(|| {
            let state = match check_spelling(names.get(location)) {
                Ok(_) => DataFileState::Unchecked,
                Err(reason) => DataFileState::Refused(reason.to_owned()),
            };
            self.files.push(DataFile { location, state });
            self.files.len() - 1
        })
    }

    /// Looks for the files, all at once: a folder may be far away.
    pub(crate) fn check_files(&mut self, folder: &dyn Folder, names: &Names) {
        let unchecked = |file: &&mut DataFile| file.state == DataFileState::Unchecked;
        let unchecked: Vec<&mut DataFile> = self.files.iter_mut().filter(unchecked).collect();
        let locations: Vec<&str> = unchecked.iter().map(|file| names.get(file.location)).collect();
        for (file, state) in unchecked.into_iter().zip(folder.states(&locations)) {
            file.state = state;
        }
    }

    /// Why a tensor's place is not inside its file.
    pub(crate) fn range_problem(&self, external: &External) -> Option<String> {
        let DataFileState::Present(size) = self.files[external.file].state else { return None };
        let offset = external.offset.unwrap_or(0);
        match offset.checked_add(external.length.unwrap_or(0)) {
            Some(end) if end <= size => None,
            _ => Some(format!(
                "offset {offset} and length {} reach past the file's {size} bytes",
                external.length.map_or("(none)".to_owned(), |length| length.to_string())
            )),
        }
    }
}

/// Opens a data file of a model in `folder`, after checking its location again.
pub(crate) fn open(folder: &dyn Folder, location: &str) -> Result<Source, DataError> {
    check_spelling(location).map_err(|reason| DataError::Refused(reason.to_owned()))?;
    folder.open(location)
}

/// Parses a decimal number, or returns what is wrong with it.
fn number(key: &str, text: Option<String>) -> (Option<u64>, Option<String>) {
    let Some(text) = text else { return (None, None) };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(value) if digits => (Some(value), None),
        _ => (None, Some(format!("{key} {text:?} is not a number of bytes"))),
    }
}

/// Returns the location as a relative path, or why it is refused.
fn check_spelling(location: &str) -> Result<&Path, &'static str> {
    if location.is_empty() {
        return Err("the location is empty");
    }
    if location.contains('\0') {
        return Err("the location contains a zero byte");
    }
    if location.contains("://") {
        return Err("the location is a URL");
    }
    // Models move between systems: both path syntaxes are checked.
    let drive = location.as_bytes().get(1) == Some(&b':')
        && location.as_bytes().first().is_some_and(u8::is_ascii_alphabetic);
    if location.starts_with(['/', '\\']) || drive {
        return Err("the location is an absolute path");
    }
    if location.split(['/', '\\']).any(|part| part == "..") {
        return Err("the location is outside the model's folder");
    }
    let path = Path::new(location);
    if path.components().all(|part| matches!(part, Component::CurDir)) {
        return Err("the location is a folder");
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_spellings_are_refused() {
        for (location, reason) in [
            ("", "empty"),
            (".", "a folder"),
            ("/etc/passwd", "absolute"),
            ("C:\\x.bin", "absolute"),
            ("\\\\server\\x", "absolute"),
            ("../x.bin", "outside"),
            ("a/../../x.bin", "outside"),
            ("..\\..\\x.bin", "outside"),
            ("https://example.org/x.bin", "URL"),
            ("a\0b", "zero byte"),
        ] {
            let reported = check_spelling(location).unwrap_err();
            assert!(reported.contains(reason), "{location:?}: {reported}");
        }
        assert!(check_spelling("./data/weights..bin").is_ok());
    }

    #[test]
    fn numbers_of_bytes_are_digits() {
        for text in ["-4", "abc", "1e3", "+1", "", " 1", "99999999999999999999999"] {
            assert!(number("offset", Some(text.to_owned())).1.is_some(), "{text:?}");
        }
        assert_eq!(number("offset", Some("4096".to_owned())), (Some(4096), None));
    }

    #[test]
    fn ranges_must_lie_in_the_file() {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("w.bin"), [0; 100]).unwrap();
        let mut names = Names::default();
        let mut files = DataFiles::default();
        let folder = crate::folder::LocalFolder::new(root.path().to_owned());
        let mut problem = |offset: &str, length: &str| {
            let reference = Reference {
                location: Some(names.intern("w.bin")),
                offset: Some(offset.to_owned()),
                length: Some(length.to_owned()),
                unknown_keys: Vec::new(),
            };
            let external = files.resolve(reference, &names);
            files.check_files(&folder, &names);
            external.problem.clone().or_else(|| files.range_problem(&external))
        };
        assert_eq!(problem("0", "100"), None);
        assert!(
            problem("1", "100").is_some_and(|reported| reported.contains("past the file's 100"))
        );
        assert!(problem("18446744073709551615", "1").is_some());
        assert!(problem("-4", "1").is_some_and(|reported| reported.contains("not a number")));
        assert_eq!(files.files.len(), 1);
    }
}
