//! A model at several sizes, a line each.
//!
//! ```text
//!   batch  sequence     MACs    FLOPs      moved  peak activations
//!       1       128  11.17 G  22.35 G  580.10 MB          13.11 MB
//! ```

use calipers_report::{SweepPoint, SweepTable};

use super::Style;
use super::layers::{assumed, set_remarks};
use super::page::{Line, Page, Role};
use super::table::{self, Column};
use crate::{text, units};

/// Reasons why figures are not known that are given before the rest is folded.
const REASONS: usize = 5;

/// The table as lines of text, ending in a newline.
pub fn sweep_to_terminal(table: &SweepTable, style: &Style) -> String {
    let mut page = Page::for_table(style);
    let names = table.dims.iter().chain(&table.inputs);
    let name = |name: &String| text::truncate(&text::name(name, page.charset), 20, page.charset);
    let mut columns: Vec<Column> = names.map(|raw| Column::figures(&name(raw), 0)).collect();
    columns.extend([
        Column::figures("MACs", 0),
        Column::figures("FLOPs", 1),
        Column::figures("other FLOPs", 4),
        Column::figures("moved", 2),
        Column::figures("peak activations", 1),
        Column::figures("in place", 5),
        Column::figures("KV cache", 2),
        Column::figures("KV tokens", 3),
        Column::figures("KV cache/token", 4),
    ]);
    let rows: Vec<Vec<Line>> = table.points.iter().map(|point| row(table, point, &page)).collect();
    table::set(&columns, &rows, &[], &mut page);
    remarks(table, &mut page);
    page.finish()
}

/// The sizes of a point, in the order in which their names were given.
fn sizes(table: &SweepTable, point: &SweepPoint) -> Vec<Line> {
    let dims = table.dims.iter().map(|dim| point.dims.get(dim).map(i64::to_string));
    let inputs = table.inputs.iter().map(|input| {
        let shape: Vec<String> = point.inputs.get(input)?.iter().map(i64::to_string).collect();
        Some(if shape.is_empty() { "scalar".to_owned() } else { shape.join("x") })
    });
    dims.chain(inputs).map(|text| Line::of(Role::Plain, text.unwrap_or_default())).collect()
}

fn row(table: &SweepTable, point: &SweepPoint, page: &Page) -> Vec<Line> {
    let least = if point.unknown > 0 { page.glyph("≥ ", ">= ") } else { "" };
    let figure = |value: Option<u64>, field: &str, set: fn(u64) -> String| match value {
        Some(0) if point.unknown > 0 => Line::of(Role::Warning, "unknown"),
        Some(value) => Line::of(Role::Plain, format!("{least}{}", set(value))),
        None => match point.formula.get(field) {
            Some(formula) => Line::of(Role::Plain, text::prose(formula, page.charset)),
            None => Line::of(Role::Warning, "unknown"),
        },
    };
    let bytes = |value: Option<u64>, field: &str| match value {
        Some(value) => Line::of(Role::Plain, units::bytes(value)),
        None if point.reasons.contains_key(field) => Line::of(Role::Warning, "unknown"),
        None => Line::default(),
    };
    let mut row = sizes(table, point);
    row.extend([
        figure(point.macs, "macs", units::magnitude),
        figure(point.flops, "flops", units::magnitude),
        figure(point.other_flops, "other_flops", units::magnitude),
        figure(point.bytes_moved, "bytes_moved", units::bytes),
        bytes(point.peak_activation_bytes, "peak_activation_bytes"),
        bytes(point.peak_activation_in_place_bytes, "peak_activation_in_place_bytes"),
        bytes(point.kv_cache_bytes, "kv_cache.bytes_at_context"),
        point
            .kv_cache_context
            .map_or_else(Line::default, |tokens| Line::of(Role::Plain, units::integer(tokens))),
        bytes(point.kv_cache_bytes_per_token, "kv_cache.bytes_per_token"),
    ]);
    row
}

/// Why figures are not known, each reason once.
fn remarks(table: &SweepTable, page: &mut Page) {
    let most = table.points.iter().map(|point| point.unknown).max().unwrap_or(0);
    let mut lines = vec![];
    if most > 0 {
        let nodes = units::counted(most, "node has", "nodes have");
        lines.push(
            Line::of(Role::Warning, format!("{nodes} no known cost"))
                .and(Role::Quiet, ", so the sums are lower bounds"),
        );
    }
    let mut reasons: Vec<&String> =
        table.points.iter().flat_map(|point| point.reasons.values()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    for reason in reasons.into_iter().take(REASONS) {
        lines.push(Line::of(Role::Quiet, text::prose(reason, page.charset)));
    }
    lines.extend(assumed(&table.assumptions, page));
    set_remarks(lines, page);
}
