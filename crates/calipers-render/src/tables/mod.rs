//! The tables of the product, each defined once: from a part of the report to a [`Table`](crate::table::Table).
//!
//! ```
//! use calipers_render::{Style, csv, jsonl, tables, terminal};
//!
//! let table = tables::sweep(&calipers_report::SweepTable::default());
//! assert!(csv::table(&table).starts_with("macs,flops,"));
//! assert!(terminal::table(&table, &Style::plain(80)).contains("MACs"));
//! assert_eq!(jsonl::table(&table), "");
//! ```

mod benchmark;
mod cost;
mod devices;
mod figures;
mod graph;
mod hardware;
mod layers;
mod model;
mod rules;
mod shapes;
mod sweep;
mod verification;

use std::collections::BTreeMap;

pub use benchmark::{benchmark, block_times, node_times, operator_times, points};
use calipers_report::Assumption;
pub use cost::{formulas, operator_costs, top_groups, top_nodes, uncosted};
pub use devices::devices;
pub use figures::figures;
pub use graph::{assumptions, dimensions, functions, interface, operators, ports, unknown};
pub(crate) use graph::{brief_ports, dimension_lines};
pub(crate) use hardware::missing;
pub use hardware::{
    Scaling, device_comparison, hardware, memory_parts, requirements, scaling, top_kernels,
};
pub use layers::{layers, scopes};
pub use model::{
    blocks, data_files, largest_groups, largest_values, parameters_by_operator, tensor_ranges,
};
pub use rules::rules;
pub use shapes::shapes;
pub use sweep::sweep;
pub use verification::verification;

use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

/// Assumptions that are given before the rest is folded.
const ASSUMPTIONS: usize = 5;

/// The line for what was left out; nothing where nothing was.
fn more(count: u64, one: &str, many: &str) -> Option<Value> {
    let noun = if count == 1 { one } else { many };
    (count > 0).then(|| Value::text(format!("… and {} more {noun}", units::integer(count))))
}

/// That nodes have no known cost.
fn cost_lower_bound(unknown: u64) -> Spans {
    let nodes = units::counted(unknown, "node has", "nodes have");
    Spans::toned(Tone::Warning, Value::text(format!("{nodes} no known cost")))
        .and_quiet(", so the sums are lower bounds")
}

/// Sizes and roles that were assumed.
fn assumed(assumptions: &[Assumption]) -> Vec<Spans> {
    let mut rest = assumptions.iter();
    let line = |assumption: &Assumption| {
        Spans::plain("assumed ")
            .and_value(Value::prose(&assumption.what))
            .and_text(" = ")
            .and_value(Value::prose(&assumption.value))
            .and_quiet(": ")
            .and(Tone::Quiet, Value::prose(&assumption.why))
    };
    let mut lines: Vec<Spans> = rest.by_ref().take(ASSUMPTIONS).map(line).collect();
    let rest = u64::try_from(rest.len()).unwrap_or(u64::MAX);
    lines.extend(more(rest, "assumption", "assumptions").map(|it| Spans::toned(Tone::Quiet, it)));
    lines
}

/// Dimensions that the data decides, with what decides them.
fn data_dependent(dims: &BTreeMap<String, String>) -> Vec<Spans> {
    let line = |(name, why): (&String, &String)| {
        Spans::from(Value::name(name)).and_quiet("  ").and(Tone::Quiet, Value::prose(why))
    };
    dims.iter().map(line).collect()
}
