//! What `calipers sweep` is given.

use std::path::PathBuf;

use calipers::Sweep;
use calipers_render::output::Format;
use clap::Args;

use super::Offer;
use super::bind::{joined_values, parse_dims, parse_inputs, parse_values};
use super::summary::PrivacyArgs;
use crate::commands::Sweeping;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers sweep model.onnx --dim sequence=128,256,512
  calipers sweep model.onnx --dim batch=1,8 --dim sequence=128,512 -o costs.csv
  calipers sweep model.onnx --input images=1x3x320x320,1x3x640x640";

#[derive(Args, Debug)]
pub(super) struct SweepArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Sizes of a symbolic dimension; repeat for several dimensions
    #[arg(long = "dim", value_name = "NAME=N,N,…", value_parser = parse_dims)]
    #[arg(required_unless_present = "inputs")]
    dims: Vec<(String, Vec<i64>)>,

    /// Shapes of an input, e.g. NAME=1x3x320x320,1x3x640x640; repeat for several inputs
    #[arg(long = "input", value_name = "NAME=SHAPE,SHAPE,…", value_parser = parse_inputs)]
    inputs: Vec<(String, Vec<Vec<i64>>)>,

    /// Elements of an integer input that shapes are computed from, e.g. NAME=4 or NAME=1,2,3;
    /// repeat for several
    #[arg(long = "value", value_name = "NAME=V,…", value_parser = parse_values)]
    values: Vec<(String, Vec<i64>)>,

    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl SweepArgs {
    pub(super) fn resolve(self) -> Result<Sweeping, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Tables.choose(self.format, &output)?;
        let sweep = Sweep {
            dims: joined(self.dims),
            inputs: joined(self.inputs),
            values: joined_values(self.values)?,
        };
        let privacy = self.privacy.resolve();
        Ok(Sweeping { model: self.model, format, output, sweep, privacy })
    }
}

/// Lists that are given for one name become one list.
fn joined<T>(lists: Vec<(String, Vec<T>)>) -> Vec<(String, Vec<T>)> {
    let mut all: Vec<(String, Vec<T>)> = Vec::new();
    for (name, list) in lists {
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => known.extend(list),
            None => all.push((name, list)),
        }
    }
    all
}
