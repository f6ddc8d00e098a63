//! Where models come from.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use calipers::Model;

/// A model that is to be scanned: a file of this machine, or one on a server.
pub trait Place: Send + Sync {
    /// Its path with forward slashes, or its URL: what the column `path` holds.
    fn address(&self) -> &str;

    /// What opens it again: the same, unless the address leaves out what a server asks for.
    fn location(&self) -> &str {
        self.address()
    }

    /// What identifies the state of the file, where that is known at once.
    fn version(&self) -> Option<String>;

    /// The same, where it has to be asked for. Called for models that the dataset has already, and no error: a file that
    /// cannot be asked about is opened.
    fn current_version(&self) -> Option<String> {
        self.version()
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, for people.
    fn open(&self) -> Result<Opened, String>;
}

/// A model that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The model.
    pub model: Model,
    /// What identifies the state of its file.
    pub version: Option<String>,
}

impl<P: Place + ?Sized> Place for Box<P> {
    fn address(&self) -> &str {
        (**self).address()
    }

    fn location(&self) -> &str {
        (**self).location()
    }

    fn version(&self) -> Option<String> {
        (**self).version()
    }

    fn current_version(&self) -> Option<String> {
        (**self).current_version()
    }

    fn open(&self) -> Result<Opened, String> {
        (**self).open()
    }
}

/// A place under another address.
pub struct Renamed<P> {
    place: P,
    address: String,
}

impl<P: Place> Renamed<P> {
    /// The place under this address.
    pub fn new(place: P, address: String) -> Self {
        Self { place, address }
    }
}

impl<P: Place> Place for Renamed<P> {
    fn address(&self) -> &str {
        &self.address
    }

    fn location(&self) -> &str {
        self.place.location()
    }

    fn version(&self) -> Option<String> {
        self.place.version()
    }

    fn current_version(&self) -> Option<String> {
        self.place.current_version()
    }

    fn open(&self) -> Result<Opened, String> {
        self.place.open()
    }
}

/// A word for a path that must not be shown; another path has another one.
///
/// Whoever guesses a path can check the guess.
pub fn redacted_path(path: &str) -> String {
    format!("model-{}", &blake3::hash(path.as_bytes()).to_hex()[..16])
}

/// A file of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalFile {
    path: PathBuf,
    address: String,
}

impl LocalFile {
    /// The file at a path.
    pub fn new(path: PathBuf) -> Self {
        let address = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Self { path, address }
    }

    fn version_of(path: &Path) -> Option<String> {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{}-{}", metadata.len(), modified.as_nanos()))
    }
}

impl Place for LocalFile {
    fn address(&self) -> &str {
        &self.address
    }

    fn version(&self) -> Option<String> {
        Self::version_of(&self.path)
    }

    fn open(&self) -> Result<Opened, String> {
        let version = self.version();
        let model = Model::open(&self.path).map_err(|error| error.to_string())?;
        Ok(Opened { model, version })
    }
}
