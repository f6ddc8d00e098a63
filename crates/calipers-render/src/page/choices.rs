//! Sizes that a reader can choose, for the page's scripts: live ranges with formulas, times from a table.
//! `assets/types.d.ts` declares the same columns.

use std::collections::HashMap;

use calipers_report::{DeviceTimes, GraphView, SizeControls};
use serde::Serialize;
use serde_json::{Value, json};

use super::pack::figure;
use crate::text::{self, Charset};

/// Live ranges of activations, a column for each property.
#[derive(Default, Serialize)]
struct Lives<'a> {
    from: Vec<u64>,
    until: Vec<u64>,
    /// The place of the formula of its bytes.
    formula: Vec<usize>,
    borrowed: Vec<bool>,
    view_of: Vec<Option<usize>>,
    may_take: Vec<&'a [usize]>,
}

/// Runs on one device, a column for each property; for each length a run at each batch.
#[derive(Default, Serialize)]
struct Runs {
    /// Milliseconds, as are the next two.
    low: Vec<Option<f64>>,
    expected: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    throughput: Vec<Option<f64>>,
    /// In bytes.
    memory: Vec<Value>,
    fits: Vec<Option<bool>>,
    reason: Vec<Option<String>>,
}

/// The size controls, and what follows from them.
pub(super) fn sizes(view: &GraphView) -> Value {
    let sizes = &view.sizes;
    let (live_ranges, formulas) = live_ranges(sizes);
    let size_controls = sizes.size_controls.iter().map(|size_control| {
        json!({
            "name": text::name(&size_control.name, Charset::Unicode), "size": size_control.size,
            "most": size_control.most, "dims": size_control.dims, "fixed": size_control.fixed,
        })
    });
    let devices = sizes.times.devices.iter().map(|device| {
        json!({
            "id": device.id, "name": prose(&device.name), "memory": figure(device.memory_bytes),
            "runs": runs(device),
        })
    });
    json!({
        "size_controls": size_controls.collect::<Vec<_>>(), "live_ranges": live_ranges, "formulas": formulas,
        "live_ranges_unknown": sizes.live_ranges_unknown.as_deref().map(prose),
        "batches": sizes.times.batches, "lengths": sizes.times.lengths,
        "devices": devices.collect::<Vec<_>>(),
    })
}

/// The live ranges, and each formula once.
fn live_ranges(sizes: &SizeControls) -> (Lives<'_>, Vec<&str>) {
    let mut live_ranges = Lives::default();
    let mut formulas: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for life in &sizes.live_ranges {
        let number = *numbers.entry(&life.bytes).or_insert_with(|| {
            formulas.push(&life.bytes);
            formulas.len() - 1
        });
        live_ranges.from.push(life.from);
        live_ranges.until.push(life.until);
        live_ranges.formula.push(number);
        live_ranges.borrowed.push(life.borrowed);
        live_ranges.view_of.push(life.view_of);
        live_ranges.may_take.push(&life.may_take);
    }
    (live_ranges, formulas)
}

fn runs(device: &DeviceTimes) -> Runs {
    let mut runs = Runs::default();
    for run in &device.runs {
        runs.low.push(run.latency_ms.map(|span| span.low));
        runs.expected.push(run.latency_ms.map(|span| span.expected));
        runs.high.push(run.latency_ms.map(|span| span.high));
        runs.throughput.push(run.throughput);
        runs.memory.push(figure(run.memory_bytes));
        runs.fits.push(run.fits);
        runs.reason.push(run.reason.as_deref().map(prose));
    }
    runs
}

fn prose(words: &str) -> String {
    text::prose(words, Charset::Unicode)
}
