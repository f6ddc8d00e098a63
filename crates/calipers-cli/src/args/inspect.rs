//! What `calipers inspect` is given, and `calipers MODEL` with it.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};

use super::reading::ReadingArgs;
use super::{Cli, ends_in};
use crate::commands::Inspect;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers inspect model.onnx
  calipers inspect model.onnx --format json | jq .parameters.total
  calipers inspect model.onnx -o report.json
  calipers inspect model.onnx --format markdown
  calipers inspect model.onnx --device rtx-4090 --precision fp16
  calipers inspect model.onnx --redact-names
  calipers inspect model.onnx --llm --llm-model NAME --audience manager";

/// How the report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For a terminal.
    Text,
    /// For a program.
    Json,
    /// For a page: the card without pictures and front matter.
    Markdown,
}

/// The format asked for, or the one that the output's name calls for.
fn format_for(asked: Option<ReportFormat>, output: &Target) -> ReportFormat {
    asked.unwrap_or_else(|| match output {
        Target::File(path) if ends_in(path, "json") => ReportFormat::Json,
        Target::File(path) if ends_in(path, "md") => ReportFormat::Markdown,
        _ => ReportFormat::Text,
    })
}

#[derive(Args, Debug)]
pub(super) struct InspectArgs {
    /// The model file
    // Optional only because a command may stand in its place.
    #[arg(required = true)]
    model: Option<PathBuf>,

    /// How to write the report; without it, what the file's name ends in, else `text`
    #[arg(long)]
    format: Option<ReportFormat>,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl InspectArgs {
    pub(super) fn is_given(&self) -> bool {
        self.model.is_some()
            || self.format.is_some()
            || self.output.is_some()
            || self.reading.is_given()
    }

    pub(super) fn resolve(self) -> Result<Inspect, clap::Error> {
        let Some(model) = self.model else {
            let message = "a model file is needed";
            return Err(Cli::command().error(ErrorKind::MissingRequiredArgument, message));
        };
        let output = Target::new(self.output);
        let format = format_for(self.format, &output);
        Ok(Inspect { model, format, output, reading: self.reading.resolve()? })
    }
}
