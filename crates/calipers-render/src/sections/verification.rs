//! What an execution showed of the inferred types and shapes.

use calipers_report::{ComparedBytes, Execution, NodeCounts, SkippedValue, Verification};

use super::context::Context;
use crate::document::{Block, Document, Facts, Section};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

/// Values of a list that are shown; the JSON names more.
const SHOWN: usize = 20;

/// The verification as a document.
pub fn verification(verified: &Verification) -> Document {
    let mut facts = Facts::default();
    facts.add("Verified by execution", statement(verified));
    if verified.synthesized_weights {
        facts.add("Weights", Value::text("synthesized: the file of the weights is missing"));
    }
    if let Some(counts) = &verified.nodes {
        facts.add("Nodes executed", nodes(counts));
    }
    if verified.data_dependent > 0 {
        let count = units::counted(verified.data_dependent, "value has", "values have");
        facts.add("Data-dependent", format!("{count} a dimension that the data decides"));
    }
    if verified.inner_nodes > 0 {
        let count = units::counted(verified.inner_nodes, "node", "nodes");
        facts.add("Not exposed", format!("values of {count} inside subgraphs and functions"));
    }
    let mut sections = vec![Section::new("result", "Result", vec![Block::Facts(facts)])];
    let runs = verified.executions.iter().map(execution).collect();
    sections.push(Section::new("executions", "Executions", vec![Block::Values(runs)]));
    if !verified.different.is_empty() {
        let table = tables::verification(verified);
        sections.push(Section::new("different", "Different", vec![Block::Table(table)]));
    }
    sections.push(skipped("not-run", "Not run", &verified.not_run));
    sections.push(skipped("not-inferred", "Not inferred", &verified.not_inferred));
    sections.retain(|section| !section.is_empty());
    Document {
        title: Value::name(&verified.model).into(),
        facts: vec![Value::prose(&verified.runtime).into()],
        byline: None,
        sections,
    }
}

/// The result in one line, for the overview.
pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let verified = context.report.verified.as_ref();
    let line = verified.map(|it| Spans::plain("by execution: ").and_all(statement(it)));
    vec![Block::Values(line.into_iter().collect())]
}

/// How much was verified, e.g. `1,163 of 1,163 values, ONNX Runtime 1.31.1`.
pub(super) fn statement(verified: &Verification) -> Spans {
    let equal = units::integer(verified.equal);
    let values = units::counted(verified.values, "value", "values");
    let tone = if verified.is_equal() { Tone::Plain } else { Tone::Error };
    Spans::toned(tone, Value::text(format!("{equal} of {values}")))
        .and_text(", ")
        .and_value(Value::prose(&verified.runtime))
        .and_text(if verified.synthesized_weights { ", random weights" } else { "" })
}

/// How many nodes ran. Constants are not nodes that run.
fn nodes(counts: &NodeCounts) -> Spans {
    let expected = units::counted(counts.expected, "node", "nodes");
    let words = format!("{} of {expected}", units::integer(counts.executed));
    let removed = counts.expected.saturating_sub(counts.executed);
    let changes = [("removed", removed), ("added", counts.added_by_runtime)]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!(", {} {what} by the runtime", units::integer(count)));
    Spans::plain(words + &changes.collect::<String>())
}

fn execution(run: &Execution) -> Spans {
    let sizes = run.sizes.iter().map(|(name, size)| {
        Spans::from(Value::name(name)).and_text(" = ").and_value(Value::Signed(*size))
    });
    let mut line = match run.sizes.is_empty() {
        true => Spans::plain("sizes of the file"),
        false => Spans::joined(sizes, ", "),
    };
    if let Some(error) = &run.error {
        return line.and_text(": not run: ").and_value(Value::prose(error));
    }
    line = line.and_text(format!(": {}", units::counted(run.values, "value", "values")));
    for (name, bytes) in
        [("peak activations", run.peak_activation_bytes), ("KV cache", run.kv_cache_bytes)]
    {
        if let Some(bytes) = bytes {
            line = line.and_text(format!(", {name} ")).and_all(compared(bytes));
        }
    }
    line
}

fn compared(bytes: ComparedBytes) -> Spans {
    let ComparedBytes { inferred, observed } = bytes;
    match inferred == observed {
        true => Spans::from(Value::Bytes(observed)),
        false => Spans::toned(Tone::Error, Value::Bytes(observed))
            .and_text(" (inferred ")
            .and_value(Value::Bytes(inferred))
            .and_text(")"),
    }
}

fn skipped(id: &str, title: &str, values: &[SkippedValue]) -> Section {
    let mut lines: Vec<Spans> = values
        .iter()
        .take(SHOWN)
        .map(|value| {
            Spans::from(Value::name(&value.value))
                .and_text(": ")
                .and_value(Value::quoted(&value.reason))
        })
        .collect();
    if values.len() > SHOWN {
        lines.push(Spans::quiet(format!("and {} more", values.len() - SHOWN)));
    }
    Section::new(id, title, vec![Block::Values(lines)])
}
