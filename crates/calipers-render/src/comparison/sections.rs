//! The document of two models: verdict, gates, interface, graph, weights, figures, findings.

use calipers_report::{Comparison, Finding, GateResult, Interface, TensorMatch};

use super::{figures, graph, weights};
use crate::document::{Block, Document, Message, Section};
use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

/// Findings of each kind that are listed.
const FINDINGS: usize = 12;
/// Names listed with a finding.
const NAMES: usize = 3;

/// Everything about two models.
pub fn document(comparison: &Comparison) -> Document {
    Document {
        title: title(comparison),
        facts: vec![],
        byline: None,
        sections: vec![
            verdict(comparison),
            gates(&comparison.gates),
            interface(&comparison.interface),
            graph::section(comparison.graph.as_ref()),
            tensors(comparison.tensors.as_ref()),
            weights::section(comparison.weights.as_ref()),
            Section::new("figures", "Figures", vec![Block::Table(figure_table(comparison))]),
            findings("new", "New findings", &comparison.findings.new),
            findings("resolved", "Resolved", &comparison.findings.resolved),
            Section::new(
                "notes",
                "Notes",
                vec![Block::list(comparison.notes.iter().map(|note| Value::quoted(note).into()))],
            ),
        ],
    }
}

/// `a.onnx → b.onnx`.
pub(super) fn title(comparison: &Comparison) -> Spans {
    Spans::from(Value::name(&comparison.a.label))
        .and_text(" → ")
        .and_value(Value::name(&comparison.b.label))
}

pub(super) fn figure_table(comparison: &Comparison) -> crate::table::Table {
    figures::figures(&comparison.figures, (&comparison.a.label, &comparison.b.label))
}

fn verdict(comparison: &Comparison) -> Section {
    let verdict = &comparison.verdict;
    let tone = if verdict.drop_in { Tone::Accent } else { Tone::Warning };
    Section::new(
        "verdict",
        "Verdict",
        vec![
            Block::Paragraph(Spans::toned(tone, Value::quoted(&verdict.compatibility))),
            Block::Paragraph(Value::quoted(&verdict.trade).into()),
        ],
    )
}

/// Gates, those that failed first.
pub(super) fn gates(gates: &[GateResult]) -> Section {
    let mut sorted: Vec<&GateResult> = gates.iter().collect();
    sorted.sort_by_key(|gate| gate.passed);
    let items = sorted.into_iter().map(gate);
    Section::new("gates", "Gates", vec![Block::list(items)])
}

pub(super) fn gate(gate: &GateResult) -> Spans {
    let (tone, word) = match gate.passed {
        true => (Tone::Accent, "passed"),
        false => (Tone::Error, "failed"),
    };
    Spans::toned(tone, Value::text(word))
        .and_text(" ")
        .and_value(Value::name(&gate.expression))
        .and_text(": ")
        .and_value(Value::quoted(&gate.detail))
}

pub(super) fn interface(interface: &Interface) -> Section {
    if !interface.not_compared.is_empty() {
        let why = Value::quoted(format!("Not compared: {}", interface.not_compared));
        return Section::new("interface", "Interface", vec![Block::Paragraph(why.into())]);
    }
    let blocks = match interface.changes.is_empty() {
        true => vec![Block::paragraph("Inputs, outputs and opsets are the same.")],
        false => {
            let items = interface.changes.iter().map(|change| {
                let detail = Value::quoted(crate::text::capitalized(&change.detail));
                match change.breaking {
                    true => Spans::toned(Tone::Warning, Value::text("breaks callers"))
                        .and_text(": ")
                        .and_value(detail),
                    false => Spans::from(detail),
                }
            });
            vec![Block::list(items)]
        }
    };
    Section::new("interface", "Interface", blocks)
}

/// Learned tensors that match by shape.
fn tensors(tensors: Option<&TensorMatch>) -> Section {
    let Some(tensors) = tensors else { return Section::new("tensors", "Tensors", vec![]) };
    let total = units::counted(tensors.tensors_a, "learned tensor", "learned tensors");
    let mut items = vec![Spans::plain(format!(
        "{} of {total} of A have the shape of one of B, {} of them also its name; B has {}",
        units::integer(tensors.matched),
        units::integer(tensors.same_name),
        units::integer(tensors.tensors_b)
    ))];
    for (side, names) in [("A", &tensors.only_a), ("B", &tensors.only_b)] {
        if let Some((first, rest)) = names.split_first() {
            let mut only = Spans::plain(format!("only in {side}: ")).and_value(Value::name(first));
            for name in rest {
                only = only.and_text(", ").and_value(Value::name(name));
            }
            items.push(only);
        }
    }
    Section::new("tensors", "Tensors", vec![Block::list(items)])
}

fn findings(id: &str, title: &str, findings: &[Finding]) -> Section {
    let messages = findings.iter().take(FINDINGS).map(|finding| {
        Block::Message(Message {
            severity: finding.severity,
            title: finding.title.clone(),
            detail: finding.detail.clone(),
            names: finding.nodes.iter().take(NAMES).cloned().collect(),
            has_more_names: finding.nodes.len() > NAMES,
            advice: match id {
                "new" => finding.recommendation.clone(),
                _ => String::new(),
            },
            command: String::new(),
        })
    });
    let mut blocks: Vec<Block> = messages.collect();
    if let Some(rest @ 1..) = findings.len().checked_sub(FINDINGS) {
        let more = units::counted(rest as u64, "other finding", "other findings");
        blocks.push(Block::Note(Spans::quiet(format!("and {more}"))));
    }
    Section::new(id, title, blocks)
}
