//! Measured times of a model.

use calipers_report::{Benchmark, BenchmarkPoint, RuntimeProfile};

use crate::table::{Column, Table, Value};

/// A benchmark for programs: its points, then operators, blocks and nodes. All tables have the same
/// data columns.
pub fn benchmark(measured: &Benchmark) -> Vec<Table> {
    let mut all = vec![points(measured)];
    if let Some(profile) = &measured.profile {
        all.extend([operator_times(profile), block_times(profile), node_times(profile)]);
    }
    all
}

/// Columns that every table of a benchmark has for programs.
fn with_data(columns: Vec<Column>) -> Vec<Column> {
    const ALL: [&str; 17] = [
        "table",
        "name",
        "op",
        "batch",
        "threads",
        "runs",
        "count",
        "median_ms",
        "p90_ms",
        "p99_ms",
        "min_ms",
        "max_ms",
        "spread_percent",
        "throughput",
        "measured_ms",
        "predicted_ms",
        "percent",
    ];
    let mut ordered = Vec::with_capacity(ALL.len() + 1);
    let mut columns = columns;
    for id in ALL {
        match columns.iter().position(|column| column.id == id) {
            Some(place) => ordered.push(columns.remove(place)),
            None => ordered.push(Column::data(id)),
        }
    }
    ordered.push(Column::data("reason"));
    ordered
}

/// Values of a row, by the ids of [`with_data`].
fn row(table: &mut Table, values: Vec<(&str, Value)>) {
    let mut values = values;
    let ids: Vec<String> = table.columns.iter().map(|column| column.id.clone()).collect();
    let found = ids.iter().map(|id| {
        let place = values.iter().position(|(known, _)| known == id);
        place.map_or(Value::Blank, |place| values.swap_remove(place).1)
    });
    let found = found.collect();
    table.row(found);
}

/// The latency at each batch and number of threads.
pub fn points(measured: &Benchmark) -> Table {
    let columns = with_data(vec![
        Column::figures("batch", "batch"),
        Column::figures("threads", "threads"),
        Column::figures("median_ms", "median"),
        Column::figures("p90_ms", "p90").priority(2),
        Column::figures("p99_ms", "p99").priority(2),
        Column::figures("spread_percent", "spread, %").priority(3),
        Column::figures("throughput", "throughput").priority(1),
    ]);
    let mut set = Table::new("points", columns).without_empty_columns();
    let headline = BenchmarkPoint {
        batch: measured.batch,
        threads: measured.threads,
        runs: measured.runs,
        latency_ms: Some(measured.latency_ms),
        throughput: Some(measured.throughput),
        reason: None,
    };
    let points = match measured.points.as_slice() {
        [] => std::slice::from_ref(&headline),
        points => points,
    };
    for point in points {
        let missing = Value::Missing(point.reason.clone());
        let ms = |value: fn(&calipers_report::LatencyStatistics) -> f64| {
            point.latency_ms.as_ref().map_or(missing.clone(), |it| Value::Milliseconds(value(it)))
        };
        let spread = point.latency_ms.map(|latency| latency.spread_percent);
        row(
            &mut set,
            vec![
                ("table", Value::text("point")),
                ("batch", Value::optional(point.batch, Value::Integer)),
                ("threads", Value::Integer(point.threads)),
                ("runs", Value::Integer(point.runs)),
                ("median_ms", ms(|latency| latency.median)),
                ("p90_ms", ms(|latency| latency.p90)),
                ("p99_ms", ms(|latency| latency.p99)),
                ("min_ms", ms(|latency| latency.min)),
                ("max_ms", ms(|latency| latency.max)),
                ("spread_percent", Value::optional(spread, Value::Decimal)),
                ("throughput", Value::optional(point.throughput, Value::Rate)),
                ("reason", Value::optional(point.reason.clone(), Value::Prose)),
            ],
        );
    }
    set
}

/// The time of each operator that the runtime ran.
pub fn operator_times(profile: &RuntimeProfile) -> Table {
    let columns = with_data(vec![
        Column::text("op", "operator"),
        Column::figures("count", "kernels").priority(2),
        Column::figures("measured_ms", "time"),
        Column::figures("percent", "share").priority(1),
    ]);
    let mut set = Table::new("operator-times", columns);
    for operator in &profile.operators {
        row(
            &mut set,
            vec![
                ("table", Value::text("operator")),
                ("op", Value::name(&operator.op)),
                ("count", Value::Integer(operator.count)),
                ("measured_ms", Value::Milliseconds(operator.ms)),
                ("percent", Value::Percent(operator.percent)),
            ],
        );
    }
    set
}

/// Blocks, measured beside predicted.
pub fn block_times(profile: &RuntimeProfile) -> Table {
    let columns = with_data(vec![
        Column::text("name", "block").limits(60, 12),
        Column::figures("measured_ms", "measured"),
        Column::figures("predicted_ms", "predicted").priority(1),
        Column::figures("percent", "share").priority(2),
    ]);
    let mut set = Table::new("block-times", columns).without_empty_columns();
    for block in &profile.blocks {
        row(
            &mut set,
            vec![
                ("table", Value::text("block")),
                ("name", Value::quoted(&block.name)),
                ("measured_ms", Value::Milliseconds(block.measured_ms)),
                ("predicted_ms", Value::optional(block.predicted_ms, Value::Milliseconds)),
                ("percent", Value::Percent(block.percent)),
            ],
        );
    }
    let lost = &profile.not_mapped;
    if lost.count > 0 {
        row(
            &mut set,
            vec![
                ("table", Value::text("not-mapped")),
                ("name", Value::text("Not mapped")),
                ("count", Value::Integer(lost.count)),
                ("measured_ms", Value::Milliseconds(lost.ms)),
                ("percent", Value::Percent(lost.percent)),
            ],
        );
    }
    set
}

/// The slowest nodes, measured beside predicted.
pub fn node_times(profile: &RuntimeProfile) -> Table {
    let columns = with_data(vec![
        Column::text("name", "node").limits(60, 12),
        Column::text("op", "operator").priority(3),
        Column::figures("measured_ms", "measured"),
        Column::figures("predicted_ms", "predicted").priority(1),
        Column::figures("percent", "share").priority(2),
    ]);
    let mut set = Table::new("node-times", columns).without_empty_columns();
    for node in &profile.top_nodes {
        row(
            &mut set,
            vec![
                ("table", Value::text("node")),
                ("name", Value::name(&node.node)),
                ("op", Value::name(&node.op)),
                ("measured_ms", Value::Milliseconds(node.measured_ms)),
                ("predicted_ms", Value::optional(node.predicted_ms, Value::Milliseconds)),
                ("percent", Value::Percent(node.percent)),
            ],
        );
    }
    set
}
