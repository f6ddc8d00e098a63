//! What `calipers diagram` is given.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::summary::PrivacyArgs;
use super::{BindArgs, ends_in};
use crate::commands::Diagram;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers diagram model.onnx
  calipers diagram model.onnx -o network.mmd
  calipers diagram model.onnx --flow
  calipers diagram model.onnx --format json";

/// How a diagram is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiagramFormat {
    /// As a Mermaid flowchart.
    Mermaid,
    /// For a program.
    Json,
}

#[derive(Args, Debug)]
pub(super) struct DiagramArgs {
    /// The model file
    model: PathBuf,

    /// Draw which operators feed which, and how often, instead of the network's blocks
    #[arg(long)]
    flow: bool,

    /// How to write the diagram; without it, what the file's name ends in, else `mermaid`
    #[arg(long)]
    format: Option<DiagramFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl DiagramArgs {
    pub(super) fn resolve(self) -> Result<Diagram, clap::Error> {
        let output = Target::new(self.output);
        let format = self.format.unwrap_or_else(|| match &output {
            Target::File(path) if ends_in(path, "json") => DiagramFormat::Json,
            _ => DiagramFormat::Mermaid,
        });
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        Ok(Diagram { model: self.model, flow: self.flow, format, output, bindings, privacy })
    }
}
