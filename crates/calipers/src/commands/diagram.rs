//! `calipers diagram MODEL`: the network as boxes and arrows.

use std::path::PathBuf;

use calipers_analyze::Bindings;

use super::{Privacy, model};
use crate::args::DiagramFormat;
use crate::exit::ExitStatus;
use crate::output::Target;
use crate::problem::Problem;

/// What to draw and where the drawing goes.
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
    /// Reads the model and writes its drawing.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let architecture = {
            let _progress = model::progress(&self.model);
            let model = model::open(&self.model)?;
            let mut report = calipers_analyze::analyze_bound(&model, &self.bindings)
                .map_err(|error| Problem::unusable(&error))?;
            if let Some(redactor) = self.privacy.redactor(&model) {
                redactor.report(&mut report)?;
            }
            report.architecture
        };
        let (drawing, text) = match self.flow {
            true => (&architecture.flow_drawing, &architecture.flow),
            false => (&architecture.drawing, &architecture.diagram),
        };
        match self.format {
            DiagramFormat::Mermaid => self.output.write(text)?,
            DiagramFormat::Json => self.output.write(&calipers_render::json::to_string(drawing))?,
        }
        Ok(ExitStatus::Done)
    }
}
