//! `calipers sweep MODEL`: what a model costs at several sizes of its inputs.

use std::path::PathBuf;

use calipers_analyze::{BindError, Sweep, SweepError};
use calipers_render::tables;

use super::write::Answer;
use super::{Privacy, model};
use crate::args::TableFormat;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to look into, at which sizes, and where the table goes.
#[derive(Debug)]
pub(crate) struct Sweeping {
    pub(crate) model: PathBuf,
    pub(crate) format: TableFormat,
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
            let mut table =
                calipers_analyze::sweep(&model, &self.sweep).map_err(|error| problem(&error))?;
            if let Some(redactor) = self.privacy.redactor(&model) {
                redactor.sweep(&mut table)?;
            }
            table
        };
        Answer::table(&table, tables::sweep(&table)).write(self.format, &self.output)?;
        Ok(ExitStatus::Done)
    }
}

fn problem(error: &SweepError) -> Problem {
    let problem = Problem::unusable(error);
    match error {
        SweepError::TooMany { .. } => problem.hint("give fewer sizes, or sweep in several runs"),
        SweepError::Bind(BindError::Twice { .. }) => {
            problem.hint("every size goes with every other; sweep a shared dimension with --dim")
        }
        SweepError::Bind(_) => problem,
    }
}
