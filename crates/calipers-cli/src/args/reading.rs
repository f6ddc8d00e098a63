//! What the commands that write a whole report are given also the model.

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
            bindings: self.bind.resolve()?,
            wanted: self.wanted.resolve(),
            gate,
            summary: self.summary.resolve()?,
            privacy: self.privacy.resolve(),
        })
    }
}
