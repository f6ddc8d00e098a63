//! What `calipers shapes` is given.

use std::path::PathBuf;

use calipers_render::output::Format;
use clap::Args;

use super::summary::PrivacyArgs;
use super::{BindArgs, Offer};
use crate::commands::Shapes;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers shapes model.onnx
  calipers shapes model.onnx --dim batch=8 --dim sequence=128
  calipers shapes model.onnx --input image=1x3x224x224 --format json";

#[derive(Args, Debug)]
pub(super) struct ShapesArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl ShapesArgs {
    pub(super) fn resolve(self) -> Result<Shapes, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Tables.choose(self.format, &output)?;
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        Ok(Shapes { model: self.model, format, output, bindings, privacy })
    }
}
