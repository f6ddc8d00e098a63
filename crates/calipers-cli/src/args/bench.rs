//! What `calipers bench` is given.

use std::path::PathBuf;
use std::time::Duration;

use calipers_report::quantities::parse_time;
use calipers_runtime::bench::Effort;
use clap::Args;

use super::BindArgs;
use super::format::Offer;
use super::runtime::{RuntimeArgs, parse_threads};
use super::summary::PrivacyArgs;
use crate::commands::{Bench, Chosen};
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers bench model.onnx
  calipers bench model.onnx --batches 1,4,16 --threads-list 1,2,4
  calipers bench model.onnx --synthesize --duration 10s
  calipers bench model.onnx --device rtx-4090 --provider cuda
  calipers bench model.onnx --runtime rten --format json -o bench.json
  calipers bench model.onnx --target-latency 20ms -o bench.html

Exit status:
  3  the median is above --target-latency";

#[derive(Args, Debug)]
pub(super) struct BenchArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Pages.parser())]
    format: Option<&'static calipers_render::output::Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Time of the measured runs at each point [default: 5s]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_time)]
    duration: Option<f64>,

    /// Number of measured runs, in place of a time
    #[arg(long, value_name = "N", allow_negative_numbers = true, conflicts_with = "duration")]
    #[arg(value_parser = parse_runs)]
    runs: Option<usize>,

    /// Batch sizes, e.g. 1,4,16; the first is the headline
    #[arg(long, value_name = "N,…", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = parse_batch)]
    batches: Vec<u64>,

    /// Numbers of threads, e.g. 1,2,4; the first is the headline
    #[arg(long, value_name = "N,…", value_delimiter = ',', allow_negative_numbers = true)]
    #[arg(value_parser = parse_threads, conflicts_with = "threads")]
    threads_list: Vec<usize>,

    /// Target: longest median latency of one run, e.g. 20ms
    #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = parse_time)]
    target_latency: Option<f64>,

    /// Skip the profile by operator and block
    #[arg(long)]
    no_profile: bool,

    /// Device of the prediction, e.g. `rtx-4090` [default: auto, this machine]
    #[arg(long, value_name = "ID")]
    device: Option<String>,

    /// File with more devices, in the format of the built-in catalog
    #[arg(long, value_name = "FILE")]
    device_file: Option<PathBuf>,

    #[command(flatten)]
    runtime: RuntimeArgs,
    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl BenchArgs {
    pub(super) fn resolve(self) -> Result<Bench, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Pages.choose(self.format, &output)?;
        let (privacy, bindings) = (self.privacy.resolve(), self.bind.resolve()?);
        let defaults = Effort::default();
        let duration =
            self.duration.map_or(defaults.duration, |ms| Duration::from_secs_f64(ms / 1e3));
        Ok(Bench {
            model: self.model,
            format,
            output,
            effort: Effort { duration, runs: self.runs },
            batches: self.batches,
            threads: self.threads_list,
            target_latency_ms: self.target_latency,
            profile: !self.no_profile,
            device: match self.device {
                Some(id) if id != "auto" => Chosen::One(id),
                _ => Chosen::Auto,
            },
            device_file: self.device_file,
            execution: self.runtime.resolve(),
            bindings,
            privacy,
        })
    }
}

/// More runs than these, and larger batches, are typing errors.
const MOST: u64 = 1_000_000;

fn parse_batch(text: &str) -> Result<u64, String> {
    match text.trim().parse() {
        Ok(batch) if (1..=MOST).contains(&batch) => Ok(batch),
        _ => Err("must be an integer >= 1".to_owned()),
    }
}

fn parse_runs(text: &str) -> Result<usize, String> {
    parse_batch(text).and_then(|runs| usize::try_from(runs).map_err(|error| error.to_string()))
}
