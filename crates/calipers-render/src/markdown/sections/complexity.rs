//! What one run costs: figures, formulas, and what they lack.

use calipers_report::{OperatorCost, Report};

use crate::markdown::escape::{code, told};
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::{formula, size, unknown, work};
use crate::units;

/// Nodes without a known cost that are named.
const MOST: usize = 20;
/// Operators whose share is told.
const OPERATORS: usize = 10;

pub(super) fn write(report: &Report, page: &mut Page) {
    let cost = &report.cost;
    if report.graph.nodes == 0 {
        return;
    }
    let least = if cost.lower_bound { "at least " } else { "" };
    let figure = |value: Option<u64>, field: &str, set: &dyn Fn(u64) -> String| match value {
        // A sum that lacks everything says nothing.
        Some(value) if value > 0 || !cost.lower_bound => format!("{least}{}", set(value)),
        _ if formula(cost.formula.get(field)).is_some() => "depends on free dimensions".to_owned(),
        _ => unknown(report, &format!("cost.{field}")),
    };
    let mut table = Table::facts();
    table.fact("FLOPs (2 × MACs)", figure(cost.flops, "macs", &|value| work(value, "FLOPs")));
    table.fact("MACs of contractions", figure(cost.macs, "macs", &|value| work(value, "MACs")));
    let other = figure(cost.other_flops, "other_flops", &|value| work(value, "FLOPs"));
    table.fact("Other arithmetic", other);
    let all = cost.total_flops.map(|value| format!("{least}{}", work(value, "FLOPs")));
    table.fact("All arithmetic", all);
    table.fact("Bytes moved", figure(cost.bytes_moved, "bytes_moved", &size));
    table.fact("Nodes whose cost is known", units::percent(cost.coverage));
    page.table(&table);

    let mut formulas = Table::new(&[("Figure", Align::Left), ("Formula", Align::Left)]);
    for (field, words) in
        [("macs", "MACs"), ("other_flops", "Other FLOPs"), ("bytes_moved", "Bytes moved")]
    {
        if let Some(text) = formula(cost.formula.get(field)) {
            formulas.row(vec![words.to_owned(), text]);
        }
    }
    if !formulas.is_empty() {
        page.heading("Formulas");
        page.table(&formulas);
    }
    by_operator(report, page);
    let notes: Vec<String> = cost.notes.iter().take(MOST).map(|note| told(note)).collect();
    page.list(&notes);
    missing(report, page);
}

/// Which operators the arithmetic is in.
fn by_operator(report: &Report, page: &mut Page) {
    let mut table = Table::new(&[
        ("Operator", Align::Left),
        ("Nodes", Align::Right),
        ("FLOPs", Align::Right),
        ("Other FLOPs", Align::Right),
        ("Share", Align::Right),
    ]);
    // What has no arithmetic at all is in the table of operators already.
    let works = |value: Option<u64>| value.is_some_and(|value| value > 0);
    let dear = |operator: &&OperatorCost| works(operator.flops) || works(operator.other_flops);
    let figure = |value: Option<u64>| match value {
        Some(0) => String::new(),
        Some(value) => units::magnitude(value),
        None => "unknown".to_owned(),
    };
    for operator in report.cost.by_op.iter().filter(dear).take(OPERATORS) {
        table.row(vec![
            code(&operator.op),
            units::integer(operator.nodes),
            figure(operator.flops),
            figure(operator.other_flops),
            operator.percent.map(units::percent).unwrap_or_default(),
        ]);
    }
    if !table.is_empty() {
        page.heading("By operator");
        page.table(&table.without_empty_columns());
    }
}

/// Nodes that the sums lack.
fn missing(report: &Report, page: &mut Page) {
    let cost = &report.cost;
    if cost.unknown_count == 0 {
        return;
    }
    let mut table =
        Table::new(&[("Node", Align::Left), ("Operator", Align::Left), ("Why", Align::Left)]);
    for node in cost.unknown.iter().take(MOST) {
        table.row(vec![code(&node.node), code(&node.op), told(&node.reason)]);
    }
    let nodes = units::counted(cost.unknown_count, "node has", "nodes have");
    let mut inner = Page::default();
    inner.table(&table);
    page.folded(&format!("{nodes} no known cost"), inner);
}
