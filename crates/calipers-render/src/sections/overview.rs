//! What the model is, in a paragraph, and its figures at a glance.

use calipers_report::{Binding, Confidence, Report, Severity, TaskKind};

use super::context::Context;
use super::wording::{certainty, joined, quoted};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::units;
use crate::value::{Operation, Spans, free_formula};

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    vec![Block::Paragraph(paragraph(report)), Block::Facts(glance(report))]
}

fn paragraph(report: &Report) -> Spans {
    let architecture = &report.architecture;
    let mut words = Spans::from(Value::prose(&architecture.words));
    if architecture.words.trim().is_empty() && report.graph.nodes > 0 {
        let nodes = units::counted(report.graph.nodes, "node", "nodes");
        words = format!("A graph of {nodes} that is no kind of network known to Calipers.").into();
    }
    if !architecture.evidence.is_empty() {
        let seen = match architecture.confidence {
            _ if architecture.kind.is_none() => "What was seen in the graph",
            Confidence::High => "The graph shows it",
            Confidence::Medium => "That is likely, not certain; the graph shows",
            Confidence::Low => "That is a guess; the graph shows",
        };
        let evidence = Spans::joined(quoted(&architecture.evidence, 3), "; ");
        words = words.and_text(format!(" {seen}: ")).and_all(evidence).and_text(".");
    }
    words
}

fn glance(report: &Report) -> Facts {
    let (cost, memory) = (&report.cost, &report.memory);
    let least = if cost.lower_bound { "at least " } else { "" };
    let mut facts = Facts::default();
    if report.task.kind != TaskKind::Unknown {
        let task = Spans::plain(report.task.kind.display_name());
        facts.add("Task", task.and_text(format!(" ({})", certainty(report.task.confidence))));
    }
    let parameters = &report.parameters;
    facts.add(
        "Parameters",
        parameters.total.map(|total| match parameters.bytes.filter(|_| total > 0) {
            Some(bytes) => format!("{}, {}", units::count(total), units::bytes(bytes)),
            None => units::count(total),
        }),
    );
    let macs = cost.macs.filter(|macs| *macs > 0).map(|macs| {
        let words = match cost.flops() {
            Some(flops) => Spans::plain(least)
                .and_value(Value::Operations(flops, Operation::Flops))
                .and_text(" = "),
            None => Spans::plain(least),
        };
        words.and_value(Value::Operations(macs, Operation::Macs))
    });
    let formula = free_formula(cost.formula.get("macs"))
        .map(|formula| Spans::plain(least).and_value(formula).and_text(" MACs"));
    facts.add("Compute of one run", macs.or(formula));
    facts.add("Activations at their peak", memory.peak_activation_bytes.map(Value::Bytes));
    let cache = memory.kv_cache.as_ref().and_then(|cache| cache.bytes_per_token);
    facts.add("KV cache", cache.map(|bytes| format!("{} a token", units::bytes(bytes))));
    facts.add("At", sizes(report));
    facts.add("Findings", counts(report));
    facts
}

/// The sizes that the figures hold at.
fn sizes(report: &Report) -> Option<Spans> {
    let size =
        |name: &str, value: Value| Spans::from(Value::name(name)).and_text(" = ").and_value(value);
    let assumed = report.assumptions.iter().filter_map(|assumption| {
        let name = assumption.what.strip_prefix("dimension ")?;
        Some(size(name, Value::prose(&assumption.value)))
    });
    let bound = report.bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Size(bound) => Some(size(name, Value::Signed(*bound))),
        Binding::Free(_) => None,
    });
    joined(bound.chain(assumed).take(8).collect(), ", ")
}

/// How many findings there are of each severity.
pub(super) fn counts(report: &Report) -> Option<String> {
    let of = |severity: Severity| {
        let found = report.findings.iter().filter(|finding| finding.severity == severity);
        u64::try_from(found.count()).unwrap_or(u64::MAX)
    };
    let counts: Vec<String> = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Warning), "warning", "warnings"),
        (of(Severity::Info), "note", "notes"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| units::counted(count, one, many))
    .collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}
