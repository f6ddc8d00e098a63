//! What `calipers layers` is given.

use std::path::PathBuf;

use calipers::{LayerOrder, LayerQuery};
use calipers_render::output::Format;
use clap::{Args, ValueEnum};

use super::bind::{parse_depth, parse_positive};
use super::summary::PrivacyArgs;
use super::{BindArgs, Offer};
use crate::commands::Layers;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers layers model.onnx --dim batch=1
  calipers layers model.onnx --top 10
  calipers layers model.onnx --sort params --top 20
  calipers layers model.onnx --tree --depth 3
  calipers layers model.onnx -o layers.csv

In CSV, a text from the model that begins with =, +, - or @ has an apostrophe
before it, so that no spreadsheet runs it.";

/// What the rows of a table are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// Most multiply-accumulates first.
    Macs,
    /// Most parameters first.
    Params,
    /// Most bytes moved first.
    Bytes,
    /// The order of execution.
    Order,
}

#[derive(Args, Debug)]
pub(super) struct LayersArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Show only the first N nodes; without `--sort`, those with the most MACs
    #[arg(long, value_name = "N", conflicts_with = "tree", value_parser = parse_positive)]
    top: Option<usize>,

    /// Sort order; the default is execution order
    #[arg(long, value_name = "BY")]
    sort: Option<Sort>,

    /// Sum nodes by the module they belong to
    #[arg(long)]
    tree: bool,

    /// Show modules down to this depth
    #[arg(long, value_name = "N", requires = "tree", value_parser = parse_depth)]
    depth: Option<usize>,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl LayersArgs {
    pub(super) fn resolve(self) -> Result<Layers, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Tables.choose(self.format, &output)?;
        // Who asks for a few nodes wants the most expensive.
        let order = match (self.sort, self.top) {
            (Some(Sort::Macs), _) | (None, Some(_)) => LayerOrder::Macs,
            (Some(Sort::Params), _) => LayerOrder::Parameters,
            (Some(Sort::Bytes), _) => LayerOrder::Bytes,
            (Some(Sort::Order), _) | (None, None) => LayerOrder::Execution,
        };
        let tree = self.tree.then(|| self.depth.unwrap_or(usize::MAX));
        let query = LayerQuery { order, top: self.top, tree };
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        Ok(Layers { model: self.model, format, output, query, bindings, privacy })
    }
}
