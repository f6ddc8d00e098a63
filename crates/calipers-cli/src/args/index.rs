//! What `calipers index` is given.

use std::path::PathBuf;

use clap::Args;

use crate::commands::Index;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers scan models/ -o dataset && calipers index dataset
  calipers index dataset -o public/models.html

The page opens from disk and makes no request. See docs/guide/registry.md.";

#[derive(Args, Debug)]
pub(super) struct IndexArgs {
    /// Dataset that `calipers scan` wrote, as Parquet or JSON lines
    #[arg(value_name = "DIR")]
    dataset: PathBuf,

    /// Page to write [default: index.html in the dataset's folder]
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
}

impl IndexArgs {
    pub(super) fn resolve(self) -> Index {
        let output = self.output.unwrap_or_else(|| self.dataset.join("index.html"));
        Index { dataset: self.dataset, output }
    }
}
