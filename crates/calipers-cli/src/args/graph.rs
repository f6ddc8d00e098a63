//! What to draw of a graph.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::summary::PrivacyArgs;
use super::{BindArgs, ends_in};
use crate::commands::Graph;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers graph model.onnx -o graph.html
  calipers graph model.onnx -o graph.svg --depth 2
  calipers graph model.onnx -o graph.dot
  calipers graph model.onnx -o graph.json";

/// Levels that are opened without being asked for: the network's parts, closed.
const DEPTH: usize = 1;

#[derive(Args, Debug)]
pub(super) struct GraphArgs {
    /// The model file
    model: PathBuf,

    /// How to write the graph; without it, what the file's name ends in, else `svg`
    #[arg(long)]
    format: Option<GraphFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Levels of parts to open in a chart; all of them are in `html` and `json`
    #[arg(long, value_name = "N")]
    depth: Option<usize>,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// As a chart.
    Svg,
    /// For Graphviz.
    Dot,
    /// As a page to look around in.
    Html,
    /// For a program.
    Json,
}

impl GraphArgs {
    pub(super) fn resolve(self) -> Result<Graph, clap::Error> {
        let output = Target::new(self.output);
        let format = self.format.unwrap_or_else(|| match &output {
            Target::File(path) if ends_in(path, "dot") || ends_in(path, "gv") => GraphFormat::Dot,
            Target::File(path) if ends_in(path, "html") => GraphFormat::Html,
            Target::File(path) if ends_in(path, "json") => GraphFormat::Json,
            _ => GraphFormat::Svg,
        });
        let depth = self.depth.unwrap_or(DEPTH).max(1);
        let (bindings, privacy) = (self.bind.resolve()?, self.privacy.resolve());
        Ok(Graph { model: self.model, format, output, depth, bindings, privacy })
    }
}
