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

    /// Weights to read at most, such as 500MB or 2TB; the rest is reported as not read
    /// [default: 200GB]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, requires = "weights")]
    max_bytes: Option<u64>,

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
            bindings: self.bind.resolve()?,
            wanted: self.wanted.resolve(),
            gate,
            summary: self.summary.resolve()?,
            privacy: self.privacy.resolve(),
        })
    }
}

/// Units of a size, by their spelling in capitals.
const UNITS: [(&str, u64); 9] = [
    ("KIB", 1 << 10),
    ("MIB", 1 << 20),
    ("GIB", 1 << 30),
    ("TIB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
];

/// Parses a size in bytes: `1000`, `500MB`, `2 TB`, `64GiB`.
pub(super) fn parse_bytes(text: &str) -> Result<u64, String> {
    let capitals = text.trim().to_ascii_uppercase();
    let unit = UNITS.iter().find_map(|(unit, bytes)| Some((capitals.strip_suffix(unit)?, *bytes)));
    let (number, unit) = unit.unwrap_or((&capitals, 1));
    let bytes = number.trim().parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or_else(|| "must be a size such as 500MB, 200GB or 2TB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in
            [("0", 0), ("17b", 17), ("500MB", 500_000_000), ("2 TB", 2_000_000_000_000)]
        {
            assert_eq!(parse_bytes(text), Ok(bytes), "{text}");
        }
        assert_eq!(parse_bytes("64GiB"), Ok(64 << 30));
        for text in ["", "GB", "-1GB", "1.5GB", "1XB", "99999999999TB"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
