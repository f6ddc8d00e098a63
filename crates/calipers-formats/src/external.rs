//! Tensors kept outside the model file: where they may be, and whether they are there.
//!
//! A location comes from the model, so it is an enemy's until shown otherwise: it must stay inside
//! the model's folder by its spelling, by every link on its way, and by not being a second name of
//! some other file. What fails is refused without being touched; what is missing is a fact.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use calipers_ir::{DataFile, DataFileState, External, NameId, Names, Source};

use crate::error::DataError;
use crate::input::Input;

/// The data files that a model refers to, each looked at once.
#[derive(Debug, Default)]
pub(crate) struct DataFiles {
    folder: Option<PathBuf>,
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
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// The tensor's place, checked against the file as far as that is possible.
    pub(crate) fn resolve(&mut self, reference: Reference, names: &mut Names) -> External {
        let location = reference.location.unwrap_or(names.empty());
        let file = match self.known.get(&location) {
            Some(file) => *file,
            None => {
                let state = self.state(names.get(location));
                self.files.push(DataFile { location, state });
                self.known.insert(location, self.files.len() - 1);
                self.files.len() - 1
            }
        };
        let (offset, bad_offset) = number("offset", reference.offset);
        let (length, bad_length) = number("length", reference.length);
        let mut external = External {
            file,
            offset: if bad_offset.is_some() { None } else { Some(offset.unwrap_or(0)) },
            length,
            problem: bad_offset.or(bad_length),
            unknown_keys: reference.unknown_keys,
        };
        if external.problem.is_none() {
            external.problem = self.range_problem(&external);
        }
        external
    }

    fn range_problem(&self, external: &External) -> Option<String> {
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

    /// Returns the state of the file at a location.
    fn state(&self, location: &str) -> DataFileState {
        let path = match check_spelling(location) {
            Ok(path) => path,
            Err(reason) => return DataFileState::Refused(reason.to_owned()),
        };
        let Some(folder) = &self.folder else { return DataFileState::Unchecked };
        match walk_inside(folder, path) {
            Ok(size) => DataFileState::Present(size),
            Err(Refusal::Missing) => DataFileState::Missing,
            Err(Refusal::Unsafe(reason)) => DataFileState::Refused(reason),
        }
    }
}

/// Opens a data file of a model in `folder`, after checking its location again.
pub(crate) fn open(folder: &Path, location: &str) -> Result<Source, DataError> {
    let path = check_spelling(location).map_err(|reason| DataError::Refused(reason.to_owned()))?;
    let size = match walk_inside(folder, path) {
        Ok(size) => size,
        Err(Refusal::Missing) => return Err(DataError::Missing),
        Err(Refusal::Unsafe(reason)) => return Err(DataError::Refused(reason)),
    };
    let source = Input::open(&folder.join(path))?.source;
    if source.bytes().len() as u64 != size {
        return Err(DataError::Changed);
    }
    Ok(source)
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

enum Refusal {
    Missing,
    Unsafe(String),
}

/// Longest chain of symbolic links that is followed.
const MAX_LINKS: usize = 32;

/// Follows a path below `folder`, name by name, and returns the size of the file.
fn walk_inside(folder: &Path, path: &Path) -> Result<u64, Refusal> {
    let unsafe_because = |reason: &str| Err(Refusal::Unsafe(reason.to_owned()));
    let mut links = 0;
    // The remaining names, the next one last, and the current position relative to the folder.
    let mut ahead = reversed_names(path)?;
    let mut here = PathBuf::new();
    let mut last = None;
    while let Some(name) = ahead.pop() {
        if name == ".." {
            if !here.pop() {
                return unsafe_because("a symbolic link leads out of the model's folder");
            }
            continue;
        }
        here.push(&name);
        let metadata = match fs::symlink_metadata(folder.join(&here)) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Missing),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(Refusal::Missing);
            }
            Err(error) => return unsafe_because(&format!("its metadata cannot be read: {error}")),
        };
        if metadata.is_symlink() {
            links += 1;
            let target = fs::read_link(folder.join(&here));
            let Ok(target) = target else {
                return unsafe_because("a symbolic link cannot be read");
            };
            if links > MAX_LINKS || target.is_absolute() {
                return unsafe_because("a symbolic link leads out of the model's folder");
            }
            here.pop();
            ahead.extend(reversed_names(&target)?);
        }
        last = Some(metadata);
    }
    match last {
        Some(metadata) if metadata.is_file() && has_other_names(&metadata) => {
            unsafe_because("it is a hard link, whose file may be outside the model's folder")
        }
        Some(metadata) if metadata.is_file() => Ok(metadata.len()),
        _ => unsafe_because("it is not a regular file"),
    }
}

