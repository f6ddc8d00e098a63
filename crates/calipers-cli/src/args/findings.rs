//! Arguments of `calipers check` and `calipers explain`, and the selection of findings.

use std::path::PathBuf;

use calipers::{Selection, SelectionError};
use calipers_render::output::Format;
use calipers_report::Severity;
use calipers_report::quantities::parse_bytes;
use clap::error::ErrorKind;
use clap::{Args, CommandFactory, ValueEnum};

use super::summary::PrivacyArgs;
use super::{BindArgs, Cli, Offer};
use crate::commands::{Check, Explain, Gate};
use crate::output::Target;

pub(super) const CHECK_EXAMPLES: &str = "\
Examples:
  calipers check model.onnx
  calipers check model.onnx --fail-on warning     in CI: exit status 3
  calipers check model.onnx --select security
  calipers check model.onnx --weights                  also read every weight
  calipers check model.onnx --ignore unused-opset --ignore 'external-data-*'
  calipers check model.onnx -o findings.sarif          for code scanning";

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  calipers explain                    list every finding
  calipers explain graph-cycle        explain one finding
  calipers explain security           explain a group
  calipers explain --format markdown  print the reference page";

/// The lowest severity that fails the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Threshold {
    /// Any finding.
    Info,
    /// Warnings and errors.
    Warning,
    /// Errors: a runtime refuses the model, or loading it is unsafe.
    Error,
}

/// The selected findings and the failing severity.
#[derive(Args, Debug)]
pub(super) struct GateArgs {
    /// Exit with status 3 if a finding has this severity or a higher one
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<Threshold>,

    /// Report only findings with this id or group; repeatable, * and ? are wildcards
    #[arg(long, value_name = "ID")]
    select: Vec<String>,

    /// Ignore findings with this id or group; repeatable, * and ? are wildcards
    #[arg(long, value_name = "ID")]
    ignore: Vec<String>,
}

impl GateArgs {
    pub(super) fn is_given(&self) -> bool {
        self.fail_on.is_some() || !self.select.is_empty() || !self.ignore.is_empty()
    }

    pub(super) fn resolve(self) -> Result<Gate, clap::Error> {
        let selection =
            Selection::new(&self.select, &self.ignore).map_err(|error| unknown(&error))?;
        let fail_on = self.fail_on.map(|threshold| match threshold {
            Threshold::Info => Severity::Info,
            Threshold::Warning => Severity::Warning,
            Threshold::Error => Severity::Error,
        });
        Ok(Gate { selection, fail_on })
    }
}

/// Rejects a selection of weight findings without `--weights`: such a check would never fail.
pub(super) fn refuse_unread(gate: &Gate, weights: bool) -> Result<(), clap::Error> {
    if weights || !gate.selection.is_of_weights() {
        return Ok(());
    }
    let message = "the selected findings require reading the weights\n\n  add --weights";
    Err(Cli::command().error(ErrorKind::MissingRequiredArgument, message))
}

/// Reports an unknown finding and the closest name.
fn unknown(error: &SelectionError) -> clap::Error {
    let hint = match error.nearest {
        Some(nearest) => format!("did you mean '{nearest}'?"),
        None => "`calipers explain` lists them".to_owned(),
    };
    Cli::command().error(ErrorKind::InvalidValue, format!("{error}\n\n  {hint}"))
}

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    /// The model file
    model: PathBuf,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Findings.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Also read every weight to find NaN, zero channels and duplicates
    #[arg(long)]
    weights: bool,

    /// Weights to read at most, such as 500MB or 2TB; the rest is reported as not read
    /// [default: 200GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "weights")]
    max_bytes: Option<u64>,

    #[command(flatten)]
    gate: GateArgs,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl CheckArgs {
    pub(super) fn resolve(self) -> Result<Check, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Findings.choose(self.format, &output)?;
        let (gate, bindings) = (self.gate.resolve()?, self.bind.resolve()?);
        refuse_unread(&gate, self.weights)?;
        let (privacy, weights) = (self.privacy.resolve(), self.weights);
        let max_bytes = self.max_bytes;
        Ok(Check { model: self.model, format, output, weights, max_bytes, gate, bindings, privacy })
    }
}

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// Finding or group to explain, with * and ? as wildcards; lists all findings if omitted
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Output format; the default follows the output file's name, else `text`
    #[arg(long, value_parser = Offer::Tables.parser())]
    format: Option<&'static Format>,

    /// Output file, created or overwritten; `-` is standard output
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
}

impl ExplainArgs {
    pub(super) fn resolve(self) -> Result<Explain, clap::Error> {
        let output = Target::new(self.output);
        let format = Offer::Tables.choose(self.format, &output)?;
        let ids = self
            .id
            .as_deref()
            .map(Selection::named)
            .transpose()
            .map_err(|error| unknown(&error))?;
        Ok(Explain { ids, format, output })
    }
}
