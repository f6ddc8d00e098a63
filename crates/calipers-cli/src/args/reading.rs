//! What the commands that write a whole report are given also the model.

use calipers_report::quantities::parse_bytes;
use clap::Args;

use super::BindArgs;
use super::findings::{GateArgs, refuse_unread};
use super::hardware::WantedArgs;
use super::summary::{PrivacyArgs, SummaryArgs};
use crate::commands::Reading;

#[derive(Args, Debug)]
pub(super) struct ReadingArgs {
    /// Also give SHA-256 of the model and its data files, which reads every byte of them
    #[arg(long)]
    sha256: bool,

    /// Also read every weight: NaN, dead filters, duplicates, ranges
    #[arg(long)]
    weights: bool,

    /// Weights to read at most, such as 500MB or 2TB; the rest is reported as not read
    /// [default: 200GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "weights")]
    max_bytes: Option<u64>,

    /// Also execute the model with ONNX Runtime and compare every type and shape; weights that are
    /// missing are random
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    wanted: WantedArgs,
    #[command(flatten)]
    gate: GateArgs,
    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    summary: SummaryArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl ReadingArgs {
    pub(super) fn is_given(&self) -> bool {
        self.sha256
            || self.weights
            || self.max_bytes.is_some()
            || self.verify
            || self.wanted.is_given()
            || self.gate.is_given()
            || self.bind.is_given()
            || self.summary.is_given()
            || self.privacy.is_given()
    }

    pub(super) fn resolve(self) -> Result<Reading, clap::Error> {
        let gate = self.gate.resolve()?;
        refuse_unread(&gate, self.weights)?;
        Ok(Reading {
            sha256: self.sha256,
            weights: self.weights,
            max_bytes: self.max_bytes,
            verify: self.verify,
            bindings: self.bind.resolve()?,
            wanted: self.wanted.resolve(),
            gate,
            summary: self.summary.resolve()?,
            privacy: self.privacy.resolve(),
        })
    }
}
