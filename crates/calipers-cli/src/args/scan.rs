//! What `calipers scan` is given.

use std::path::PathBuf;

use calipers_scan::{Format, Table};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::BindArgs;
use super::bind::parse_positive;
use super::summary::PrivacyArgs;
use crate::commands::Scan;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers scan models/ -o dataset
  calipers scan s3://bucket/models -o dataset
  calipers scan --list addresses.txt -o dataset --threads 16
  calipers scan models/ -o dataset --tables models,findings
  calipers scan models/ -o dataset --device rtx-4090 --prune
  calipers index dataset

A scan can be interrupted at any time; the same command goes on with it.
Unreadable files are rows with their error. See docs/guide/scan.md for the
columns and for queries.";

#[derive(Args, Debug)]
pub(super) struct ScanArgs {
    /// Model files, folders to search, patterns with * ** and ?, URLs, or bucket prefixes
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    models: Vec<PathBuf>,

    /// Text file with a path or URL per line; `-` is standard input
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,

    /// Folder of the dataset, created if missing
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,

    /// Format of the tables
    #[arg(long, default_value = "parquet", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::extension)))]
    format: String,

    /// Only these tables, and `models`
    #[arg(long, value_name = "ID,ID,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(Table::ALL.map(Table::id)))]
    tables: Vec<String>,

    /// Models read at the same time [default: one per core, 16 per core on servers]
    #[arg(long, value_name = "N", value_parser = parse_positive)]
    threads: Option<usize>,

    /// Also estimate latency and memory on this device
    #[arg(long, value_name = "ID")]
    device: Option<String>,

    /// Remove models from the dataset that were not found in this scan
    #[arg(long)]
    prune: bool,

    #[command(flatten)]
    bind: BindArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
}

impl ScanArgs {
    pub(super) fn resolve(self) -> Result<Scan, clap::Error> {
        let format = Format::ALL.into_iter().find(|format| format.extension() == self.format);
        let format = format.unwrap_or_default();
        let tables: Vec<Table> = match self.tables.is_empty() {
            true => Table::ALL.to_vec(),
            false => self.tables.iter().filter_map(|id| Table::from_id(id)).collect(),
        };
        Ok(Scan {
            models: self.models,
            list: self.list,
            output: self.output,
            format,
            tables,
            threads: self.threads.unwrap_or(0),
            device: self.device,
            prune: self.prune,
            bindings: self.bind.resolve()?,
            privacy: self.privacy.resolve(),
        })
    }
}
