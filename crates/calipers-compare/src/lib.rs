//! What changed between two models.
//!
//! ```text
//! two models → align ─► graph ─► groups ─┐
//!            → weights ──────────────────┤
//! two reports → interface, figures, findings ─► Comparison ─► verdict, gates
//! ```
//!
//! [`align()`] matches the nodes, [`compare`] describes what differs. Interface, figures and findings
//! come from the reports alone, so a saved report serves as a baseline.
#![forbid(unsafe_code)]

pub mod align;
mod figures;
mod findings;
pub mod gates;
mod graph;
mod groups;
mod interface;
mod table;
pub mod tensors;
mod verdict;
pub mod weights;

pub use align::{Alignment, Subject, align};
use calipers_report::{ComparedModel, Comparison, ModelSource, Report, TensorMatch, WeightChanges};
pub use graph::{Changes, Graph};
use hashbrown::HashSet;
pub use table::{add_metrics, is_error_metric, table};

/// One of two models.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// What it is called.
    pub label: &'a str,
    /// What is known of it.
    pub report: &'a Report,
    /// The report with the names of the file, where `report` shows words in their place.
    pub named: Option<&'a Report>,
    /// Where the report comes from.
    pub source: ModelSource,
}

impl<'a> Side<'a> {
    /// The report with the names of the file.
    pub(crate) fn named(self) -> &'a Report {
        self.named.unwrap_or(self.report)
    }
}

/// The graphs of two models and how their nodes match.
#[derive(Clone, Copy, Debug)]
pub struct Graphs<'a> {
    /// The graph of the first model.
    pub a: Graph<'a>,
    /// The graph of the second model.
    pub b: Graph<'a>,
    /// Which nodes are the same.
    pub alignment: &'a Alignment,
}

/// Compares two models. `graphs` is `None` where a side is a saved report; `weights` is what reading
/// the weights showed. The gates are left empty.
pub fn compare(
    a: Side<'_>,
    b: Side<'_>,
    graphs: Option<Graphs<'_>>,
    weights: Option<weights::Compared>,
    tensors: Option<TensorMatch>,
) -> (Comparison, Changes) {
    let mut changes = Changes::default();
    let (weights, differing): (Option<WeightChanges>, HashSet<_>) = match weights {
        Some(compared) => (Some(compared.changes), compared.differing.into_iter().collect()),
        None => (None, HashSet::new()),
    };
    let graph = graphs.map(|Graphs { a, b, alignment }| {
        let graph;
        (graph, changes) = graph::compare(a, b, alignment, &differing);
        graph
    });
    let mut comparison = Comparison {
        a: ComparedModel::new(a.label.to_owned(), a.report, a.source),
        b: ComparedModel::new(b.label.to_owned(), b.report, b.source),
        interface: interface::compare(a, b),
        graph,
        tensors,
        weights,
        figures: figures::compare(a.report, b.report),
        findings: findings::compare(&a.report.findings, &b.report.findings),
        ..Comparison::default()
    };
    comparison.verdict = verdict::verdict(&comparison);
    (comparison, changes)
}
