//! What `calipers compare` is given.

use std::path::PathBuf;

use calipers_render::output::{FORMATS, Format, find};
use calipers_render::terminal;
use calipers_report::Metric;
use calipers_report::quantities::parse_bytes;
use calipers_report::units::counted;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Args, CommandFactory};

use super::format::possible_value;
use super::hardware::EstimateArgs;
use super::summary::PrivacyArgs;
use super::{BindArgs, Cli, ends_in, refuse_unknown_ending};
use crate::commands::Compare;
use crate::output::Target;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers compare model.onnx model-int8.onnx
  calipers compare a.onnx b.onnx --weights          also compare every weight
  calipers compare a.onnx b.onnx -o diff.html       both graphs side by side
  calipers compare a.onnx b.onnx -o comment.md      for a pull request
  calipers compare a.onnx b.onnx -o d.html -o d.json  two formats in one run
  calipers compare baseline.json model.onnx --gate 'macs <= +5%'
  calipers compare a.onnx b.onnx --gate 'latency@l4 <= 20ms' \\
    --gate 'interface compatible' --gate 'no new error'
  calipers compare model.onnx                       gates of calipers.toml
  calipers compare s.onnx m.onnx l.onnx --metric accuracy=0.72,0.76,0.77

The first model is the baseline. A report saved with `calipers inspect MODEL
-o baseline.json` serves as one too.

Exit status:
  3  a gate failed";

