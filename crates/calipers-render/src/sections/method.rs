//! How the figures were made: conventions, assumptions, and what is not known.

use calipers_report::Report;

use crate::document::Block;
use crate::table::Value;
use crate::value::Spans;
use crate::{tables, text};

/// Assumptions, and unknown figures, that are listed.
const MOST: usize = 100;

/// What holds for every card.
const CONVENTIONS: [&str; 4] = [
    "Units are decimal: 1 kB is 1,000 bytes, 1 MB is 10⁶ bytes.",
    "MACs are multiply-accumulates of convolutions, matrix products, attention and recurrence; \
     FLOPs are twice those. Element-wise work, norms and reductions stand beside them.",
    "Parameters are learned weights, each stored tensor once. Shape constants, scales and zero \
     points are counted apart.",
    "The peak of activations follows the order of execution, with inputs and outputs; what is \
     computed from constants alone is no activation.",
];

/// What holds where the weights were not read.
const GRAPH_ALONE: &str = "The graph was read, and no weight.";

pub(super) fn build(report: &Report) -> Vec<Block> {
    if report.graph.nodes == 0 && report.unknown.is_empty() && report.assumptions.is_empty() {
        return vec![];
    }
    let mut items: Vec<Spans> = CONVENTIONS.iter().map(|words| Spans::plain(*words)).collect();
    if report.weights.is_none() && report.model.sha256.is_none() {
        items.push(GRAPH_ALONE.into());
    }
    if let Some(hardware) = &report.hardware {
        let method = hardware.method.iter().take(MOST);
        items.extend(method.map(|words| Value::Quoted(text::sentence(words)).into()));
    }
    let mut blocks = vec![Block::list(items)];
    let hardware = report.hardware.iter().flat_map(|hardware| &hardware.assumptions);
    let assumptions = report.assumptions.iter().chain(hardware).take(MOST);
    for (heading, table) in [
        ("Assumptions", tables::assumptions(assumptions)),
        ("Not known", tables::unknown(&report.unknown[..report.unknown.len().min(MOST)])),
    ] {
        if !table.is_empty() {
            blocks.extend([Block::heading(heading), Block::Table(table)]);
        }
    }
    blocks
}
