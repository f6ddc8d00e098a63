//! A model at several sizes.

use calipers_report::{SweepPoint, SweepTable};

use super::{assumed, cost_lower_bound};
use crate::table::{Column, Table, Tone, Value};
use crate::text::{self, Charset};
use crate::value::Spans;

/// Reasons why figures are not known that are given before the rest is folded.
const REASONS: usize = 5;
/// Columns of a name in a heading.
const NAME: usize = 20;

/// The points, a row each; a column for each name that takes sizes.
pub fn sweep(table: &SweepTable) -> Table {
    let names = table.dims.iter().chain(&table.inputs);
    let mut columns: Vec<Column> = names.map(|name| swept(name)).collect();
    columns.extend([
        Column::figures("macs", "MACs"),
        Column::figures("flops", "FLOPs").priority(1),
        Column::figures("other_flops", "other FLOPs").priority(4),
        Column::figures("bytes_moved", "moved").priority(2),
        Column::figures("peak_activation_bytes", "peak activations").priority(1),
        Column::figures("peak_activation_in_place_bytes", "in place").priority(5),
        Column::figures("kv_cache_bytes_per_token", "KV cache/token").priority(4),
        Column::figures("kv_cache_context", "KV tokens").priority(3),
        Column::figures("kv_cache_bytes", "KV cache").priority(2),
        Column::data("macs_formula"),
        Column::data("other_flops_formula"),
        Column::data("bytes_moved_formula"),
        Column::data("unknown"),
    ]);
    let mut set = Table::new("sweep", columns);
    for point in &table.points {
        set.row(row(table, point));
    }
    set.note(None, remarks(table));
    set
}

/// The column of a name out of the model.
fn swept(name: &str) -> Column {
    let title = text::truncate(&text::name(name, Charset::Unicode), NAME, Charset::Unicode);
    Column { title: Value::Name(title), ..Column::figures(name, name) }
}

fn row(table: &SweepTable, point: &SweepPoint) -> Vec<Value> {
    let dims =
        table.dims.iter().map(|dim| Value::optional(point.dims.get(dim).copied(), Value::Signed));
    let inputs = table.inputs.iter().map(|input| {
        let shape = point.inputs.get(input).map(|dims| {
            let dims: Vec<String> = dims.iter().map(i64::to_string).collect();
            if dims.is_empty() { "scalar".to_owned() } else { dims.join("x") }
        });
        Value::optional(shape, Value::Text)
    });
    let figure = |value: Option<u64>, field: &str, set: fn(u64) -> Value| match value {
        Some(value) if point.unknown > 0 => Value::AtLeast(Box::new(set(value))),
        Some(value) => set(value),
        None => match point.formula.get(field) {
            Some(formula) => Value::Formula(formula.clone()),
            None => Value::Missing(None),
        },
    };
    let bytes = |value: Option<u64>, field: &str| match value {
        Some(value) => Value::Bytes(value),
        None => Value::optional(point.reasons.get(field), |why| Value::Missing(Some(why.clone()))),
    };
    let formula = |field: &str| Value::optional(point.formula.get(field).cloned(), Value::Prose);
    let mut row: Vec<Value> = dims.chain(inputs).collect();
    row.extend([
        figure(point.macs, "macs", Value::Magnitude),
        figure(point.flops(), "flops", Value::Magnitude),
        figure(point.other_flops, "other_flops", Value::Magnitude),
        figure(point.bytes_moved, "bytes_moved", Value::Bytes),
        bytes(point.peak_activation_bytes, "peak_activation_bytes"),
        bytes(point.peak_activation_in_place_bytes, "peak_activation_in_place_bytes"),
        bytes(point.kv_cache_bytes_per_token, "kv_cache.bytes_per_token"),
        Value::optional(point.kv_cache_context, Value::Integer),
        bytes(point.kv_cache_bytes, "kv_cache.bytes_at_context"),
        formula("macs"),
        formula("other_flops"),
        formula("bytes_moved"),
        Value::Integer(point.unknown),
    ]);
    row
}

/// Why figures are not known, each reason once.
fn remarks(table: &SweepTable) -> Vec<Spans> {
    let most = table.points.iter().map(|point| point.unknown).max().unwrap_or(0);
    let mut lines = vec![];
    if most > 0 {
        lines.push(cost_lower_bound(most));
    }
    let mut reasons: Vec<&String> =
        table.points.iter().flat_map(|point| point.reasons.values()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let reasons = reasons.into_iter().take(REASONS);
    lines.extend(reasons.map(|reason| Spans::toned(Tone::Quiet, Value::prose(reason))));
    lines.extend(assumed(&table.assumptions));
    lines
}
