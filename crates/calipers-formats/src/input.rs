//! What a reader is given: bytes, a name, and perhaps the folder they came from.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use calipers_ir::Source;

use crate::Error;

/// A model file to be read.
pub(crate) struct Input {
    /// Its bytes.
    pub(crate) source: Source,
    /// Its name, without a folder.
    pub(crate) name: String,
    /// The folder where files that it refers to are.
    pub(crate) folder: Option<PathBuf>,
}

impl Input {
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        // Looked at before it is opened: opening a pipe that nobody writes to waits for ever.
        let metadata = fs::metadata(path)?;
        if metadata.is_dir() {
            return Err(Error::NotAFile("a folder"));
        }
        // A pipe or a device has no size and may never end.
        if !metadata.is_file() {
            return Err(Error::NotAFile("a device or a pipe"));
        }
        let file = File::open(path)?;
        let source = if file.metadata()?.len() == 0 { Source::default() } else { map(&file)? };
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        Ok(Self { source, name, folder: Some(folder) })
    }

    pub(crate) fn from_bytes(bytes: Vec<u8>, name: &str) -> Self {
        Self { source: Source::new(bytes), name: name.to_owned(), folder: None }
    }
}

/// Maps a file into memory: what is never read never leaves the disk.
#[expect(unsafe_code, reason = "mapping a file is unsafe by its nature")]
fn map(file: &File) -> Result<Source, Error> {
    // SAFETY: the map is read-only and private. Bytes that another process changes under it are
    // only ever read as bytes, so they can make a report wrong but not memory; a file that is
    // shortened under it ends the process with a bus error, which the crate's page says.
    let map = unsafe { memmap2::Mmap::map(file) }?;
    #[cfg(unix)]
    // Readers jump from header to header over gigabytes of weights. A failure costs speed only.
    let _ = map.advise(memmap2::Advice::Random);
    Ok(Source::new(map))
}
