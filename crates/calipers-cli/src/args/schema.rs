//! What `calipers schema` is given.

use clap::{Args, ValueEnum};

use crate::commands::Schema;

pub(super) const EXAMPLES: &str = "\
Examples:
  calipers schema
  calipers schema layers
  calipers schema card";

/// A command that writes JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// The report.
    Inspect,
    /// The key figures of one model: a line of `card --format jsonl`.
    Card,
    /// The findings.
    Check,
    /// The comparison of two models.
    Compare,
    /// The comparison of three models and more.
    CompareTable,
    /// The table of nodes.
    Layers,
    /// The graph as groups.
    Graph,
    /// The answers about hardware.
    Hardware,
    /// The table of sizes.
    Sweep,
    /// The table of values.
    Shapes,
    /// The result of a run.
    Run,
    /// The measured latency, throughput and memory.
    Bench,
    /// The comparison of inferred shapes with an execution.
    Verify,
}

#[derive(Args, Debug)]
pub(super) struct SchemaArgs {
    /// Whose JSON it describes
    #[arg(value_name = "COMMAND", default_value = "inspect")]
    of: SchemaOf,
}

impl SchemaArgs {
    pub(super) fn resolve(self) -> Schema {
        Schema { of: self.of }
    }
}
