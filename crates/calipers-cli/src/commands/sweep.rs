//! `calipers sweep MODEL`: what a model costs at several sizes of its inputs.

use std::path::{Path, PathBuf};

use calipers::{BindError, Error, Options, Sweep, SweepError};
use calipers_render::output::{Answer, Format};
use calipers_render::tables;

use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to look into, at which sizes, and where the table goes.
#[derive(Debug)]
pub(crate) struct Sweeping {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    pub(crate) sweep: Sweep,
    pub(crate) privacy: Privacy,
}

impl Sweeping {
    /// Reads the model and writes what it costs.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let table = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let options = Options::new()
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            model.sweep(&options, &self.sweep).map_err(|error| problem(&self.model, &error))?
        };
        self.output.write_answer(&Answer::table(&table, tables::sweep(&table)), self.format)?;
        Ok(ExitStatus::Done)
    }
}

fn problem(path: &Path, error: &Error) -> anyhow::Error {
    let hint = match error {
        Error::Sweep(SweepError::TooMany { .. }) => "give fewer sizes, or sweep in several runs",
        Error::Bind(BindError::Twice { .. }) => {
            "every size goes with every other; sweep a shared dimension with --dim"
        }
        _ => return model::unusable(path, error),
    };
    Problem::unusable(error).hint(hint).into()
}
