//! What reading every weight showed, where they were read.

use calipers_report::Report;

use crate::markdown::escape::{code, plain};
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::size;
use crate::units;

/// Tensors that are written.
const MOST: usize = 200;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(weights) = &report.weights else { return };
    let some = |count: u64| (count > 0).then(|| units::integer(count));
    let bytes = |count: u64| (count > 0).then(|| size(count));
    let mut table = Table::facts();
    let read = units::counted(weights.tensors, "tensor", "tensors");
    table.fact("Read", format!("{read}, {}", units::bytes(weights.bytes)));
    table.fact("Tensors that could not be read", some(weights.unread));
    table.fact("Not a number", units::integer(weights.nan));
    table.fact("Infinite", units::integer(weights.infinite));
    table.fact("Subnormal", some(weights.subnormal));
    let zeros = units::percent(weights.sparsity_percent);
    table.fact("Zeros", format!("{} ({zeros})", units::integer(weights.zeros)));
    table.fact("Dead output channels", units::integer(weights.dead_channels));
    table.fact("Stored a second time", bytes(weights.duplicate_bytes));
    table.fact("Exact in float16", bytes(weights.fits_float16_bytes));
    table.fact("Exact in bfloat16", bytes(weights.fits_bfloat16_bytes));
    page.table(&table);
    let unread: Vec<String> = weights
        .unread_tensors
        .iter()
        .take(5)
        .map(|tensor| format!("{}: {}", code(&tensor.name), plain(&tensor.reason)))
        .collect();
    page.list(&unread);
    page.folded("Range of each tensor", ranges(report));
}

fn ranges(report: &Report) -> Page {
    let mut table = Table::new(&[
        ("Tensor", Align::Left),
        ("Least", Align::Right),
        ("Greatest", Align::Right),
        ("Mean", Align::Right),
        ("Deviation", Align::Right),
        ("Zeros", Align::Right),
    ]);
    let figure = |value: f64| match value.is_finite() {
        true => format!("{value:.4}"),
        false => "unknown".to_owned(),
    };
    let ranges = report.weights.iter().flat_map(|weights| weights.ranges.iter().take(MOST));
    for tensor in ranges {
        table.row(vec![
            code(&tensor.name),
            figure(tensor.min),
            figure(tensor.max),
            figure(tensor.mean),
            figure(tensor.deviation),
            units::percent(tensor.sparsity_percent),
        ]);
    }
    let mut page = Page::default();
    page.table(&table);
    page
}
