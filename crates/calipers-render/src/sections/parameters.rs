//! Learned weights: how many, in what types, and which operators use them.

use calipers_report::Report;

use super::wording::{joined, unknown};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::tables;
use crate::value::Spans;

/// Operators that are listed.
const MOST: usize = 20;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let parameters = &report.parameters;
    if report.graph.nodes == 0 && parameters.tensors == 0 {
        return vec![];
    }
    if parameters.stored_bytes == Some(0) && parameters.total == Some(0) {
        return vec![Block::paragraph("The file stores no tensor, so there is none to learn.")];
    }
    let mut blocks = vec![Block::Facts(facts(report))];
    let by_op = &parameters.by_op;
    let users = tables::parameters_by_operator(&by_op[..by_op.len().min(MOST)]);
    if !users.is_empty() {
        blocks.extend([Block::heading("Memory by operator"), Block::Table(users)]);
    }
    blocks
}

fn facts(report: &Report) -> Facts {
    let parameters = &report.parameters;
    let known = |value: Option<u64>, field: &str, set: fn(u64) -> Value| match value {
        Some(value) => set(value),
        None => unknown(report, &format!("parameters.{field}")),
    };
    let some = |count: u64| (count > 0).then_some(Value::Integer(count));
    let mut facts = Facts::default();
    facts.add("Total", known(parameters.total, "total", Value::LongCount));
    facts.add("Trainable", known(parameters.trainable, "trainable", Value::Integer));
    facts.add("Not trainable", known(parameters.non_trainable, "non_trainable", Value::Integer));
    let types = parameters.by_dtype.iter().map(|(dtype, elements)| {
        Spans::from(Value::prose(dtype)).and_text(" ").and_value(Value::Integer(*elements))
    });
    facts.add("By precision", joined(types.collect(), " · "));
    facts.add("Size", known(parameters.bytes, "bytes", Value::LongBytes));
    facts.add("Tensors", Value::Integer(parameters.tensors));
    facts.add("Filled at load time", some(parameters.generated));
    let constants = known(parameters.constants, "constants", Value::Integer);
    facts.add("Constants besides, no parameters", constants);
    facts.add("Scales and zero points besides", parameters.quantization.and_then(some));
    let stored = known(parameters.stored_bytes, "stored_bytes", Value::LongBytes);
    facts.add("All stored tensors", stored);
    facts
}
