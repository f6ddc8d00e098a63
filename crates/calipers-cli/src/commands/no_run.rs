//! `calipers run MODEL` in a build that cannot use models.

use crate::exit::ExitStatus;
use crate::problem::Problem;

/// Nothing but a message.
#[derive(Debug)]
pub(crate) struct Run;

impl Run {
    /// Says what to do instead.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        Err(Problem::not_built("`calipers run`", "apply").into())
    }
}
