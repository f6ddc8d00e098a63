//! What `calipers run` is given in a build that cannot use models: anything, and it is refused.

use std::ffi::OsString;

use clap::Args;

use crate::commands::Run;

pub(super) const EXAMPLES: &str = "";

#[derive(Args, Debug)]
pub(super) struct RunArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

impl RunArgs {
    pub(super) fn resolve(self) -> Result<Run, clap::Error> {
        Ok(Run)
    }
}
