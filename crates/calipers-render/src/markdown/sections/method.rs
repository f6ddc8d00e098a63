//! How the figures were made: conventions, assumptions, and what is not known.

use calipers_report::Report;

use crate::markdown::escape::{code, plain, told};
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;

/// Assumptions, and unknown figures, that are written.
const MOST: usize = 100;

/// What holds for every card.
const CONVENTIONS: [&str; 5] = [
    "Units are decimal: 1 kB is 1,000 bytes, 1 MB is 10⁶ bytes.",
    "MACs are multiply-accumulates of convolutions, matrix products, attention and recurrence; \
     FLOPs are twice those. Element-wise work, norms and reductions stand beside them.",
    "Parameters are learned weights, each stored tensor once. Shape constants, scales and zero \
     points are counted apart.",
    "The peak of activations follows the order of execution, with inputs and outputs; what is \
     computed from constants alone is no activation.",
    "The graph was read, and no weight.",
];

pub(super) fn write(report: &Report, page: &mut Page) {
    if report.graph.nodes == 0 && report.unknown.is_empty() && report.assumptions.is_empty() {
        return;
    }
    let mut items: Vec<String> = CONVENTIONS[..4].iter().map(|&words| words.to_owned()).collect();
    if report.weights.is_none() && report.model.sha256.is_none() {
        items.push(CONVENTIONS[4].to_owned());
    }
    if let Some(hardware) = &report.hardware {
        items.extend(
            hardware.method.iter().take(MOST).map(|words| told(&crate::text::sentence(words))),
        );
    }
    page.list(&items);
    assumptions(report, page);
    unknown(report, page);
}

fn assumptions(report: &Report, page: &mut Page) {
    let mut table =
        Table::new(&[("Assumed", Align::Left), ("Value", Align::Left), ("Why", Align::Left)]);
    let hardware = report.hardware.iter().flat_map(|hardware| &hardware.assumptions);
    for assumption in report.assumptions.iter().chain(hardware).take(MOST) {
        let what = match assumption.what.strip_prefix("dimension ") {
            Some(name) => format!("dimension {}", code(name)),
            None => plain(&assumption.what),
        };
        table.row(vec![what, plain(&assumption.value), told(&assumption.why)]);
    }
    if !table.is_empty() {
        page.heading("Assumptions");
        page.table(&table);
    }
}

fn unknown(report: &Report, page: &mut Page) {
    let mut table = Table::new(&[("Not known", Align::Left), ("Why", Align::Left)]);
    for entry in report.unknown.iter().take(MOST) {
        table.row(vec![code(&entry.what), told(&entry.reason)]);
    }
    if !table.is_empty() {
        page.heading("Not known");
        page.table(&table);
    }
}
