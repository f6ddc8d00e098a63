//! `calipers shapes MODEL`: every value's type and shape.

use std::path::PathBuf;

use calipers_analyze::Bindings;
use calipers_render::tables;

use super::write::Answer;
use super::{Privacy, model};
use crate::args::Format;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to look into and where the shapes go.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) model: PathBuf,
    pub(crate) format: Format,
    pub(crate) output: Target,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Shapes {
    /// Reads the model and writes its shapes.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let table = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let typed = calipers_analyze::infer_shapes(&model, &self.bindings)
                .map_err(|error| Problem::unusable(&error))?;
            let mut table = calipers_analyze::shapes(&model, &typed, &self.bindings);
            if let Some(redactor) = self.privacy.redactor(&model) {
                redactor.shapes(&mut table)?;
            }
            table
        };
        Answer::table(&table, tables::shapes(&table)).write(self.format.into(), &self.output)?;
        Ok(ExitStatus::Done)
    }
}
