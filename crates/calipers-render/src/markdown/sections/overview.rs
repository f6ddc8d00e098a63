//! What the model is, in a paragraph, and its figures at a glance.

use calipers_report::{Binding, Confidence, Report, Severity, TaskKind};

use crate::markdown::escape::{code, plain, told};
use crate::markdown::page::Page;
use crate::markdown::table::Table;
use crate::markdown::words::{formula, spaced, sure};
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    page.text(paragraph(report));
    page.table(&glance(report));
}

fn paragraph(report: &Report) -> String {
    let architecture = &report.architecture;
    let mut words = plain(&architecture.words);
    if words.is_empty() && report.graph.nodes > 0 {
        let nodes = units::counted(report.graph.nodes, "node", "nodes");
        words = format!("A graph of {nodes} that is no kind of network known to Calipers.");
    }
    if !architecture.evidence.is_empty() {
        let evidence: Vec<String> =
            architecture.evidence.iter().take(3).map(|words| told(words)).collect();
        let seen = match architecture.confidence {
            _ if architecture.kind.is_none() => "What was seen in the graph",
            Confidence::High => "The graph shows it",
            Confidence::Medium => "That is likely, not certain; the graph shows",
            Confidence::Low => "That is a guess; the graph shows",
        };
        words += &format!(" {seen}: {}.", evidence.join("; "));
    }
    words
}

fn glance(report: &Report) -> Table {
    let (cost, memory) = (&report.cost, &report.memory);
    let least = if cost.lower_bound { "at least " } else { "" };
    let mut table = Table::facts();
    if report.task.kind != TaskKind::Unknown {
        let task =
            format!("{} ({})", plain(&spaced(report.task.kind.id())), sure(report.task.confidence));
        table.fact("Task", task);
    }
    let parameters = &report.parameters;
    table.fact(
        "Parameters",
        parameters.total.map(|total| match parameters.bytes.filter(|_| total > 0) {
            Some(bytes) => format!("{}, {}", units::count(total), units::bytes(bytes)),
            None => units::count(total),
        }),
    );
    let macs = cost.macs.filter(|macs| *macs > 0);
    table.fact(
        "Compute of one run",
        macs.map(|macs| {
            let flops = cost.flops.map(|flops| format!("{} = ", units::operations(flops, "FLOPs")));
            format!("{least}{}{}", flops.unwrap_or_default(), units::operations(macs, "MACs"))
        })
        .or_else(|| formula(cost.formula.get("macs")).map(|text| format!("{least}{text} MACs"))),
    );
    table.fact("Activations at their peak", memory.peak_activation_bytes.map(units::bytes));
    let cache = memory.kv_cache.as_ref().and_then(|cache| cache.bytes_per_token);
    table.fact("KV cache", cache.map(|bytes| format!("{} a token", units::bytes(bytes))));
    table.fact("At", sizes(report));
    table.fact("Findings", counts(report));
    table
}

/// The sizes that the figures hold at.
fn sizes(report: &Report) -> Option<String> {
    let free = report.assumptions.iter().filter_map(|assumption| {
        let name = assumption.what.strip_prefix("dimension ")?;
        Some(format!("{} = {}", code(name), plain(&assumption.value)))
    });
    let bound = report.bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Size(size) => Some(format!("{} = {size}", code(name))),
        Binding::Free(_) => None,
    });
    let sizes: Vec<String> = bound.chain(free).take(8).collect();
    (!sizes.is_empty()).then(|| sizes.join(", "))
}

/// How many findings there are of each severity.
pub(super) fn counts(report: &Report) -> Option<String> {
    let of = |severity: Severity| {
        let found = report.risks.iter().filter(|finding| finding.severity == severity);
        u64::try_from(found.count()).unwrap_or(u64::MAX)
    };
    let told = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Warning), "warning", "warnings"),
        (of(Severity::Info), "note", "notes"),
    ];
    let told: Vec<String> = told
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| units::counted(count, one, many))
        .collect();
    (!told.is_empty()).then(|| told.join(", "))
}
