//! Arguments about hardware: device, runtime, precision, batch and targets.

use std::path::PathBuf;

use calipers::devices::Precision;
use calipers_render::output::Format;
use calipers_report::Runtime;
use calipers_report::quantities::parse_time;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::summary::PrivacyArgs;
use super::{BindArgs, Offer};
use crate::commands::{Chosen, Hardware, Wanted};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers hardware model.onnx
  calipers hardware model.onnx --device rtx-4090 --precision fp16
  calipers hardware model.onnx --device h100 --runtime tensorrt
  calipers hardware model.onnx --device auto
  calipers hardware model.onnx --device all -o devices.csv
  calipers hardware model.onnx --device l4 --batch 8 --target-latency 20ms
  calipers hardware llm.onnx --device h100-sxm --precision int4 --context 4096

Exit status:
  3  a target was set with a device, and the device does not meet it";

#[derive(Args, Debug)]
pub(super) struct HardwareArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    #[command(flatten)]
    wanted: WantedArgs,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl HardwareArgs {
    pub(super) fn resolve(self) -> Result<Hardware, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Tables.choose(self.format, &output)?;
        let bindings = self.bind.resolve()?;
        let (privacy, wanted) = (self.privacy.resolve(), self.wanted.resolve());
        Ok(Hardware { model: self.model, format, output, wanted, bindings, privacy })
    }
}

/// The device, the software and the sizes of an estimate.
#[derive(Args, Debug)]
pub(super) struct EstimateArgs {
    /// Device, e.g. `h100` or `rtx-4090`; `auto` is this machine, `all` compares all; repeatable
    #[arg(long = "device", alias = "hardware", value_name = "ID")]
    devices: Vec<String>,

    /// File with more devices, in the format of the built-in catalog
    #[arg(long, value_name = "FILE")]
    device_file: Option<PathBuf>,

    /// Software that runs the model [default: onnxruntime]
    #[arg(long, value_name = "NAME", value_parser = runtimes())]
    runtime: Option<Runtime>,

    /// Precision to compute in, e.g. fp16 or int8; the model's own by default
    #[arg(long, value_name = "NAME", value_parser = parse_precision)]
    precision: Option<Precision>,

    /// Number of intra-op threads of the processor [default: its cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_threads)]
    threads: Option<u32>,

    /// Samples per run
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_count)]
    batch: Option<u64>,

    /// Tokens of a sequence
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_count)]
    context: Option<u64>,
}

#[derive(Args, Debug)]
pub(super) struct WantedArgs {
    #[command(flatten)]
    estimate: EstimateArgs,

    /// Target: longest time of one run, e.g. 20ms
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_time)]
    target_latency: Option<f64>,

    /// Target: lowest throughput in samples per second, e.g. 100
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_rate)]
    target_throughput: Option<f64>,

    /// Target: longest time to the first token of a generative model, e.g. 500ms
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_time)]
    target_first_token: Option<f64>,
}

/// A parser that lists the runtimes.
fn runtimes() -> impl TypedValueParser<Value = Runtime> {
    PossibleValuesParser::new(Runtime::ALL.iter().map(|runtime| runtime.id()))
        .try_map(|id| id.parse::<Runtime>())
}

impl EstimateArgs {
    fn is_given(&self) -> bool {
        !self.devices.is_empty()
            || self.device_file.is_some()
            || self.runtime.is_some()
            || self.precision.is_some()
            || self.threads.is_some()
            || self.batch.is_some()
            || self.context.is_some()
    }

    pub(super) fn resolve(self) -> Wanted {
        let chosen = |id: String| match id.as_str() {
            "auto" => Chosen::Auto,
            "all" => Chosen::All,
            _ => Chosen::One(id),
        };
        Wanted {
            devices: self.devices.into_iter().map(chosen).collect(),
            device_file: self.device_file,
            runtime: self.runtime.unwrap_or_default(),
            precision: self.precision,
            threads: self.threads,
            batch: self.batch,
            context: self.context,
            ..Wanted::default()
        }
    }
}

impl WantedArgs {
    pub(super) fn is_given(&self) -> bool {
        self.estimate.is_given()
            || self.target_latency.is_some()
            || self.target_throughput.is_some()
            || self.target_first_token.is_some()
    }

    pub(super) fn resolve(self) -> Wanted {
        Wanted {
            target_latency_ms: self.target_latency,
            target_throughput: self.target_throughput,
            target_first_token_ms: self.target_first_token,
            ..self.estimate.resolve()
        }
    }
}

fn parse_precision(text: &str) -> Result<Precision, String> {
    calipers::devices::parse_precision(text).map_err(|error| error.to_string())
}

/// Larger sizes are typing errors.
const MOST: u64 = 1 << 32;

fn parse_count(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(count) if (1..=MOST).contains(&count) => Ok(count),
        _ => Err("must be an integer >= 1".to_owned()),
    }
}

fn parse_threads(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|count| *count >= 1)
        .ok_or_else(|| "must be an integer >= 1".to_owned())
}

/// Parses a rate: `100` or `100/s`.
fn parse_rate(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix("/s").unwrap_or(text).trim();
    positive(number).ok_or_else(|| "must be samples per second > 0; write 100".to_owned())
}

fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && (1e-9..1e15).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_counts_are_positive() {
        assert_eq!([parse_rate("100"), parse_rate("0.5/s")], [Ok(100.0), Ok(0.5)]);
        for text in ["0", "-1", "inf", "NaN", "fast", ""] {
            assert!(parse_rate(text).is_err(), "{text}");
            assert!(parse_count(text).is_err(), "{text}");
        }
        assert_eq!(parse_count("4096"), Ok(4096));
    }
}
