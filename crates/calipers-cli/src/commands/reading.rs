//! What the commands that write a whole report ask of a model, and how they get it.

use std::path::Path;

use calipers::{Bindings, HardwareQuery, Model, Options};
use calipers_report::{GraphView, Report};

use super::hardware::{Wanted, verdict};
use super::verify::verified;
use super::{Gate, Privacy, Summarizing, model, summary};
use crate::args::Execution;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What a report is to say, and what of it counts.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Whether to read the files whole for their fingerprints.
    pub(crate) sha256: bool,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    /// Bytes of weights to read at most.
    pub(crate) max_bytes: Option<u64>,
    /// Whether to execute the model and compare its shapes.
    pub(crate) verify: bool,
    pub(crate) bindings: Bindings,
    pub(crate) wanted: Wanted,
    /// Which findings count.
    pub(crate) gate: Gate,
    pub(crate) summary: Summarizing,
    pub(crate) privacy: Privacy,
}

impl Reading {
    /// What the library is asked for.
    pub(crate) fn options(&self, question: &HardwareQuery) -> Options {
        let options = Options::new()
            .bindings(self.bindings.clone())
            .hardware(question.clone())
            .fingerprints(self.sha256)
            .findings(self.gate.selection.clone())
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets)
            .audience(self.summary.audience);
        model::with_limit(options, self.max_bytes)
    }

    /// Reads a model and analyzes it, with signs of life.
    pub(crate) fn report(&self, path: &Path, question: &HardwareQuery) -> anyhow::Result<Report> {
        let options = self.options(question);
        let mut report = model::with_progress(path, options, self.weights, Model::analyze)?;
        self.complete(path, question, &mut report)?;
        Ok(report)
    }

    /// Like [`Reading::report`], plus the collapsible graph for the HTML viewer.
    pub(crate) fn explore(
        &self,
        path: &Path,
        question: &HardwareQuery,
    ) -> anyhow::Result<(Report, GraphView)> {
        let options = self.options(question);
        let (mut report, view) = model::with_progress(path, options, self.weights, Model::explore)?;
        self.complete(path, question, &mut report)?;
        Ok((report, view))
    }

    /// Like [`Reading::report`] without signs of life, for one of many.
    pub(crate) fn quietly(&self, path: &Path, question: &HardwareQuery) -> anyhow::Result<Report> {
        model::check(path, &Target::Stdout)?;
        let options = self.options(question).weights(self.weights);
        let mut report =
            model::open(path)?.analyze(&options).map_err(|error| model::unusable(path, &error))?;
        self.complete(path, question, &mut report)?;
        Ok(report)
    }

    /// Adds what the library does not do: an execution, and the sentences of a language model.
    fn complete(
        &self,
        path: &Path,
        question: &HardwareQuery,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        if self.verify {
            let execution = Execution { synthesize: true, ..Execution::default() };
            let options = self.options(question);
            let model = model::open(path)?;
            report.verified = Some(verified(&model, path, &options, &self.bindings, &execution)?);
        }
        summary::fill(report, &self.summary);
        Ok(())
    }

    /// How the command ends: gates on findings come before those on hardware.
    pub(crate) fn status(&self, report: &Report) -> anyhow::Result<ExitStatus> {
        match self.gate.judge(&report.findings) {
            ExitStatus::Done => verdict(report),
            failed => Ok(failed),
        }
    }
}
