//! What the weights hold, where they were read.

use calipers_report::Report;

use crate::document::{Block, Facts};
use crate::table::Value;
use crate::value::Spans;
use crate::{tables, units};

/// Tensors that are listed.
const MOST: usize = 200;
/// Tensors that could not be read and are named.
const UNREAD: usize = 5;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let Some(weights) = &report.weights else { return vec![] };
    let some = |count: u64| (count > 0).then_some(Value::Integer(count));
    let bytes = |count: u64| (count > 0).then_some(Value::LongBytes(count));
    let mut facts = Facts::default();
    let read = units::counted(weights.tensors, "tensor", "tensors");
    facts.add("Read", format!("{read}, {}", units::bytes(weights.bytes)));
    facts.add("Tensors that could not be read", some(weights.unread));
    facts.add("Not a number", Value::Integer(weights.nan));
    facts.add("Infinite", Value::Integer(weights.infinite));
    facts.add("Subnormal", some(weights.subnormal));
    let zeros = units::percent(weights.sparsity_percent);
    facts.add("Zeros", format!("{} ({zeros})", units::integer(weights.zeros)));
    facts.add("Dead output channels", Value::Integer(weights.dead_channels));
    facts.add("Stored a second time", bytes(weights.duplicate_bytes));
    facts.add("Exact in float16", bytes(weights.fits_float16_bytes));
    facts.add("Exact in bfloat16", bytes(weights.fits_bfloat16_bytes));
    let unread = weights.unread_tensors.iter().take(UNREAD).map(|tensor| {
        Spans::from(Value::name(&tensor.name))
            .and_text(": ")
            .and_value(Value::prose(&tensor.reason))
    });
    let ranges = tables::tensor_ranges(&weights.ranges[..weights.ranges.len().min(MOST)]);
    vec![
        Block::Facts(facts),
        Block::list(unread),
        Block::fold("Range of each tensor", vec![Block::Table(ranges)]),
    ]
}
