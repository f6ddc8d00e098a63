//! `calipers inspect MODEL`, and `calipers MODEL`: what a model is.

use std::path::PathBuf;

use super::{Reading, model};
use crate::args::ReportFormat;
use crate::exit::ExitStatus;
use crate::output::{Target, write_styled};
use crate::screen;

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
        match (self.format, &self.output) {
            (ReportFormat::Json, output) => output.write(&calipers_render::to_json(&report))?,
            (ReportFormat::Markdown, output) => {
                let options = calipers_render::CardOptions::default();
                output.write(&calipers_render::to_markdown(&report, &options))?;
            }
            (ReportFormat::Text, Target::Stdout) => {
                let style = screen::style_for_stdout();
                write_styled(&calipers_render::to_terminal(&report, &style), style.color)?;
            }
            (ReportFormat::Text, output) => {
                let style = screen::style_for_file();
                output.write(&calipers_render::to_terminal(&report, &style))?;
            }
        }
        self.reading.status(&report)
    }
}
