//! What one run keeps in memory, and the largest values.

use calipers_report::Memory;

use super::cache;
use super::context::Context;
use crate::document::{Block, Fact, Facts};
use crate::repeats::repeated;
use crate::table::Value;
use crate::units;
use crate::value::{Spans, free_formula};

/// Values that are listed.
const MOST: usize = 3;
/// Lines of a formula on a screen.
const LINES: usize = 2;

const PEAK: &str = "memory.peak_activation_bytes";
const IN_PLACE: &str = "memory.peak_activation_in_place_bytes";

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let memory = &report.memory;
    if context.is_brief() {
        return vec![Block::Facts(brief(context))];
    }
    if report.graph.nodes == 0 {
        return vec![];
    }
    let mut facts = Facts::default();
    let weights = context.known("memory.weights_bytes", memory.weights_bytes, Value::LongBytes);
    facts.add(
        "Weights",
        weights.and_text(if memory.weights_bytes.is_some() { ", all stored tensors" } else { "" }),
    );
    let peak = peak(context, Value::LongBytes);
    facts.add(
        "Peak activations",
        peak.and_text(match memory.peak_activation_bytes {
            Some(_) => ", the figure to budget with",
            None => "",
        }),
    );
    let in_place = memory.peak_activation_in_place_bytes;
    let in_place = in_place.filter(|_| in_place != memory.peak_activation_bytes);
    let in_place = in_place.map(|bytes| Spans::from(Value::LongBytes(bytes)));
    let in_place = in_place.map(|bytes| bytes.and_text(", if the runtime reuses buffers"));
    facts.add("Peak with in-place reuse", in_place);
    facts.add("Peak at node", peak_node(context));
    facts.add("Peak formula (bytes)", free_formula(memory.formula.as_ref()));
    let mut blocks = vec![Block::Facts(facts)];
    let groups = memory.largest_groups.iter().take(MOST).map(|group| {
        let each = if group.count > 1 { " each" } else { "" };
        repeated(&group.names, group.count)
            .and_text(", ")
            .and_value(Value::name(&group.type_text))
            .and_text(format!(": {}{each}", units::bytes(group.bytes)))
    });
    let groups: Vec<Spans> = groups.collect();
    if !groups.is_empty() {
        blocks.extend([Block::heading("Largest tensors"), Block::list(groups)]);
    }
    blocks
}

/// The peak of activations, or its bounds and why it is unknown.
pub(super) fn peak(context: &mut Context<'_>, set: fn(u64) -> Value) -> Spans {
    let memory = &context.report.memory;
    match bounds(memory, set) {
        Some(bounds) => bounds.and_text("; exact peak ").and_all(context.unknown(PEAK)),
        None => context.known(PEAK, memory.peak_activation_bytes, set),
    }
}

/// The bounds of a peak that is unknown; `None` where it is known, or nothing bounds it.
pub(super) fn bounds(memory: &Memory, set: fn(u64) -> Value) -> Option<Spans> {
    if memory.peak_activation_bytes.is_some() {
        return None;
    }
    let least = memory.peak_activation_lower_bound_bytes?;
    let bounds = Spans::from(Value::AtLeast(Box::new(set(least))));
    Some(match memory.peak_activation_upper_bound_bytes {
        Some(most) => bounds.and_text(", at most ").and_value(set(most)),
        None => bounds,
    })
}

fn peak_node(context: &Context<'_>) -> Option<Value> {
    let node = context.report.memory.peak_at.as_ref();
    node.filter(|node| !node.is_empty()).map(Value::name)
}

/// Weights, activations at their peak, and the cache of keys and values.
fn brief(context: &mut Context<'_>) -> Facts {
    let memory = &context.report.memory;
    let mut facts = Facts::default();
    let weights = memory.weights_bytes.filter(|bytes| *bytes > 0);
    facts.add("weights", weights.map(Value::LongBytes));
    facts.push(activations(context));
    if memory.peak_activation_bytes.is_some() {
        facts.add("peak at", peak_node(context));
    }
    facts.add("over time", Value::Timeline(memory.timeline.clone()));
    facts.add_all("KV cache", memory.kv_cache.as_ref().map(cache::brief).unwrap_or_default());
    facts
}

fn activations(context: &mut Context<'_>) -> Fact {
    let memory = &context.report.memory;
    let fact = |values| Fact::new("activations", values);
    let Some(most) = memory.peak_activation_bytes else {
        if let Some(formula) = &memory.formula {
            context.settle(PEAK);
            context.settle(IN_PLACE);
            let formula = Spans::from(Value::prose(formula)).and_quiet(" bytes");
            return fact(vec![formula]).lines(LINES);
        }
        if !context.explains(PEAK) {
            return fact(vec![]);
        }
        let why = peak(context, Value::LongBytes);
        context.settle(IN_PLACE);
        return fact(vec![why]);
    };
    let mut values = vec![Value::LongBytes(most).into()];
    match memory.peak_activation_in_place_bytes {
        Some(bytes) if bytes < most => {
            values.push(Spans::from(Value::Bytes(bytes)).and_text(" in place"));
        }
        None if context.explains(IN_PLACE) => {
            values.push(Spans::plain("in place ").and_all(context.unknown(IN_PLACE)));
        }
        _ => {}
    }
    fact(values)
}
