//! Operators, how many nodes each has, and their share.

use calipers_report::{OperatorCount, Report};

use crate::markdown::escape::code;
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::units;

/// Kinds in the open; where there are more, all of them are folded beneath.
const SHOWN: usize = 12;
/// Kinds that are written at all.
const MOST: usize = 500;

pub(super) fn write(report: &Report, page: &mut Page) {
    let graph = &report.graph;
    if graph.operators.is_empty() {
        return;
    }
    let kinds = u64::try_from(graph.operators.len()).unwrap_or(u64::MAX);
    page.text(format!(
        "{} of {}.",
        units::counted(graph.nodes, "node", "nodes"),
        units::counted(kinds, "kind", "kinds")
    ));
    // Folding one or two would save nothing.
    if graph.operators.len() <= SHOWN + 2 {
        page.table(&table(&graph.operators));
    } else {
        page.table(&table(&graph.operators[..SHOWN]));
        fold(&format!("All {kinds} kinds"), &graph.operators, page);
    }
    if graph.nodes_total != graph.nodes {
        fold("With subgraphs and functions", &graph.operators_total, page);
    }
}

fn fold(line: &str, operators: &[OperatorCount], page: &mut Page) {
    let mut inner = Page::default();
    inner.table(&table(&operators[..operators.len().min(MOST)]));
    page.folded(line, inner);
}

fn table(operators: &[OperatorCount]) -> Table {
    let mut table =
        Table::new(&[("Operator", Align::Left), ("Nodes", Align::Right), ("Share", Align::Right)]);
    for operator in operators {
        let name = match operator.domain.as_str() {
            "ai.onnx" | "" => code(&operator.op),
            domain => code(&format!("{domain}.{}", operator.op)),
        };
        table.row(vec![name, units::integer(operator.count), units::percent(operator.percent)]);
    }
    table
}
