//! What one run keeps in memory, and the largest values.

use calipers_report::Report;

use super::wording::unknown;
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::tables;
use crate::value::free_formula;

/// Values that are listed.
const MOST: usize = 10;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let memory = &report.memory;
    if report.graph.nodes == 0 {
        return vec![];
    }
    let known = |value: Option<u64>, field: &str| match value {
        Some(value) => Value::LongBytes(value),
        None => unknown(report, &format!("memory.{field}")),
    };
    let mut facts = Facts::default();
    facts.add("Weights", known(memory.weights_bytes, "weights_bytes"));
    let peak = known(memory.peak_activation_bytes, "peak_activation_bytes");
    facts.add("Peak of activations", peak);
    let in_place = memory.peak_activation_in_place_bytes;
    facts.add("The same with reuse in place", in_place.map(Value::LongBytes));
    let at = memory.peak_at.as_ref().filter(|node| !node.is_empty());
    facts.add("Where it stands", at.map(Value::name));
    facts.add("Bytes there", free_formula(memory.formula.as_ref()));
    let mut blocks = vec![Block::Facts(facts)];
    let values = tables::largest_values(&memory.largest[..memory.largest.len().min(MOST)]);
    if !values.is_empty() {
        blocks.extend([Block::heading("Largest tensors"), Block::Table(values)]);
    }
    blocks
}
