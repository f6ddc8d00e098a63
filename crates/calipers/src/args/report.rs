//! What to write into a report's page.

use std::path::PathBuf;

use clap::Args;

use super::BindArgs;
use super::hardware::WantedArgs;
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

    /// Also give the file's SHA-256, which reads every byte of it
    #[arg(long)]
    sha256: bool,

    /// Also read every weight: NaN, dead filters, duplicates, ranges
    #[arg(long)]
    weights: bool,

    #[command(flatten)]
    wanted: WantedArgs,

    #[command(flatten)]
    bind: BindArgs,
}

impl ReportArgs {
    pub(super) fn resolve(self) -> Result<ReportPage, clap::Error> {
        Ok(ReportPage {
            model: self.model,
            output: Target::new(Some(self.output)),
            sha256: self.sha256,
            weights: self.weights,
            wanted: self.wanted.resolve(),
            bindings: self.bind.resolve()?,
        })
    }
}
