//! What the commands that write a whole report ask of a model, and how they get it.

use std::path::Path;

use calipers_analyze::{Bindings, Question};
use calipers_ir::Model;
use calipers_report::{GraphView, Report};

use super::hardware::{Wanted, verdict};
use super::{Gate, Privacy, Summarizing, model, summary};
use crate::exit::ExitStatus;

/// What a report is to say, and what of it counts.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Whether to read the files whole for their fingerprints.
    pub(crate) sha256: bool,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    pub(crate) bindings: Bindings,
    pub(crate) wanted: Wanted,
    /// Which findings count.
    pub(crate) gate: Gate,
    pub(crate) summary: Summarizing,
    pub(crate) privacy: Privacy,
}

impl Reading {
    /// Reads a model and looks at it, with signs of life.
    pub(crate) fn report(&self, path: &Path, question: &Question) -> anyhow::Result<Report> {
        let (model, report) = model::analyze(path, &self.bindings, question, self.weights)?;
        self.finish(path, &model, report)
    }

    /// The same, with the graph to look around in.
    pub(crate) fn explore(
        &self,
        path: &Path,
        question: &Question,
    ) -> anyhow::Result<(Report, GraphView)> {
        let (model, report, mut view) =
            model::explore(path, &self.bindings, question, self.weights)?;
        if let Some(redactor) = self.privacy.redactor(&model) {
            redactor.view(&mut view)?;
        }
        Ok((self.finish(path, &model, report)?, view))
    }

    /// The same without signs of life, for one of many.
    pub(crate) fn quietly(&self, path: &Path, question: &Question) -> anyhow::Result<Report> {
        let (model, report) = model::analyze_quietly(path, &self.bindings, question, self.weights)?;
        self.finish(path, &model, report)
    }

    /// Takes out and adds what was asked for. The summary is last: it tells of all the rest.
    fn finish(&self, path: &Path, model: &Model, mut report: Report) -> anyhow::Result<Report> {
        self.gate.select(&mut report);
        if self.sha256 {
            let files = calipers_formats::open_data(path, model);
            calipers_analyze::fingerprint(model, &files, &mut report);
        }
        if let Some(redactor) = self.privacy.redactor(model) {
            redactor.report(&mut report)?;
        }
        summary::fill(&mut report, &self.summary);
        Ok(report)
    }

    /// How the command ends: gates on findings come before those on hardware.
    pub(crate) fn status(&self, report: &Report) -> anyhow::Result<ExitStatus> {
        match self.gate.judge(&report.risks) {
            ExitStatus::Done => verdict(report),
            failed => Ok(failed),
        }
    }
}
