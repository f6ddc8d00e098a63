//! The files next to a model: in a folder of this machine, or wherever else a model can be.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use calipers_ir::{DataFileState, Source};

use crate::error::DataError;
use crate::input::Input;

/// Where the files are that a model refers to.
///
/// Locations are relative paths whose spelling was checked: they are not absolute and do not contain `..`.
pub trait Folder: Send + Sync {
    /// The states of the files at these locations, in their order.
    fn states(&self, locations: &[&str]) -> Vec<DataFileState>;

    /// Opens the file at a location.
    ///
    /// # Errors
    ///
    /// A [`DataError`] if it cannot be read, or not safely.
    fn open(&self, location: &str) -> Result<Source, DataError>;
}

/// A folder of this machine. Nothing outside of it is opened: not by the spelling of a location, by a link on
/// its way, or by a second name of some other file.
pub(crate) struct LocalFolder(PathBuf);

impl LocalFolder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    fn state(&self, location: &str) -> DataFileState {
        match walk_inside(&self.0, Path::new(location)) {
            Ok(size) => DataFileState::Present(size),
            Err(Refusal::Missing) => DataFileState::Missing,
            Err(Refusal::Unsafe(reason)) => DataFileState::Refused(reason),
        }
    }
}

impl Folder for LocalFolder {
    fn states(&self, locations: &[&str]) -> Vec<DataFileState> {
        locations.iter().map(|location| self.state(location)).collect()
    }

    fn open(&self, location: &str) -> Result<Source, DataError> {
        let size = match walk_inside(&self.0, Path::new(location)) {
            Ok(size) => size,
            Err(Refusal::Missing) => return Err(DataError::Missing),
            Err(Refusal::Unsafe(reason)) => return Err(DataError::Refused(reason)),
        };
        let source = Input::open(&self.0.join(location))?.source;
        if source.size() != size {
            return Err(DataError::Changed);
        }
        Ok(source)
    }
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
        LocalFolder::new(folder.to_owned()).state(location)
    }

    fn refused(state: DataFileState) -> String {
        match state {
            DataFileState::Refused(reason) => reason,
            other => panic!("not refused: {other:?}"),
        }
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
        let open = |folder: &Path, location: &str| {
            crate::external::open(&LocalFolder::new(folder.to_owned()), location)
        };
        fs::create_dir(root.path().join("sub")).unwrap();
        fs::write(root.path().join("sub/w.bin"), [7; 10]).unwrap();
        assert_eq!(open(root.path(), "sub/w.bin").unwrap().whole(), Some(&[7; 10][..]));
        assert!(matches!(open(root.path(), "x.bin"), Err(DataError::Missing)));
        let outside = open(&root.path().join("sub"), "../sub/w.bin");
        let Err(DataError::Refused(reason)) = outside else { panic!("{outside:?}") };
        assert!(reason.contains("outside"), "{reason}");
    }
}
