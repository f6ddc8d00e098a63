//! Which models are meant: files, folders that are looked through, patterns.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use calipers_formats::{has_model_extension, model_in_folder};
use fast_glob::glob_match;

use crate::privacy::Privacy;
use crate::problem::{Problem, reason};
use crate::remote;

/// Folders inside folders that are looked into.
const DEPTH: usize = 64;

/// A model, or a folder that cannot be looked into.
pub(crate) struct Place {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The same from the folder that was given, with forward slashes.
    pub(crate) shown: String,
    /// Why there is nothing to read.
    pub(crate) error: Option<String>,
}

/// Every model that is meant, each once, in the order of its names.
pub(crate) struct Places {
    pub(crate) all: Vec<Place>,
    /// Whether one file was named, and nothing else.
    single: bool,
}

impl Places {
    /// Finds the models. A pattern, or a folder, that holds none is an error.
    pub(crate) fn find(given: &[PathBuf]) -> Result<Self, Problem> {
        let is_plain = |path: &PathBuf| {
            let is_remote = remote::address(path).is_some();
            let is_model = !path.is_dir() || model_in_folder(path).is_some();
            is_remote || is_model && (path.exists() || !is_pattern(path))
        };
        if let [path] = given
            && is_plain(path)
        {
            let shown = remote::file_name(path);
            let only = Place { path: path.clone(), shown, error: None };
            return Ok(Self { all: vec![only], single: true });
        }
        let files: Vec<&Path> =
            given.iter().filter(|path| is_plain(path)).map(PathBuf::as_path).collect();
        let above = common_folder(&files);
        let mut all = Vec::new();
        for path in given {
            let before = all.len();
            if is_plain(path) {
                let shown = slashed(path.strip_prefix(&above).unwrap_or(path));
                all.push(Place { path: path.clone(), shown, error: None });
            } else if path.is_dir() {
                // Folders next to each other may hold files of one name.
                let own = path.file_name().filter(|_| given.len() > 1).unwrap_or_default();
                look_through(path, &own.to_string_lossy(), 0, &has_model_extension, &mut all);
            } else {
                let (root, pattern) = split(path);
                let glob = escaped(&pattern);
                look_through(&root, "", 0, &|name| glob_match(&glob, name), &mut all);
            }
            if all.len() == before {
                let why = "it contains no model file";
                return Err(Problem::unreadable(path, &why, None));
            }
        }
        // Sorted by what is shown, so that the order of a folder's entries is of no account.
        all.sort_by(|one, other| (&one.shown, &one.path).cmp(&(&other.shown, &other.path)));
        let mut known = BTreeSet::new();
        all.retain(|place| known.insert(place.path.clone()));
        Ok(Self { all, single: false })
    }

    /// Shows numbers instead of names, in the index and as names of folders.
    pub(crate) fn without_names(mut self) -> Self {
        for (number, place) in self.all.iter_mut().enumerate() {
            place.shown = format!("model-{}", number + 1);
        }
        self
    }

    /// Masks secrets in names, in the index and as names of folders.
    pub(crate) fn masked(mut self, privacy: Privacy) -> Self {
        for place in &mut self.all {
            place.shown = privacy.mask(&place.shown).into_owned();
        }
        self
    }

    /// The file, where one was named and nothing else.
    pub(crate) fn only(&self) -> Option<&Path> {
        match self.all.as_slice() {
            [place] if self.single => Some(&place.path),
            _ => None,
        }
    }
}

