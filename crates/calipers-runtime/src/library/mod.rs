//! Finding the user's ONNX Runtime.

mod places;

use std::ffi::CStr;
use std::path::{Path, PathBuf};

use crate::Error;

/// The oldest and the newest release whose library was tried.
const SUPPORTED: [(u32, &str); 2] = [(24, "1.24"), (31, "1.31")];

/// A library of ONNX Runtime that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Library {
    pub(crate) path: PathBuf,
    /// Its version, e.g. `1.31.1`.
    pub(crate) version: String,
}

impl Library {
    /// Finds the library: the one that is named, else that of `ORT_DYLIB_PATH`, of the active Python
    /// environment, of the system.
    pub(crate) fn find(named: Option<&Path>) -> Result<Self, Error> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => places::find().ok_or(Error::NoLibrary)?,
        };
        let version = version_of(&path)?;
        let [(oldest_minor, oldest), (newest_minor, newest)] = SUPPORTED;
        let minor = minor_version(&version);
        if !minor.is_some_and(|minor| (oldest_minor..=newest_minor).contains(&minor)) {
            return Err(Error::Version { path, found: version, oldest, newest });
        }
        Ok(Self { path, version })
    }
}

/// The minor version of a release of ONNX Runtime 1.
fn minor_version(version: &str) -> Option<u32> {
    let mut parts = version.split('.');
    (parts.next() == Some("1")).then(|| parts.next()?.parse().ok()).flatten()
}

/// Loads a library and asks it for its version.
#[expect(unsafe_code, reason = "a library is loaded and its C interface called")]
fn version_of(path: &Path) -> Result<String, Error> {
    let failed = |why: String| Error::Library { path: path.to_owned(), why };
    if !path.is_file() {
        return Err(failed("no such file".to_owned()));
    }
    // The loader searches other folders for a path without a folder.
    let path = &std::path::absolute(path).map_err(|error| failed(error.to_string()))?;
    // SAFETY: the user names the library, and it is the one that ort loads next.
    let library =
        unsafe { libloading::Library::new(path) }.map_err(|error| failed(error.to_string()))?;
    // SAFETY: every release of ONNX Runtime exports this function with this signature; it returns
    // a static struct, whose second function returns a static text.
    let text = unsafe {
        type Base = unsafe extern "C" fn() -> *const ort::sys::OrtApiBase;
        let base = library
            .get::<Base>(b"OrtGetApiBase")
            .map_err(|_| failed("it is not ONNX Runtime: it has no OrtGetApiBase".to_owned()))?;
        let base = base();
        if base.is_null() {
            return Err(failed("OrtGetApiBase returns nothing".to_owned()));
        }
        CStr::from_ptr(((*base).GetVersionString)()).to_string_lossy().into_owned()
    };
    // Unloading a library with threads of its own is not safe; ort loads the same one.
    std::mem::forget(library);
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(minor_version("1.31.1"), Some(31));
        assert_eq!(minor_version("1.24.0-dev"), Some(24));
        assert_eq!(minor_version("2.0.0"), None);
        assert_eq!(minor_version("nonsense"), None);
    }

    #[test]
    fn a_file_that_is_not_a_library_is_an_error() {
        let missing = Library::find(Some(Path::new("no/such/libonnxruntime.so"))).unwrap_err();
        assert!(missing.to_string().contains("no such file"), "{missing}");
        let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let wrong = Library::find(Some(Path::new(text))).unwrap_err();
        assert!(wrong.to_string().starts_with("cannot load ONNX Runtime from"), "{wrong}");
    }
}
