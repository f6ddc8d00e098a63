//! `calipers layers MODEL`: every node with its shapes, parameters and cost.

use std::path::PathBuf;

use calipers_analyze::{Bindings, LayerQuery};
use calipers_render::tables;

use super::write::Answer;
use super::{Privacy, model};
use crate::args::TableFormat;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to look into, what to show of it, and where that goes.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) model: PathBuf,
    pub(crate) format: TableFormat,
    pub(crate) output: Target,
    pub(crate) query: LayerQuery,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Layers {
    /// Reads the model and writes its nodes.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let table = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let typed = calipers_analyze::infer(&model, &self.bindings)
                .map_err(|error| Problem::unusable(&error))?;
            let mut table = calipers_analyze::layers(&model, &typed, &self.bindings, &self.query);
            if let Some(redactor) = self.privacy.redactor(&model) {
                redactor.layers(&mut table)?;
            }
            table
        };
        let set = match self.query.tree {
            Some(_) => tables::scopes(&table),
            None => tables::layers(&table),
        };
        Answer::table(&table, set).write(self.format, &self.output)?;
        Ok(ExitStatus::Done)
    }
}