/// Files under a folder whose path from it is wanted. Links to folders are not followed: they may
/// lead round in a circle.
fn look_through(
    folder: &Path,
    from: &str,
    depth: usize,
    is_wanted: &dyn Fn(&str) -> bool,
    found: &mut Vec<Place>,
) {
    let failed = |why: String| Place {
        path: folder.to_owned(),
        shown: format!("{from}/").trim_start_matches('/').to_owned(),
        error: Some(why),
    };
    if depth > DEPTH {
        found.push(failed(format!("folders nested deeper than {DEPTH} are not looked into")));
        return;
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            found.push(failed(format!("cannot look into the folder: {}", reason(&error))));
            return;
        }
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let shown = if from.is_empty() { name } else { format!("{from}/{name}") };
        let Ok(kind) = entry.file_type() else { continue };
        let inside = || {
            let path = model_in_folder(&entry.path())?;
            let inside = slashed(path.strip_prefix(entry.path()).ok()?);
            Some(is_wanted(&shown) || is_wanted(&format!("{shown}/{inside}")))
        };
        if kind.is_dir() && inside() == Some(true) {
            found.push(Place { path: entry.path(), shown, error: None });
        } else if kind.is_dir() {
            look_through(&entry.path(), &shown, depth + 1, is_wanted, found);
        } else if is_wanted(&shown) && entry.path().is_file() {
            found.push(Place { path: entry.path(), shown, error: None });
        }
    }
}

/// The deepest folder that all files are in.
fn common_folder(files: &[&Path]) -> PathBuf {
    let mut folders = files.iter().map(|file| file.parent().unwrap_or(Path::new("")));
    let mut common = folders.next().unwrap_or(Path::new("")).to_owned();
    for folder in folders {
        while !folder.starts_with(&common) && common.pop() {}
    }
    common
}

fn slashed(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

pub(super) fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?'])
}

/// The folder before the first part of a pattern that represents several, and the rest.
fn split(path: &Path) -> (PathBuf, String) {
    let (mut root, mut pattern) = (PathBuf::new(), Vec::new());
    for part in path.components() {
        let text = part.as_os_str().to_string_lossy();
        match pattern.is_empty() && !text.contains(['*', '?']) {
            true => root.push(part),
            false => pattern.push(text.into_owned()),
        }
    }
    if root.as_os_str().is_empty() {
        root.push(".");
    }
    (root, pattern.join("/"))
}

/// A pattern of paths: `?` is a letter and `*` any number of them inside a name, `**/` any number
/// of folders. All other letters are themselves, brackets and braces too.
fn escaped(pattern: &str) -> String {
    let mut escaped = String::new();
    for letter in pattern.chars() {
        if matches!(letter, '[' | ']' | '{' | '}' | '!' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, path, wanted) in [
            ("*.onnx", "a.onnx", true),
            ("*.onnx", "a/b.onnx", false),
            ("**/*.onnx", "a.onnx", true),
            ("**/*.onnx", "a/b/c.onnx", true),
            ("**/b/*.onnx", "a/b/c.onnx", true),
            ("**/b/*.onnx", "b/b/c/d.onnx", false),
            ("?.onnx", "ab.onnx", false),
            ("a*b*c", "aXbXbc", true),
            ("a*b*c", "aXbXbd", false),
            ("m*/v?.onnx", "models/v1.onnx", true),
            ("*[1]{a,b}.onnx", "x[1]{a,b}.onnx", true),
            ("*[1].onnx", "x1.onnx", false),
        ] {
            assert_eq!(glob_match(escaped(pattern), path), wanted, "{pattern} {path}");
        }
        let (stars, letters) = ("*a".repeat(50), "a".repeat(5000));
        assert!(!glob_match(escaped(&format!("{stars}b")), &letters));
    }

    #[test]
    fn files_are_shown_from_the_folder_they_share() {
        let common =
            |files: &[&str]| common_folder(&files.iter().map(Path::new).collect::<Vec<_>>());
        assert_eq!(
            common(&["/home/user/a/x.onnx", "/home/user/b/y.onnx"]),
            Path::new("/home/user")
        );
        assert_eq!(common(&["a/x.onnx", "a/y.onnx"]), Path::new("a"));
        assert_eq!(common(&["x.onnx", "a/y.onnx"]), Path::new(""));
    }

    #[test]
    fn the_folder_of_a_pattern_is_what_is_sure() {
        let (root, pattern) = split(Path::new("models/v?/*.onnx"));
        assert_eq!((root.as_path(), pattern.as_str()), (Path::new("models"), "v?/*.onnx"));
        assert_eq!(split(Path::new("*.onnx")).0, Path::new("."));
    }
}
