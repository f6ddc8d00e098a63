//! The nodes that cost most.

use calipers_report::Report;

use crate::markdown::escape::code;
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::units;

/// Nodes that are written.
const MOST: usize = 10;

pub(super) fn write(report: &Report, page: &mut Page) {
    let mut table = Table::new(&[
        ("Node", Align::Left),
        ("Operator", Align::Left),
        ("MACs", Align::Right),
        ("Share", Align::Right),
    ]);
    for node in report.cost.dearest.iter().take(MOST) {
        table.row(vec![
            code(&node.node),
            code(&node.op),
            node.macs.map_or_else(|| "unknown".to_owned(), units::magnitude),
            node.percent.map_or_else(String::new, units::percent),
        ]);
    }
    page.table(&table.without_empty_columns());
}
