//! Learned weights: how many, in what types, and which operators use them.

use calipers_report::{DType, Parameters};

use super::context::Context;
use super::wording::more;
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

/// Operators that a table shows, and those that a screen shows.
const SHOWN: usize = 8;
const BARS: usize = 5;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let parameters = &report.parameters;
    if context.is_brief() {
        return brief(context);
    }
    if report.graph.nodes == 0 && parameters.tensors == 0 {
        return vec![];
    }
    if parameters.stored_bytes == Some(0) && parameters.total == Some(0) {
        return vec![Block::paragraph(
            "The file stores no tensors, so the model has no parameters.",
        )];
    }
    let mut blocks = vec![Block::Facts(facts(context))];
    let by_op = &parameters.by_op;
    let shown = if by_op.len() <= SHOWN + 2 { by_op.len() } else { SHOWN };
    let mut users = vec![Block::Table(tables::parameters_by_operator(&by_op[..shown]))];
    users.extend(more(by_op.len() - shown, ["operator", "operators"]).map(Block::Paragraph));
    if !by_op.is_empty() {
        users.insert(0, Block::heading("Memory by operator"));
        blocks.push(Block::ChartOr { name: "parameters", rest: vec![], otherwise: users });
    }
    blocks
}

fn facts(context: &mut Context<'_>) -> Facts {
    let parameters = &context.report.parameters;
    let mut known = |value: Option<u64>, field: &str, set: fn(u64) -> Value| {
        context.known(&format!("parameters.{field}"), value, set)
    };
    let mut facts = Facts::default();
    let mut total = vec![known(parameters.total, "total", Value::LongCount)];
    // Where all are trainable, that is said in a word.
    match parameters.total.is_some() && parameters.total == parameters.trainable {
        true => total.push(Spans::plain("all trainable")),
        false => {
            let trainable = known(parameters.trainable, "trainable", Value::Integer);
            let others = known(parameters.non_trainable, "non_trainable", Value::Integer);
            total.push(Spans::plain("trainable ").and_all(trainable));
            total.push(Spans::plain("not trainable ").and_all(others));
        }
    }
    facts.add_all("Total", total);
    // The key figures name the only one.
    if parameters.by_dtype.len() > 1 {
        facts.add_all("By precision", by_precision(parameters));
    }
    let tensors = units::counted(parameters.tensors, "tensor", "tensors");
    let bytes = known(parameters.bytes, "bytes", Value::LongBytes);
    facts.add("Parameter size", bytes.and_text(format!(" in {tensors}")));
    let positive = |count: u64| (count > 0).then_some(Value::Integer(count));
    facts.add("Filled at load time", positive(parameters.generated));
    let constants = known(parameters.constants, "constants", Value::Integer);
    facts.add("Other constants (elements)", constants);
    facts.add("Scales and zero points (elements)", parameters.quantization.and_then(positive));
    let stored = known(parameters.stored_bytes, "stored_bytes", Value::LongBytes);
    facts.add("All stored tensors", stored);
    facts
}

/// Parameters of each type, the most frequent type first.
fn by_precision(parameters: &Parameters) -> Vec<Spans> {
    let mut by_dtype: Vec<_> = parameters.by_dtype.iter().collect();
    by_dtype.sort_by_key(|(_, elements)| std::cmp::Reverse(**elements));
    let value = |(dtype, elements): (&DType, &u64)| {
        Spans::from(Value::text(dtype.to_string()))
            .and_text(" ")
            .and_value(Value::Integer(*elements))
    };
    by_dtype.into_iter().map(value).collect()
}

/// Parameters in all, by precision, in bytes, and what is stored next to them.
fn brief(context: &mut Context<'_>) -> Vec<Block> {
    let mut facts = Facts::default();
    learned(context, &mut facts);
    stored(context, &mut facts);
    match context.report.parameters.total {
        // As the only row, the total needs no name.
        Some(0) if facts.0.len() == 1 => vec![Block::Values(vec![Spans::quiet("none")])],
        _ => vec![Block::Facts(facts)],
    }
}

