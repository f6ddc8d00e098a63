//! `calipers inspect MODEL`, and `calipers MODEL`: what a model is.

use std::path::PathBuf;

use calipers_render::output::{Answer, Format};
use calipers_render::{CardOptions, sections};

use super::{Reading, model};
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to inspect and where the report goes.
#[derive(Debug)]
pub(crate) struct Inspect {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
    pub(crate) output: Target,
    /// Whether to print every section.
    pub(crate) full: bool,
    pub(crate) reading: Reading,
}

impl Inspect {
    /// Reads the model and writes its report.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.reading.wanted.question()?;
        let report = self.reading.report(&self.model, &question)?;
        let answer = Answer::new(&report)
            .documents(|| match self.full {
                true => vec![sections::screen(&report)],
                false => vec![sections::short(&report, self.reading.summary.is_asked_for)],
            })
            .page(|| sections::card(&report, &CardOptions::default()));
        self.output.write_answer(&answer, self.format)?;
        self.reading.status(&report)
    }
}
