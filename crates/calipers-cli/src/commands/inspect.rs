//! `calipers inspect MODEL`, and `calipers MODEL`: what a model is.

use std::path::PathBuf;

use calipers_render::{CardOptions, sections};

use super::write::Answer;
use super::{Reading, model};
use crate::args::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to inspect and where the report goes.
#[derive(Debug)]
pub(crate) struct Inspect {
    pub(crate) model: PathBuf,
    pub(crate) format: ReportFormat,
    pub(crate) output: Target,
    pub(crate) reading: Reading,
}

impl Inspect {
    /// Reads the model and writes its report.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.reading.wanted.question()?;
        let report = self.reading.report(&self.model, &question)?;
        Answer::new(&report)
            .documents(|| vec![sections::screen(&report)])
            .page(|| sections::card(&report, &CardOptions::default()))
            .write(self.format, &self.output)?;
        self.reading.status(&report)
    }
}
