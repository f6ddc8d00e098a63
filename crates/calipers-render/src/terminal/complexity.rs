//! What one run costs.
//!
//! ```text
//!   Complexity   compute  22.95 GMACs (22,949,658,624) · 45.90 GFLOPs
//!                other    1.13 GFLOPs (1,131,216,896)
//!                moved    2.31 GB (2,310,234,112 bytes)
//! ```

use calipers_report::{Cost, Report};

use super::header::size;
use super::page::{Line, Page, Role};
use super::reasons::Reasons;
use super::rows::Rows;
use crate::{text, units};

/// Lines of one formula, and of a remark.
const LINES: usize = 2;

/// Arithmetic and bytes moved: figures, or formulas where dimensions are free.
pub(super) fn work(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let cost = &report.cost;
    let fields = [
        ("compute", "macs", cost.work.macs),
        ("other", "other_flops", cost.work.other_flops),
        ("moved", "bytes_moved", cost.work.bytes_moved),
    ];
    let told = |field: &str, value: Option<u64>, reasons: &Reasons<'_>| {
        value.is_some() || cost.formula.contains_key(field) || reasons.explains(&path(field))
    };
    if report.graph.nodes == 0
        || !fields.iter().any(|(_, field, value)| told(field, *value, reasons))
    {
        return;
    }
    let mut rows = Rows::default();
    for (key, field, value) in fields {
        // A sum that lacks everything says nothing.
        let Some(value) = value.filter(|value| *value > 0 || !cost.lower_bound) else {
            let (line, most) = unknown(cost, field, reasons, page);
            rows.prose(key, line, most);
            continue;
        };
        let least = if cost.lower_bound { "at least " } else { "" };
        let mut facts = vec![Line::of(Role::Warning, least).and_line(figure(field, value))];
        if let Some(flops) = cost.work.flops().filter(|flops| field == "macs" && *flops > 0) {
            facts.push(Line::of(Role::Plain, units::operations(flops, "FLOPs")));
        }
        rows.facts(key, facts);
        // The other two follow the same dimensions; the JSON has all three.
        if let Some(formula) = free(cost, field).filter(|_| field == "macs") {
            let formula = text::prose(formula, page.charset);
            let formula = Line::of(Role::Quiet, "= ").and(Role::Plain, formula);
            rows.prose("", formula, LINES);
        }
    }
    // Twice the multiply-accumulates: the same reason, or the same formula.
    reasons.settle("cost.flops");
    missing(cost, page, &mut rows);
    for note in &cost.notes {
        rows.prose("", Line::of(Role::Quiet, text::prose(note, page.charset)), LINES);
    }
    let lines = rows.set(page);
    page.section("Complexity", "", lines);
}

fn path(field: &str) -> String {
    format!("cost.{field}")
}

fn figure(field: &str, value: u64) -> Line {
    match field {
        "bytes_moved" => size(value),
        _ if value == 0 => Line::of(Role::Quiet, "none"),
        "macs" => with_digits(Line::of(Role::Strong, units::operations(value, "MACs")), value),
        _ => with_digits(Line::of(Role::Plain, units::operations(value, "FLOPs")), value),
    }
}

/// The formula of a figure that depends on a dimension.
fn free<'a>(cost: &'a Cost, field: &str) -> Option<&'a String> {
    let free = |text: &&String| {
        text.contains(|c: char| c.is_alphabetic()) && !text.starts_with("undefined")
    };
    cost.formula.get(field).filter(free)
}

fn with_digits(line: Line, value: u64) -> Line {
    match value {
        0..1000 => line,
        _ => line.and(Role::Quiet, format!(" ({})", units::integer(value))),
    }
}

/// A formula where the figure depends on what is free, else the reason; and the lines it may take.
fn unknown(cost: &Cost, field: &str, reasons: &mut Reasons<'_>, page: &Page) -> (Line, usize) {
    let Some(formula) = free(cost, field) else {
        return (reasons.unknown(&path(field)), usize::MAX);
    };
    reasons.settle(&path(field));
    let least = if cost.lower_bound { "at least " } else { "" };
    let unit = match field {
        "macs" => " MACs",
        "other_flops" => " FLOPs",
        _ => " bytes",
    };
    let formula = text::prose(formula, page.charset);
    let line = Line::of(Role::Warning, least).and(Role::Plain, formula).and(Role::Quiet, unit);
    (line, LINES)
}

/// How many nodes the sums lack, and why the first of them has no cost.
fn missing(cost: &Cost, page: &Page, rows: &mut Rows) {
    if cost.unknown_count == 0 {
        return;
    }
    let nodes = units::counted(cost.unknown_count, "node has", "nodes have");
    let mut line = Line::of(Role::Plain, format!("{nodes} no known cost"));
    if let Some(first) = cost.unknown.first() {
        let node = text::truncate(&text::name(&first.node, page.charset), 40, page.charset);
        let reason = text::prose(&first.reason, page.charset);
        line.push(Role::Quiet, format!("; {node}: {reason}"));
    }
    rows.prose("missing", line, LINES);
}
