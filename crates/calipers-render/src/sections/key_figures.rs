//! The model's figures at a glance.

use calipers_report::{Binding, Report, Severity, TaskKind};

use super::context::Context;
use super::memory::bounds;
use super::verification::statement;
use super::wording::{confidence_note, joined, precision};
use crate::document::{Block, Facts};
use crate::metadata;
use crate::table::Value;
use crate::units;
use crate::value::{Operation, Spans, free_formula};

/// Sizes that are listed.
const SIZES: usize = 8;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    vec![Block::Facts(facts(context.report))]
}

fn facts(report: &Report) -> Facts {
    let (cost, memory) = (&report.cost, &report.memory);
    let least = if cost.lower_bound { "at least " } else { "" };
    let mut facts = Facts::default();
    if report.task.kind != TaskKind::Unknown {
        let confidence = confidence_note(report.task.confidence);
        facts.add("Task", format!("{}{confidence}", report.task.kind.display_name()));
    }
    let parameters = &report.parameters;
    let count = parameters.total.map(units::count).map(|count| match precision(report) {
        Some(precision) if parameters.total != Some(0) => {
            Spans::plain(format!("{count}, ")).and_value(Value::Prose(precision))
        }
        _ => Spans::plain(count),
    });
    facts.add("Parameters", count);
    let weights = memory.weights_bytes.filter(|bytes| *bytes > 0);
    facts.add("Weights", weights.map(Value::Bytes));
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
    facts.add("Compute per run", macs.or(formula));
    let peak = memory.peak_activation_bytes.map(|bytes| Value::Bytes(bytes).into());
    facts.add("Peak activation memory", peak.or_else(|| bounds(memory, Value::Bytes)));
    let cache = memory.kv_cache.as_ref().and_then(|cache| cache.bytes_per_token);
    facts.add("KV cache", cache.map(|bytes| format!("{} per token", units::bytes(bytes))));
    facts.add("Verified by execution", report.verified.as_ref().map(statement));
    facts.add("Computed at", sizes(report));
    facts.add("License", metadata::license(report).map(Value::prose));
    facts
}

/// The sizes that the figures hold at.
fn sizes(report: &Report) -> Option<Spans> {
    let size =
        |name: &str, value: Value| Spans::from(Value::name(name)).and_text(" = ").and_value(value);
    let assumed = report.assumptions.iter().filter_map(|assumption| {
        let name = assumption.size_name()?;
        Some(size(name, Value::prose(&assumption.value)))
    });
    let bound = report.bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Size(bound) => Some(size(name, Value::Signed(*bound))),
        Binding::Free(_) => None,
    });
    joined(bound.chain(assumed).take(SIZES).collect(), ", ")
}

/// How many findings there are of each severity.
pub(super) fn counts(report: &Report) -> Option<String> {
    let number = |severity: Severity| {
        let found = report.findings.iter().filter(|finding| finding.severity == severity);
        u64::try_from(found.count()).unwrap_or(u64::MAX)
    };
    let counts: Vec<String> = [
        (number(Severity::Error), "error", "errors"),
        (number(Severity::Warning), "warning", "warnings"),
        (number(Severity::Info), "info", "info"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| units::counted(count, one, many))
    .collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}