fn learned(context: &mut Context<'_>, facts: &mut Facts) {
    let parameters = &context.report.parameters;
    let total = match parameters.total {
        Some(0) => Spans::plain("none"),
        Some(total) => Spans::toned(Tone::Strong, Value::LongCount(total)),
        None => context.unknown("parameters.total"),
    };
    let mut values = vec![total];
    // The usual case needs no row of its own.
    let all = parameters.total.is_some() && parameters.non_trainable == Some(0);
    if all && parameters.total != Some(0) {
        values.push(Spans::plain("all trainable"));
    }
    if parameters.tensors > 0 {
        values.push(Spans::plain(units::counted(parameters.tensors, "tensor", "tensors")));
    }
    facts.add_all("total", values);
    if parameters.total == Some(0) {
        return;
    }
    if !all {
        let mut known = |field: &str, value: Option<u64>| {
            context.known(&format!("parameters.{field}"), value, Value::Integer)
        };
        let trainable = known("trainable", parameters.trainable);
        let others = known("non_trainable", parameters.non_trainable);
        let others = Spans::plain("non-trainable ").and_all(others);
        facts.add_all("trainable", vec![trainable, others]);
    }
    facts.add_all("precision", by_precision(parameters));
    facts.add("size", context.known("parameters.bytes", parameters.bytes, Value::LongBytes));
    if parameters.generated > 0 {
        let elements = Spans::from(Value::Integer(parameters.generated));
        facts.add("generated", elements.and_text(" filled at load, not stored"));
    }
}

/// Stored tensors that are no parameters, and all of them together.
fn stored(context: &mut Context<'_>, facts: &mut Facts) {
    let report = context.report;
    let parameters = &report.parameters;
    let mut values = vec![];
    for (field, value, [one, many]) in [
        ("constants", parameters.constants, ["constant", "constants"]),
        (
            "quantization",
            parameters.quantization,
            ["scale or zero point", "scales and zero points"],
        ),
    ] {
        match value {
            Some(0) => {}
            Some(value) => values.push(Spans::plain(units::counted(value, one, many))),
            None => {
                let why = context.unknown(&format!("parameters.{field}"));
                values.push(Spans::plain(format!("{many} ")).and_all(why));
            }
        }
    }
    facts.add_all("other", values);
    // The section on memory begins with the same figure, where there is one.
    let is_shown = report.memory.weights_bytes.is_some();
    let bytes = parameters.stored_bytes;
    if bytes.is_none() || bytes != parameters.bytes && !is_shown {
        facts.add("in all", context.known("parameters.stored_bytes", bytes, Value::LongBytes));
    }
}

/// Bytes of parameters by the operator that uses them, for a screen.
pub(super) fn by_operator(context: &mut Context<'_>) -> Vec<Block> {
    let parameters = &context.report.parameters;
    let by_op = &parameters.by_op;
    // Folding one would save nothing.
    let shown = if by_op.len() > BARS + 1 { BARS } else { by_op.len() };
    let (shown, rest) = by_op.split_at(shown);
    let mut blocks = vec![Block::Table(tables::parameters_by_operator(shown).without_headings())];
    blocks.extend(more(rest.len(), ["kind", "kinds"]).map(|words| {
        // The unknown ones come last: where there is one among the folded, their sum is not known.
        let bytes: Option<u128> = rest.iter().map(|entry| entry.bytes.map(u128::from)).sum();
        let bytes = bytes.map_or_else(|| "unknown".to_owned(), units::bytes);
        Block::Note(words.and_quiet(format!(", {bytes}")))
    }));
    let is_lacking = match by_op.is_empty() {
        true => parameters.total.is_some(),
        false => by_op.iter().any(|entry| entry.bytes.is_none()),
    };
    if is_lacking && context.explains("parameters.by_op") {
        blocks.push(Block::Note(context.unknown("parameters.by_op")));
    }
    blocks
}
