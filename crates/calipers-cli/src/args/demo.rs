//! What `calipers demo` is given.

use std::path::PathBuf;

use clap::Args;

use crate::commands::Demo;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers demo
  calipers demo -o demo && calipers demo/model.onnx
  calipers demo -o demo                         then open demo/report.html";

#[derive(Args, Debug)]
pub(super) struct DemoArgs {
    /// Folder to leave the model in, with its report, its page and its card
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

impl DemoArgs {
    pub(super) fn resolve(self) -> Demo {
        Demo { folder: self.output }
    }
}
