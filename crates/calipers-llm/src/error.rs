//! Why there is no text of a language model.

use calipers_summary::check::{NoSummary, NotJson};

/// Why there is none. No message holds a key, or a word that a server sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The address is none.
    #[error("invalid address: {0}")]
    Address(&'static str),
    /// The key would go over the network unencrypted.
    #[error("refusing to send the key over plain http to another machine; use https")]
    Unencrypted,
    /// Nobody answers there.
    #[error("cannot reach the server: {0}")]
    Unreachable(String),
    /// The time is over.
    #[error("timed out")]
    Late,
    /// The key is missing or wrong.
    #[error("the server rejected the key (status {0}); check CALIPERS_LLM_KEY")]
    Refused(u16),
    /// There were too many requests, still after waiting.
    #[error("the server is rate-limiting requests (status 429)")]
    Busy,
    /// The server sends us elsewhere; a key is not carried along.
    #[error("the server redirects to another address (status {0}); use that address")]
    Redirected(u16),
    /// Some other status.
    #[error("the server returned status {0}")]
    Status(u16),
    /// The answer does not end.
    #[error("the answer is too large")]
    TooLarge,
    /// The answer is not what the protocol says.
    #[error("unexpected answer: {0}")]
    Malformed(&'static str),
    /// What it wrote makes no summary.
    #[error("{0}")]
    Unusable(#[from] NoSummary),
    /// A language without a closed vocabulary.
    #[error("sentences in {0} cannot be checked; use English")]
    Language(String),
    /// The program was built without connections.
    #[error(
        "this build of Calipers makes no connections: build it with the feature `llm`, e.g. \
         `cargo install --path crates/calipers-cli`"
    )]
    NotBuilt,
    /// The proxy is none.
    #[error("invalid proxy: {0}")]
    Proxy(&'static str),
}

impl From<NotJson> for Error {
    fn from(error: NotJson) -> Self {
        Self::Unusable(error.into())
    }
}

impl Error {
    /// Whether asking again may help.
    #[cfg_attr(not(feature = "connect"), expect(dead_code, reason = "nothing is asked"))]
    pub(crate) fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::Unreachable(_)
                | Self::Late
                | Self::Busy
                | Self::Status(500 | 502 | 503 | 504 | 408)
        )
    }
}
