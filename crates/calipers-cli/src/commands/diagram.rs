//! `calipers diagram MODEL`: the network as boxes and arrows.

use std::path::PathBuf;

use calipers::{Bindings, Options};

use super::{Privacy, model};
use crate::args::DiagramFormat;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to draw and where the diagram goes.
#[derive(Debug)]
pub(crate) struct Diagram {
    pub(crate) model: PathBuf,
    /// Whether to draw which operators feed which, and not the blocks.
    pub(crate) flow: bool,
    pub(crate) format: DiagramFormat,
    pub(crate) output: Target,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Diagram {
    /// Reads the model and writes its diagram.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let architecture = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let options = Options::new()
                .bindings(self.bindings.clone())
                .redact_names(self.privacy.redact_names)
                .show_secrets(self.privacy.show_secrets);
            let report =
                model.analyze(&options).map_err(|error| model::unusable(&self.model, &error))?;
            report.architecture
        };
        let (diagram, text) = match self.flow {
            true => (&architecture.flow_diagram, &architecture.flow),
            false => (&architecture.block_diagram, &architecture.diagram),
        };
        match self.format {
            DiagramFormat::Mermaid => self.output.write(text)?,
            DiagramFormat::Json => self.output.write(&calipers_render::json::to_string(diagram))?,
        }
        Ok(ExitStatus::Done)
    }
}
