//! Arguments of `calipers devices`.

use std::path::PathBuf;

use calipers::devices::{DeviceClass, Filter};
use calipers_render::output::Format;
use clap::Args;

use super::Offer;
use crate::commands::{Asked, Devices};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers devices
  calipers devices --class gpu-consumer --min-memory 16
  calipers devices --vendor nvidia -o devices.csv
  calipers devices rtx-4090
  calipers devices auto
  calipers devices my-card --device-file my-devices.toml";

#[derive(Args, Debug)]
pub(super) struct DevicesArgs {
    /// Device to show in full, e.g. `h100` or `rtx-4090`; `auto` is this machine
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Only devices of this class
    #[arg(long, conflicts_with = "id")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(DeviceClass::ALL.iter().map(|class| class.id())))]
    class: Option<String>,

    /// Only devices of this vendor
    #[arg(long, value_name = "NAME", conflicts_with = "id")]
    vendor: Option<String>,

    /// Only devices with at least this memory, in GB
    #[arg(long, value_name = "GB", allow_negative_numbers = true, conflicts_with = "id")]
    #[arg(value_parser = parse_gigabytes)]
    min_memory: Option<f64>,

    /// File with more devices, in the format of the built-in catalog
    #[arg(long, value_name = "FILE")]
    device_file: Option<PathBuf>,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

impl DevicesArgs {
    pub(super) fn resolve(self) -> Result<Devices, clap::Error> {
        let output = Target::new(self.output);
        let asked = match self.id {
            Some(id) if id == "auto" => Asked::Auto,
            Some(id) => Asked::One(id),
            None => Asked::List(Filter {
                // The parser accepts only classes.
                class: self.class.and_then(|class| class.parse().ok()),
                vendor: self.vendor,
                min_memory_gb: self.min_memory,
            }),
        };
        let format = Offer::Tables.choose(self.format, &output)?;
        Ok(Devices { asked, device_file: self.device_file, format, output })
    }
}

fn parse_gigabytes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(gigabytes) if gigabytes > 0.0 && f64::is_finite(gigabytes) => Ok(gigabytes),
        _ => Err("must be a number of GB > 0".to_owned()),
    }
}
