//! Why a model cannot be read or analyzed.

use calipers_infer::BindError;
use calipers_measure::SweepError;
use calipers_perf::devices::NotFound;

/// Why a model cannot be read or analyzed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read as a model.
    #[error(transparent)]
    Read(#[from] calipers_formats::Error),
    /// The model does not take the sizes that were given.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// No device has the id that was given.
    #[error(transparent)]
    Device(#[from] NotFound),
    /// The sizes of a sweep cannot be combined.
    #[error(transparent)]
    Sweep(SweepError),
    /// A model cannot be compared: its nodes have no order.
    #[error("cannot compare {label}: {nodes} on or after a cycle, which no runtime can execute")]
    Cycle {
        /// What the comparison calls the model.
        label: String,
        /// How many nodes cannot be ordered: `2 nodes are`.
        nodes: String,
    },
}

impl From<SweepError> for Error {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Bind(error) => Self::Bind(error),
            other => Self::Sweep(other),
        }
    }
}

impl Error {
    /// What the reader can do about it, where that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Read(error) => error.hint(),
            Self::Cycle { .. } => Some("`calipers check MODEL` names the nodes".to_owned()),
            _ => None,
        }
    }
}
