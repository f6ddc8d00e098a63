//! Errors of reading a file: the cause, the position, and a hint.

use std::io;

use crate::wire::WireError;

/// An error of reading a model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system could not read the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The path is not a file.
    #[error("this is {0}, not a file")]
    NotAFile(&'static str),
    /// The file has another format.
    #[error("this is {what}, not a model that Calipers reads")]
    Foreign {
        /// The format, with its article.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The file is truncated or malformed.
    #[error("byte {at}: {problem}, in {path}")]
    Malformed {
        /// Offset in the file, in bytes.
        at: u64,
        /// Path inside the message, such as `graph.node[17].attribute[2]`.
        path: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The file is valid protobuf without a model.
    #[error("the file contains no graph")]
    NoGraph {
        /// What the file may be instead.
        hint: String,
    },
    /// The model exceeds the limits of the reader.
    #[error("{0}")]
    TooLarge(#[from] calipers_ir::TooLarge),
    /// Another process shortened the file.
    #[error("the file was shortened while it was read")]
    Shortened,
    /// Bytes of a remote file could not be fetched.
    #[error("{0}")]
    Unavailable(String),
}

impl Error {
    /// An error of a file that is damaged at a byte, in a part of it.
    pub(crate) fn damaged(at: u64, path: &str, problem: &str) -> Self {
        Self::Malformed { at, path: path.to_owned(), problem: problem.to_owned(), hint: None }
    }

    /// Returns what the user can do about the error.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Foreign { hint, .. } => Some((*hint).to_owned()),
            Self::Malformed { hint, .. } => hint.clone(),
            Self::NoGraph { hint } => Some(hint.clone()),
            Self::NotAFile(_) => Some("give the path of the model file itself".to_owned()),
            Self::Shortened => Some("run it again when the file is complete".to_owned()),
            Self::Io(_) | Self::TooLarge(_) | Self::Unavailable(_) => None,
        }
    }
}

/// An error of reading an external data file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The location is outside the model's folder, or is not a regular file.
    #[error("{0}")]
    Refused(String),
    /// The file does not exist.
    #[error("no such file")]
    Missing,
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] Error),
    /// The size changed since the file was checked.
    #[error("the file changed while it was read")]
    Changed,
    /// The model was read from memory and has no folder.
    #[error("the model was read from memory")]
    NoFolder,
}

/// An error in a nested message, which collects the path as it propagates.
#[derive(Debug)]
pub(crate) struct Trace {
    at: u64,
    problem: String,
    past_end: bool,
    /// Innermost first.
    path: Vec<String>,
}

impl Trace {
    pub(crate) fn new(at: u64, problem: String) -> Self {
        Self { at, problem, past_end: false, path: Vec::new() }
    }

    /// Adds the field that the error happened in.
    pub(crate) fn within(mut self, field: &str) -> Self {
        self.path.push(field.to_owned());
        self
    }

    /// Adds the element of a repeated field that the error happened in.
    pub(crate) fn within_nth(mut self, field: &str, index: usize) -> Self {
        self.path.push(format!("{field}[{index}]"));
        self
    }

    /// Returns the finished error. `around` is the outer path, outermost first.
    pub(crate) fn finish(self, around: &str, file_bytes: u64) -> Error {
        let mut path = around.to_owned();
        for part in self.path.iter().rev() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        }
        let outermost = path.is_empty();
        if outermost {
            path.push_str("the model");
        }
        let hint = if self.past_end {
            Some(format!(
                "the file has {file_bytes} bytes and is truncated or damaged: \
                 download or export it again"
            ))
        } else {
            outermost.then(|| "the file is damaged, or not an ONNX model".to_owned())
        };
        Error::Malformed { at: self.at, path, problem: self.problem, hint }
    }
}

impl From<WireError> for Trace {
    fn from(error: WireError) -> Self {
        Self {
            at: error.at,
            problem: error.kind.to_string(),
            past_end: matches!(error.kind, crate::wire::WireErrorKind::PastEnd { .. }),
            path: Vec::new(),
        }
    }
}

impl From<calipers_ir::TooLarge> for Trace {
    fn from(error: calipers_ir::TooLarge) -> Self {
        Self::new(0, error.to_string())
    }
}
