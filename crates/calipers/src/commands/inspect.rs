//! `calipers inspect MODEL`, and `calipers MODEL`: what a model is.

use std::path::PathBuf;

use calipers_analyze::Bindings;
use calipers_report::Report;

use super::hardware::{Wanted, verdict};
use super::{Gate, model};
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
    /// Whether to read the files whole for their fingerprints.
    pub(crate) sha256: bool,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    /// Which findings count.
    pub(crate) gate: Gate,
    pub(crate) bindings: Bindings,
    pub(crate) wanted: Wanted,
}

impl Inspect {
    /// Reads the model and writes its report.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let report = self.read()?;
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
        match self.gate.judge(&report.risks) {
            ExitStatus::Done => verdict(&report),
            failed => Ok(failed),
        }
    }

    fn read(&self) -> anyhow::Result<Report> {
        let question = self.wanted.question()?;
        let (model, mut report) =
            model::analyze(&self.model, &self.bindings, &question, self.weights)?;
        self.gate.select(&mut report);
        if self.sha256 {
            let files = calipers_formats::open_data(&self.model, &model);
            calipers_analyze::fingerprint(&model, &files, &mut report);
        }
        Ok(report)
    }
}