/// Returns the names of a relative path, the first one last.
fn reversed_names(path: &Path) -> Result<Vec<std::ffi::OsString>, Refusal> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_owned()),
            Component::ParentDir => names.push("..".into()),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => {
                return Err(Refusal::Unsafe("the location is an absolute path".to_owned()));
            }
        }
    }
    names.reverse();
    Ok(names)
}

#[cfg(unix)]
fn has_other_names(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(folder: &Path, location: &str) -> DataFileState {
        DataFiles::new(Some(folder.to_owned())).state(location)
    }

    fn refused(state: DataFileState) -> String {
        match state {
            DataFileState::Refused(reason) => reason,
            other => panic!("not refused: {other:?}"),
        }
    }

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

    #[cfg(unix)]
    #[test]
    fn links_must_stay_inside() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), b"secret").unwrap();
        let root = tempfile::tempdir().unwrap();
        let folder = root.path();
        fs::create_dir(folder.join("sub")).unwrap();
        fs::write(folder.join("sub/data.bin"), [0; 10]).unwrap();
        symlink("sub/data.bin", folder.join("inside")).unwrap();
        symlink("../inside", folder.join("sub/back")).unwrap();
        symlink(outside.path().join("secret"), folder.join("absolute")).unwrap();
        symlink("../secret", folder.join("relative")).unwrap();
        symlink(outside.path(), folder.join("folder")).unwrap();
        symlink("loop", folder.join("loop")).unwrap();
        fs::hard_link(outside.path().join("secret"), folder.join("hard")).unwrap();

        assert_eq!(state(folder, "sub/data.bin"), DataFileState::Present(10));
        assert_eq!(state(folder, "inside"), DataFileState::Present(10));
        assert_eq!(state(folder, "sub/back"), DataFileState::Present(10));
        assert_eq!(state(folder, "nope"), DataFileState::Missing);
        assert_eq!(state(folder, "sub/data.bin/x"), DataFileState::Missing);
        assert!(refused(state(folder, "absolute")).contains("leads out"));
        assert!(refused(state(folder, "relative")).contains("leads out"));
        assert!(refused(state(folder, "folder/secret")).contains("leads out"));
        assert!(refused(state(folder, "loop")).contains("leads out"));
        assert!(refused(state(folder, "hard")).contains("hard link"));
        assert!(refused(state(folder, "sub")).contains("regular file"));
    }

    #[test]
    fn files_inside_the_folder_are_opened() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("sub")).unwrap();
        fs::write(root.path().join("sub/w.bin"), [7; 10]).unwrap();
        assert_eq!(open(root.path(), "sub/w.bin").unwrap().bytes(), [7; 10]);
        assert!(matches!(open(root.path(), "x.bin"), Err(DataError::Missing)));
        let outside = open(&root.path().join("sub"), "../sub/w.bin");
        let Err(DataError::Refused(reason)) = outside else { panic!("{outside:?}") };
        assert!(reason.contains("outside"), "{reason}");
    }

    #[test]
    fn ranges_must_lie_in_the_file() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("w.bin"), [0; 100]).unwrap();
        let mut names = Names::default();
        let mut files = DataFiles::new(Some(root.path().to_owned()));
        let mut problem = |offset: &str, length: &str| {
            let reference = Reference {
                location: Some(names.intern("w.bin")),
                offset: Some(offset.to_owned()),
                length: Some(length.to_owned()),
                unknown_keys: Vec::new(),
            };
            files.resolve(reference, &mut names).problem
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
