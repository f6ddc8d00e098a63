//! Why a dataset cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

/// Why a dataset cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or folder of the dataset cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Another process scans into the folder.
    #[error("another scan writes to {}", .0.display())]
    Locked(PathBuf),
    /// The dataset was begun with other options.
    #[error("the dataset in {} was scanned with other options: {was}, now {now}", folder.display())]
    OtherOptions {
        /// The dataset.
        folder: PathBuf,
        /// Its options.
        was: String,
        /// Those of this scan.
        now: String,
    },
    /// The folder holds other files.
    #[error("{} holds files that are not of a dataset", .0.display())]
    NotADataset(PathBuf),
    /// The folder has no dataset to read.
    #[error("{} is not a dataset of `calipers scan`", .0.display())]
    NoDataset(PathBuf),
    /// A part of the dataset is damaged, or of another version.
    #[error("cannot read {}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A part of the dataset is in a format that is only written.
    #[error("cannot read {}: only Parquet and JSON lines are read", .0.display())]
    NotRead(PathBuf),
    /// A thread cannot be started.
    #[error("the system starts no more threads: {0}")]
    Thread(io::Error),
    /// The tables cannot be written.
    #[error("cannot write a table: {0}")]
    Write(String),
}

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn damaged(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), why: why.to_string() }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Locked(_) => Some("wait for it, or choose another folder with -o"),
            Self::OtherOptions { .. } => Some("choose another folder with -o, or remove this one"),
            Self::NotADataset(_) => Some("choose an empty or new folder with -o"),
            Self::NoDataset(_) => Some("run `calipers scan MODEL… -o DIR` first"),
            Self::Damaged { .. } => Some("remove the folder and scan again"),
            Self::NotRead(_) => Some("scan into another folder without `--format csv`"),
            Self::Thread(_) => Some("scan with fewer, for example --threads 4"),
            Self::Io { .. } | Self::Write(_) => None,
        }
    }
}
