//! `calipers shapes MODEL`: every value's type and shape.

use std::path::PathBuf;

use calipers::{Bindings, Options};
use calipers_render::output::{Answer, Format};
use calipers_render::tables;

use super::{Privacy, model};
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to look into and where the shapes go.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) model: PathBuf,
    pub(crate) format: &'static Format,
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
            let options = Options::new()
                .bindings(self.bindings.clone())
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            model.shapes(&options).map_err(|error| model::unusable(&self.model, &error))?
        };
        self.output.write_answer(&Answer::table(&table, tables::shapes(&table)), self.format)?;
        Ok(ExitStatus::Done)
    }
}
