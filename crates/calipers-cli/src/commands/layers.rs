//! `calipers layers MODEL`: every node with its shapes, parameters and cost.

use std::path::PathBuf;

use calipers::{Bindings, LayerQuery, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::tables;

use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to look into, what to show of it, and where that goes.
#[derive(Debug)]
pub(crate) struct Layers {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
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
            let options = Options::new()
                .bindings(self.bindings.clone())
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            model
                .layers(&options, &self.query)
                .map_err(|error| model::unusable(&self.model, &error))?
        };
        let set = match self.query.tree {
            Some(_) => tables::scopes(&table),
            None => tables::layers(&table),
        };
        self.output.write_answer(&Answer::table(&table, set), self.format)?;
        Ok(ExitStatus::Done)
    }
}
