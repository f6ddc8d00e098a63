//! What `calipers verify` is given.

use std::path::PathBuf;

use calipers_render::output::Format;
use clap::Args;

use super::runtime::RuntimeArgs;
use super::summary::PrivacyArgs;
use super::{BindArgs, Offer};
use crate::commands::Verify;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers verify model.onnx
  calipers verify model.onnx --synthesize
  calipers verify model.onnx --dim batch=2 --dim sequence=16
  calipers verify model.onnx --runtime-lib libonnxruntime.so.1.31.1
  calipers verify model.onnx --format json -o verified.json

Exit status:
  3  a type, a shape or the peak memory is not as inferred";

#[derive(Args, Debug)]
pub(super) struct VerifyArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Pages.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    runtime: RuntimeArgs,
    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl VerifyArgs {
    pub(super) fn resolve(self) -> Result<Verify, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Pages.choose(self.format, &output)?;
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        let execution = self.runtime.resolve();
        Ok(Verify { model: self.model, format, output, execution, bindings, privacy })
    }
}
