//! `calipers report MODEL -o FILE.html`: everything on one page.

use std::path::PathBuf;

use super::{Reading, model};
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to report on and where the page goes.
#[derive(Debug)]
pub(crate) struct ReportPage {
    pub(crate) model: PathBuf,
    pub(crate) output: Target,
    pub(crate) reading: Reading,
}

impl ReportPage {
    /// Reads the model and writes its page.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = self.reading.wanted.question()?;
        let (report, view) = self.reading.explore(&self.model, &question)?;
        self.output.write(&calipers_render::page::html(&report, &view))?;
        // The process ends here: taking a large graph apart node by node would only delay that.
        std::mem::forget(view);
        self.reading.status(&report)
    }
}
