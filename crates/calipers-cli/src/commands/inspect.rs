//! `calipers inspect MODEL`, and `calipers MODEL`: what a model is.

use std::path::PathBuf;

use calipers_render::json;

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
        match self.format {
            ReportFormat::Json => self.output.write(&json::to_string(&report))?,
            ReportFormat::Markdown => {
                let options = calipers_render::CardOptions::default();
                self.output.write(&calipers_render::markdown::card(&report, &options))?;
            }
            ReportFormat::Text => {
                let screen = |style: &_| calipers_render::terminal::report(&report, style);
                self.output.write_screen(screen)?;
            }
        }
        self.reading.status(&report)
    }
}
