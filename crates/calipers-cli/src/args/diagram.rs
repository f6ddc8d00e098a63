//! What `calipers diagram` is given.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::summary::PrivacyArgs;
use super::{BindArgs, ends_in, refuse_unknown_ending};
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
    /// Mermaid flowchart.
    Mermaid,
    /// Boxes and arrows as data.
    Json,
}

#[derive(Args, Debug)]
pub(super) struct DiagramArgs {
    /// The model file
    model: PathBuf,

    /// Write the operator flow instead: which operators feed which, and how often
    #[arg(long)]
    flow: bool,

    /// Output format; the default follows the output file's name, else `mermaid`
    #[arg(long)]
    format: Option<DiagramFormat>,

    /// Output file, created or overwritten; `-` is standard output
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
        if self.format.is_none() {
            refuse_unknown_ending(&output, ["mmd", "mermaid", "json", "txt"].into_iter())?;
        }
        let format = self.format.unwrap_or_else(|| match &output {
            Target::File(path) if ends_in(path, "json") => DiagramFormat::Json,
            _ => DiagramFormat::Mermaid,
        });
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        Ok(Diagram { model: self.model, flow: self.flow, format, output, bindings, privacy })
    }
}
