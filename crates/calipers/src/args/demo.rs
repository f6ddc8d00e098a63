//! What `calipers demo` is given.

use std::path::PathBuf;

use clap::Args;

use crate::commands::Demo;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers demo
  calipers demo -o demo && calipers demo/model.onnx";

#[derive(Args, Debug)]
pub(super) struct DemoArgs {
    /// Folder to leave the model and its report in, as model.onnx and report.json
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl DemoArgs {
    pub(super) fn resolve(self) -> Demo {
        Demo { folder: self.output }
    }
}
