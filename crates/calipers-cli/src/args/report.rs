//! What to write into a report's page.

use std::path::PathBuf;

use clap::Args;

use super::reading::ReadingArgs;
use crate::commands::ReportPage;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers report model.onnx -o report.html
  calipers report model.onnx -o report.html --device rtx-4090 --precision fp16
  calipers report llm.onnx -o report.html --dim batch=4";

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// The model file
    model: PathBuf,

    /// File to write to, made or replaced; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl ReportArgs {
    pub(super) fn resolve(self) -> Result<ReportPage, clap::Error> {
        let output = Target::new(Some(self.output));
        Ok(ReportPage { model: self.model, output, reading: self.reading.resolve()? })
    }
}
