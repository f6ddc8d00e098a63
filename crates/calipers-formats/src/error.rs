//! Why a file could not be read, where, and what to do about it.

use std::io;

use crate::wire::WireError;

/// Why a model could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operating system would not give the file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The path leads to something that is no file.
    #[error("this is {0}, not a file")]
    NotAFile(&'static str),
    /// The file is something else.
    #[error("this is {what}, not a model that Calipers reads")]
    Foreign {
        /// What it is, with its article.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// The bytes break off or make no sense.
    #[error("byte {at}: {problem}, in {path}")]
    Malformed {
        /// Byte of the file.
        at: u64,
        /// Place inside the message, such as `graph.node[17].attribute[2]`.
        path: String,
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: Option<String>,
    },
    /// The file is in order as protobuf and holds no model.
    #[error("there is no graph in this file")]
    NoGraph {
        /// What it may be instead.
        hint: String,
    },
    /// More parts than can be numbered.
    #[error("{0}")]
    TooLarge(#[from] calipers_ir::TooLarge),
}

impl Error {
    /// What the reader of the message can do, if anything.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Foreign { hint, .. } => Some((*hint).to_owned()),
            Self::Malformed { hint, .. } => hint.clone(),
            Self::NoGraph { hint } => Some(hint.clone()),
            Self::NotAFile(_) => Some("give the path of the model file itself".to_owned()),
            Self::Io(_) | Self::TooLarge(_) => None,
        }
    }
}

/// Why a data file of a model cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The location leads out of the model's folder, or may do so; or it is no plain file.
    #[error("{0}")]
    Refused(String),
    /// Nothing is at the location.
    #[error("there is no such file")]
    Missing,
    /// The file cannot be opened.
    #[error(transparent)]
    Open(#[from] Error),
    /// Its size changed since it was checked.
    #[error("it changes while it is read")]
    Changed,
    /// The model came from memory, so that it has no folder.
    #[error("the model was read from memory")]
    NoFolder,
}

/// An error on its way out of nested messages, which collects its path as it goes.
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

    /// The finished error. `around` is the path outside, outermost first.
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
                "the file has {file_bytes} bytes and ends too early or is damaged: \
                 fetch or export it again"
            ))
        } else {
            outermost.then(|| "it is damaged, or of another kind than ONNX".to_owned())
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
