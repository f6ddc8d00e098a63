//! What `calipers inspect` is given, and `calipers MODEL` with it.

use std::path::PathBuf;

use calipers_render::output::Format;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::reading::ReadingArgs;
use super::{Cli, Offer};
use crate::commands::Inspect;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers inspect model.onnx
  calipers inspect model.onnx --full
  calipers inspect model.onnx --format json | jq .parameters.total
  calipers inspect model.onnx -o report.json
  calipers inspect model.onnx --format markdown
  calipers inspect model.onnx --device rtx-4090 --precision fp16
  calipers inspect model.onnx --redact-names
  calipers inspect model.onnx --llm --llm-model NAME --audience manager";

#[derive(Args, Debug)]
pub(super) struct InspectArgs {
    /// The model file
    // Optional only because a command may be in its place.
    #[arg(required = true)]
    model: Option<PathBuf>,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Documents.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Print every section, not only the key facts
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl InspectArgs {
    pub(super) fn is_given(&self) -> bool {
        self.model.is_some()
            || self.format.is_some()
            || self.output.is_some()
            || self.full
            || self.reading.is_given()
    }

    pub(super) fn resolve(self) -> Result<Inspect, clap::Error> {
        let Some(model) = self.model else {
            let message = "missing argument: MODEL";
            return Err(Cli::command().error(ErrorKind::MissingRequiredArgument, message));
        };
        let output = Target::new(self.output);
        let format = Offer::Documents.choose(self.format, &output)?;
        Ok(Inspect { model, format, output, full: self.full, reading: self.reading.resolve()? })
    }
}
