//! What `calipers calibrate` is given.

use std::path::PathBuf;

use clap::Args;

use super::runtime::RuntimeArgs;
use crate::commands::Calibrate;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers calibrate
  calipers calibrate -o this-machine.toml
  calipers hardware model.onnx --device auto
  calipers hardware model.onnx --device this-machine \\
    --device-file this-machine.toml";

#[derive(Args, Debug)]
pub(super) struct CalibrateArgs {
    /// Device file, created or overwritten; `-` is standard output; the default is
    /// calipers/devices.toml in the user's folder for settings, which `--device auto` reads
    #[arg(short, long, value_name = "FILE.toml")]
    output: Option<PathBuf>,

    #[command(flatten)]
    runtime: RuntimeArgs,
}

impl CalibrateArgs {
    pub(super) fn resolve(self) -> Calibrate {
        let output = self.output.map(|path| Target::new(Some(path)));
        Calibrate { output, execution: self.runtime.resolve() }
    }
}
