//! Why a remote file cannot be read.

/// Why a remote file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Error {
    kind: ErrorKind,
    reason: String,
    hint: Option<String>,
}

/// The kinds of failure that callers handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The address is malformed.
    Address,
    /// The file does not exist.
    Missing,
    /// Anything else.
    Failed,
}

impl Error {
    pub(crate) fn address(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Address, reason: reason.into(), hint: Some(hint.into()) }
    }

    pub(crate) fn missing() -> Self {
        Self {
            kind: ErrorKind::Missing,
            reason: "no such file on the server".to_owned(),
            hint: None,
        }
    }

    pub(crate) fn failed(reason: String) -> Self {
        Self { kind: ErrorKind::Failed, reason, hint: None }
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<String> {
        self.hint.clone()
    }

    /// Whether the address is malformed, so that nothing was fetched.
    pub fn is_usage(&self) -> bool {
        self.kind == ErrorKind::Address
    }

    pub(crate) fn is_missing(&self) -> bool {
        self.kind == ErrorKind::Missing
    }
}
