//! What `calipers report` is given.

use std::path::PathBuf;

use clap::Args;

use super::reading::ReadingArgs;
use super::refuse_unknown_ending;
use crate::commands::ReportPage;
use crate::output::Target;
use crate::remote;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers report model.onnx
  calipers report model.onnx -o report.html
  calipers report model.onnx -o report.html --device rtx-4090 --precision fp16
  calipers report llm.onnx -o report.html --dim batch=4";

#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// The model file
    model: PathBuf,

    /// Output file, created or overwritten; the default is the model's name with `.html`, in the
    /// current folder; `-` is standard output
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadingArgs,
}

impl ReportArgs {
    pub(super) fn resolve(self) -> Result<ReportPage, clap::Error> {
        let named = || PathBuf::from(remote::file_name(&self.model)).with_extension("html");
        let output = Target::new(Some(self.output.unwrap_or_else(named)));
        refuse_unknown_ending(&output, ["html", "htm"].into_iter())?;
        Ok(ReportPage { model: self.model, output, reading: self.reading.resolve()? })
    }
}