#[derive(Args, Debug)]
pub(super) struct CompareArgs {
    /// The models, the baseline first; saved reports (JSON) serve too
    #[arg(value_name = "MODEL", required = true)]
    models: Vec<PathBuf>,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = formats())]
    format: Option<ComparisonFormat>,

    /// Output file, created or overwritten; `-` is standard output. Repeat it to write several formats
    #[arg(short, long = "output", value_name = "PATH")]
    outputs: Vec<PathBuf>,

    /// Also compare every stored weight
    #[arg(long)]
    weights: bool,

    /// Weights to read at most, such as 500MB or 2TB; the rest is reported as not compared
    /// [default: 200GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "weights")]
    max_bytes: Option<u64>,

    /// Condition that the last model must meet, e.g. 'macs <= +5%'; repeatable
    #[arg(long = "gate", value_name = "EXPRESSION", allow_hyphen_values = true)]
    gates: Vec<String>,

    /// File with gates and baselines of models [default: calipers.toml in the current folder]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Metric that you measured, with a value for each model, e.g. accuracy=0.761,0.759;
    /// repeatable
    #[arg(long = "metric", value_name = "NAME=V,V,…", value_parser = parse_metric)]
    metrics: Vec<Metric>,

    /// JSON file with metrics, one for each model, in the order of the models
    #[arg(long = "eval", value_name = "FILE")]
    evals: Vec<PathBuf>,

    #[command(flatten)]
    estimate: EstimateArgs,
    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComparisonFormat {
    /// In a format that many answers have.
    Answer(&'static Format),
    /// As a page with both graphs.
    Html,
}

const HTML: &str = "html";

fn formats() -> impl TypedValueParser<Value = ComparisonFormat> {
    let values = FORMATS
        .iter()
        .map(|format| possible_value(format))
        .chain([PossibleValue::new(HTML).help("Interactive page with both graphs")]);
    PossibleValuesParser::new(values).map(|id| match id.as_str() {
        HTML => ComparisonFormat::Html,
        id => ComparisonFormat::Answer(find(id).unwrap_or(&terminal::FORMAT)),
    })
}

impl CompareArgs {
    pub(super) fn resolve(self) -> Result<Compare, clap::Error> {
        let outputs = outputs(self.outputs, self.format)?;
        for metric in &self.metrics {
            if metric.values.len() != self.models.len() {
                let message = format!(
                    "--metric {} has {} for {}\n\n  \
                     give one for each model, `-` where it is not known",
                    metric.name,
                    counted(metric.values.len() as u64, "value", "values"),
                    counted(self.models.len() as u64, "model", "models")
                );
                return Err(Cli::command().error(ErrorKind::WrongNumberOfValues, message));
            }
        }
        if !self.evals.is_empty() && self.evals.len() != self.models.len() {
            let message = format!(
                "{} for {}\n\n  give one for each model",
                counted(self.evals.len() as u64, "--eval file", "--eval files"),
                counted(self.models.len() as u64, "model", "models")
            );
            return Err(Cli::command().error(ErrorKind::WrongNumberOfValues, message));
        }
        Ok(Compare {
            models: self.models,
            outputs,
            weights: self.weights,
            max_bytes: self.max_bytes,
            gates: self.gates,
            config: self.config,
            metrics: self.metrics,
            evals: self.evals,
            wanted: self.estimate.resolve(),
            bindings: self.bind.resolve()?,
            privacy: self.privacy.resolve(),
        })
    }
}

/// Where the comparison is written, and in which format.
fn outputs(
    paths: Vec<PathBuf>,
    format: Option<ComparisonFormat>,
) -> Result<Vec<(Target, ComparisonFormat)>, clap::Error> {
    let mut targets: Vec<Target> = paths.into_iter().map(|path| Target::new(Some(path))).collect();
    if targets.is_empty() {
        targets.push(Target::Stdout);
    }
    let mut outputs: Vec<(Target, ComparisonFormat)> = Vec::new();
    for target in targets {
        let refuse =
            |message: &str| Err(Cli::command().error(ErrorKind::ArgumentConflict, message));
        if outputs.iter().any(|(known, _)| *known == target) {
            return refuse(
                "--output: two outputs go to the same place\n\n  give each a file of its own",
            );
        }
        if format.is_some() && !outputs.is_empty() {
            return refuse(
                "--format applies to one output\n\n  leave it out: file names select the formats",
            );
        }
        let format = match format {
            Some(format) => format,
            None => named(&target)?,
        };
        outputs.push((target, format));
    }
    Ok(outputs)
}

/// The format that the name of the output calls for, else text.
fn named(output: &Target) -> Result<ComparisonFormat, clap::Error> {
    let endings = FORMATS.iter().flat_map(|format| format.extensions).copied();
    refuse_unknown_ending(output, endings.chain([HTML, "htm"]))?;
    let Target::File(path) = output else { return Ok(ComparisonFormat::Answer(&terminal::FORMAT)) };
    if ends_in(path, HTML) || ends_in(path, "htm") {
        return Ok(ComparisonFormat::Html);
    }
    let format =
        FORMATS.iter().find(|format| format.extensions.iter().any(|end| ends_in(path, end)));
    Ok(ComparisonFormat::Answer(format.copied().unwrap_or(&terminal::FORMAT)))
}

/// A metric with its values: `accuracy=0.761,-,0.759`.
fn parse_metric(text: &str) -> Result<Metric, String> {
    let (name, values) = text.rsplit_once('=').ok_or("write NAME=0.761,0.759")?;
    if name.trim().is_empty() {
        return Err("write NAME=0.761,0.759".to_owned());
    }
    let value = |text: &str| match text.trim() {
        "" | "-" => Ok(None),
        text => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(format!("{text:?}: a value must be a number, or `-` where it is not known")),
        },
    };
    let name = name.trim().to_owned();
    Ok(Metric {
        lower_is_better: calipers::is_error_metric(&name),
        values: values.split(',').map(value).collect::<Result<_, _>>()?,
        name,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_a_value_for_each_model() {
        let metric = parse_metric("top-1=0.761, -,0.759").unwrap();
        assert_eq!(metric.name, "top-1");
        assert_eq!(metric.values, [Some(0.761), None, Some(0.759)]);
        assert!(parse_metric("wer=5.1").unwrap().lower_is_better);
        for text in ["", "accuracy", "=1", "a=b", "a=inf", "a=1;2"] {
            assert!(parse_metric(text).is_err(), "{text}");
        }
    }
}
