//! What one run keeps in memory, and the largest values.

use calipers_report::Report;

use crate::markdown::escape::code;
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::{formula, size, unknown};
use crate::units;

/// Values that are written.
const MOST: usize = 10;

pub(super) fn write(report: &Report, page: &mut Page) {
    let memory = &report.memory;
    if report.graph.nodes == 0 {
        return;
    }
    let told = |value: Option<u64>, field: &str| match value {
        Some(value) => size(value),
        None => unknown(report, &format!("memory.{field}")),
    };
    let mut table = Table::facts();
    table.fact("Weights", told(memory.weights_bytes, "weights_bytes"));
    let peak = told(memory.peak_activation_bytes, "peak_activation_bytes");
    table.fact("Peak of activations", peak);
    let in_place = memory.peak_activation_in_place_bytes;
    table.fact("The same with reuse in place", in_place.map(size));
    let at = memory.peak_at.as_ref().filter(|node| !node.is_empty());
    table.fact("Where it stands", at.map(|node| code(node)));
    table.fact("Bytes there", formula(memory.formula.as_ref()));
    page.table(&table);

    let mut values =
        Table::new(&[("Value", Align::Left), ("Type", Align::Left), ("Size", Align::Right)]);
    for value in memory.largest.iter().take(MOST) {
        values.row(vec![code(&value.name), code(&value.type_text), units::bytes(value.bytes)]);
    }
    if !values.is_empty() {
        page.heading("Largest tensors");
        page.table(&values);
    }
}
