//! What the weights hold, where they were read.

use calipers_report::{TensorRange, Weights};

use super::context::Context;
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

/// Tensors that are listed.
const MOST: usize = 200;
/// Tensors that could not be read and are named.
const UNREAD: usize = 5;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(weights) = &report.weights else { return vec![] };
    if context.is_brief() {
        return vec![Block::Facts(brief(weights, context))];
    }
    let positive = |count: u64| (count > 0).then_some(Value::Integer(count));
    let bytes = |count: u64| (count > 0).then_some(Value::LongBytes(count));
    let mut facts = Facts::default();
    let read = units::counted(weights.tensors, "tensor", "tensors");
    facts.add("Read", format!("{read}, {}", units::bytes(weights.bytes)));
    facts.add("Unreadable tensors", positive(weights.unread));
    facts.add("NaN", Value::Integer(weights.nan));
    facts.add("Infinite", Value::Integer(weights.infinite));
    facts.add("Subnormal", positive(weights.subnormal));
    let zeros = units::percent(weights.sparsity_percent);
    facts.add("Zeros", format!("{} ({zeros})", units::integer(weights.zeros)));
    facts.add("Dead output channels", Value::Integer(weights.dead_channels));
    facts.add("Duplicated", bytes(weights.duplicate_bytes));
    facts.add("Representable in float16", bytes(weights.fits_float16_bytes));
    facts.add("Representable in bfloat16", bytes(weights.fits_bfloat16_bytes));
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

/// Totals of the weights.
fn brief(weights: &Weights, context: &mut Context<'_>) -> Facts {
    let mut facts = Facts::default();
    let tensors = units::counted(weights.tensors, "tensor", "tensors");
    let mut read = vec![Spans::plain(format!("{} in {tensors}", units::bytes(weights.bytes)))];
    if weights.unread > 0 {
        let unread = units::counted(weights.unread, "tensor", "tensors");
        read.push(Spans::toned(Tone::Warning, Value::text(format!("{unread} unreadable"))));
    }
    facts.add_all("read", read);
    if weights.elements > 0 {
        facts.add_all("elements", elements(weights));
        if let Some(widest) = widest(weights) {
            let range = format!("{} to {}", element(widest.min), element(widest.max));
            let name = Spans::plain("widest in ").and_value(Value::name(&widest.name));
            facts.add_all("range", vec![Spans::plain(range), name]);
        }
    }
    if context.explains("weights.unread") {
        facts.add("not read", context.unknown("weights.unread"));
    }
    facts
}

fn elements(weights: &Weights) -> Vec<Spans> {
    let count = |number: u64, what: &str| format!("{} {what}", units::integer(number));
    let mut values = match (weights.nan, weights.infinite) {
        (0, 0) => vec!["all finite".to_owned()],
        (nan, infinite) => vec![count(nan, "NaN"), count(infinite, "infinite")],
    };
    if weights.subnormal > 0 {
        values.push(count(weights.subnormal, "subnormal"));
    }
    values.push(format!("{} zeros", units::percent(weights.sparsity_percent)));
    if weights.dead_channels > 0 {
        values.push(units::counted(weights.dead_channels, "dead channel", "dead channels"));
    }
    if weights.duplicate_bytes > 0 {
        values.push(format!("{} duplicated", units::bytes(weights.duplicate_bytes)));
    }
    values.into_iter().map(Spans::plain).collect()
}

/// A number to four digits, as a power of ten where it is very large or small.
fn element(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        0.001..1e5 => format!("{number:.4}"),
        _ => format!("{number:.3e}"),
    }
}

/// The tensor with the widest range, the first among equals.
fn widest(weights: &Weights) -> Option<&TensorRange> {
    let width = |range: &TensorRange| range.max - range.min;
    let ranges = weights.ranges.iter().rev();
    ranges.max_by(|a, b| width(a).total_cmp(&width(b)))
}
