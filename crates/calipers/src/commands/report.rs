//! `calipers report MODEL -o FILE.html`: everything on one page.

use std::path::PathBuf;

use calipers_analyze::{Bindings, Question};

use super::hardware::Wanted;
use super::model;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to report on and where the page goes.
#[derive(Debug)]
pub(crate) struct ReportPage {
    pub(crate) model: PathBuf,
    pub(crate) output: Target,
    /// Whether to read the whole file for its fingerprint.
    pub(crate) sha256: bool,
    /// Whether to read every weight.
    pub(crate) weights: bool,
    pub(crate) wanted: Wanted,
    pub(crate) bindings: Bindings,
}

impl ReportPage {
    /// Reads the model and writes its page.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.question()?;
        let (model, mut report, view) =
            model::explore(&self.model, &self.bindings, &question, self.weights)?;
        if self.sha256 {
            let files = calipers_formats::open_data(&self.model, &model);
            calipers_analyze::fingerprint(&model, &files, &mut report);
        }
        self.output.write(&calipers_render::to_page(&report, &view))?;
        Ok(ExitStatus::Done)
    }

    /// What is asked about hardware. Of one device a page tells everything; where none is named, it
    /// is the first of the table.
    fn question(&self) -> anyhow::Result<Question> {
        let mut question = self.wanted.question()?;
        if self.wanted.devices.is_empty() {
            question.device = question.table.first().cloned();
        }
        Ok(question)
    }
}
