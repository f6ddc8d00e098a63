//! Learned weights: how many, in what types, and which operators use them.

use calipers_report::Report;

use crate::markdown::escape::{code, plain};
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::{count, size, unknown};
use crate::units;

/// Operators that are written.
const MOST: usize = 20;

pub(super) fn write(report: &Report, page: &mut Page) {
    let parameters = &report.parameters;
    if report.graph.nodes == 0 && parameters.tensors == 0 {
        return;
    }
    if parameters.stored_bytes == Some(0) && parameters.total == Some(0) {
        page.text("The file stores no tensor, so there is none to learn.");
        return;
    }
    let or_unknown = |value: Option<u64>, field: &str, set: fn(u64) -> String| match value {
        Some(value) => set(value),
        None => unknown(report, &format!("parameters.{field}")),
    };
    let mut table = Table::facts();
    table.fact("Total", or_unknown(parameters.total, "total", count));
    table.fact("Trainable", or_unknown(parameters.trainable, "trainable", units::integer));
    let fixed = or_unknown(parameters.non_trainable, "non_trainable", units::integer);
    table.fact("Not trainable", fixed);
    let types: Vec<String> = parameters
        .by_dtype
        .iter()
        .map(|(dtype, elements)| format!("{} {}", plain(dtype), units::integer(*elements)))
        .collect();
    table.fact("By precision", (!types.is_empty()).then(|| types.join(" · ")));
    table.fact("Size", or_unknown(parameters.bytes, "bytes", size));
    table.fact("Tensors", units::integer(parameters.tensors));
    let some = |count: u64| (count > 0).then(|| units::integer(count));
    table.fact("Filled at load time", some(parameters.generated));
    let constants = or_unknown(parameters.constants, "constants", units::integer);
    table.fact("Constants besides, no parameters", constants);
    let scales = parameters.quantization.and_then(some);
    table.fact("Scales and zero points besides", scales);
    table.fact("All stored tensors", or_unknown(parameters.stored_bytes, "stored_bytes", size));
    page.table(&table);

    let mut users = Table::new(&[
        ("Operator", Align::Left),
        ("Memory", Align::Right),
        ("Parameters", Align::Right),
    ]);
    for operator in parameters.by_op.iter().take(MOST) {
        let bytes = operator.bytes.map_or_else(|| "unknown".to_owned(), units::bytes);
        users.row(vec![code(&operator.op), bytes, units::integer(operator.elements)]);
    }
    if !users.is_empty() {
        page.heading("Memory by operator");
        page.table(&users);
    }
}
