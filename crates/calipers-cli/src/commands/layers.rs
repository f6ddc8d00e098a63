//! `calipers layers MODEL`: every node with its shapes, parameters and cost.

use std::path::PathBuf;

use calipers::{Bindings, LayerQuery, Options};

use super::{Privacy, model};
use crate::args::TableFormat;
use crate::exit::ExitStatus;
use crate::output::{Target, write_styled};
use crate::screen;

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
            let options = Options::new()
                .bindings(self.bindings.clone())
                .redact_names(self.privacy.redact_names);
            model.layers(&options, &self.query).map_err(|error| model::unusable(&error))?
        };
        match (self.format, &self.output) {
            (TableFormat::Json, output) => {
                output.write(&calipers_render::layers_to_json(&table))?;
            }
            (TableFormat::Csv, output) if self.query.tree.is_some() => {
                output.write(&calipers_render::scopes_to_csv(&table))?;
            }
            (TableFormat::Csv, output) => output.write(&calipers_render::layers_to_csv(&table))?,
            (TableFormat::Text, Target::Stdout) => {
                let style = screen::style_for_stdout();
                write_styled(&calipers_render::layers_to_terminal(&table, &style), style.color)?;
            }
            (TableFormat::Text, output) => {
                let style = screen::style_for_file();
                output.write(&calipers_render::layers_to_terminal(&table, &style))?;
            }
        }
        Ok(ExitStatus::Done)
    }
}
