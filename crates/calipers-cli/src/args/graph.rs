//! What `calipers graph` is given.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::bind::parse_positive;
use super::summary::PrivacyArgs;
use super::{BindArgs, ends_in, refuse_unknown_ending};
use crate::commands::Graph;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers graph model.onnx -o graph.html
  calipers graph model.onnx -o graph.svg --depth 2
  calipers graph model.onnx -o graph.png
  calipers graph model.onnx -o graph.dot
  calipers graph model.onnx -o graph.json";

/// Levels that are opened without being asked for: the network's parts, closed.
const DEPTH: usize = 1;

#[derive(Args, Debug)]
pub(super) struct GraphArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `svg`
    #[arg(long)]
    format: Option<GraphFormat>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Levels of groups to expand in an image; `html` and `json` have all of them
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    depth: Option<usize>,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

/// File name endings that select a format.
const ENDINGS: &[(&str, GraphFormat)] = &[
    ("svg", GraphFormat::Svg),
    ("png", GraphFormat::Png),
    ("dot", GraphFormat::Dot),
    ("gv", GraphFormat::Dot),
    ("html", GraphFormat::Html),
    ("json", GraphFormat::Json),
];

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// SVG image.
    Svg,
    /// PNG image.
    Png,
    /// Graphviz.
    Dot,
    /// Interactive page.
    Html,
    /// The groups, nodes and edges as data.
    Json,
}

impl GraphArgs {
    pub(super) fn resolve(self) -> Result<Graph, clap::Error> {
        let output = Target::new(self.output);
        if self.format.is_none() {
            refuse_unknown_ending(&output, ENDINGS.iter().map(|(ending, _)| *ending))?;
        }
        let named = || {
            let Target::File(path) = &output else { return None };
            ENDINGS.iter().find(|(ending, _)| ends_in(path, ending)).map(|(_, format)| *format)
        };
        let format = self.format.or_else(named).unwrap_or(GraphFormat::Svg);
        let depth = self.depth.unwrap_or(DEPTH).max(1);
        let (bindings, privacy) = (self.bind.resolve()?, self.privacy.resolve());
        Ok(Graph { model: self.model, format, output, depth, bindings, privacy })
    }
}
