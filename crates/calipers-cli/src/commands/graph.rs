//! `calipers graph MODEL`: the graph as collapsible groups.

use std::path::PathBuf;

use calipers::{Bindings, HardwareQuery, Model, Options};

use super::{Privacy, model};
use crate::args::GraphFormat;
use crate::exit::ExitStatus;
use crate::output::Target;

/// What to write and where it goes.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) model: PathBuf,
    pub(crate) format: GraphFormat,
    pub(crate) output: Target,
    /// Levels that an image expands.
    pub(crate) depth: usize,
    pub(crate) bindings: Bindings,
    pub(crate) privacy: Privacy,
}

impl Graph {
    /// Reads the model and writes its graph.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        model::check(&self.model, &self.output)?;
        let question = HardwareQuery { table: Vec::new(), ..HardwareQuery::default() };
        let options = Options::new()
            .bindings(self.bindings.clone())
            .hardware(question)
            .redact_names(self.privacy.redact_names)
            .show_secrets(self.privacy.show_secrets);
        let (report, view) = model::with_progress(&self.model, options, false, Model::explore)?;
        let text = match self.format {
            GraphFormat::Png => {
                let svg = calipers_render::graph::svg(&view, self.depth);
                self.output.write_bytes(&png(&svg)?)?;
                return Ok(ExitStatus::Done);
            }
            GraphFormat::Svg => calipers_render::graph::svg(&view, self.depth),
            GraphFormat::Dot => calipers_render::graph::dot(&view, self.depth),
            GraphFormat::Html => calipers_render::page::graph(&report, &view),
            GraphFormat::Json => calipers_render::json::to_string(&view),
        };
        self.output.write(&text)?;
        Ok(ExitStatus::Done)
    }
}

#[cfg(feature = "png")]
fn png(svg: &str) -> anyhow::Result<Vec<u8>> {
    Ok(calipers_render::chart::png_within_limits(svg)?)
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> anyhow::Result<Vec<u8>> {
    Err(crate::problem::Problem::not_built("PNG", "png").into())
}
