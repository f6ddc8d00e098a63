//! Exit statuses.

/// How a run ended; the number is the process's exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// What was asked for was done, or whoever reads the output has seen enough of it.
    Done = 0,
    /// The model cannot be read.
    Unreadable = 1,
    /// The arguments make no sense, or an output cannot be written.
    Usage = 2,
    /// The model was read and does not pass what was asked of it.
    GateFailed = 3,
}
