//! Sizes, precisions and devices that a reader can choose, for the page's scripts: live ranges with
//! formulas, times from a table. `assets/types.d.ts` declares the same columns.

use std::collections::HashMap;

use calipers_report::{Bottleneck, DeviceTimes, GraphView, Report, SizeControls, TimedRun};
use serde::Serialize;
use serde_json::{Value, json};

use super::pack::Figure;
use crate::text::{self, Charset};

/// Live ranges of activations, a column for each property.
#[derive(Default, Serialize)]
struct LiveRanges<'a> {
    from: Vec<u64>,
    until: Vec<u64>,
    /// The number of the formula of its bytes.
    formula: Vec<usize>,
    borrowed: Vec<bool>,
    view_of: Vec<Option<usize>>,
    may_take: Vec<&'a [usize]>,
}

/// Runs on one device, a column for each property, in the order of [`DeviceTimes::runs`].
#[derive(Default, Serialize)]
struct Runs {
    /// Milliseconds, as are the next two.
    low: Vec<Option<f64>>,
    expected: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    /// A letter for each run: does it fit.
    fits: String,
    /// A letter for each run: what limits it.
    bottleneck: String,
    /// The number of the list of its memory, which many devices share.
    memory: usize,
    /// Numbers of reasons, for runs without a time; absent where all have one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    reason: Vec<Option<usize>>,
}

/// Lists that several devices share, each once.
#[derive(Default)]
struct Shared {
    memory: Vec<Vec<Option<u64>>>,
    reasons: Vec<String>,
}

/// The size controls, and what follows from them.
#[derive(Serialize)]
pub(super) struct Sizes<'a> {
    size_controls: Vec<Value>,
    live_ranges: LiveRanges<'a>,
    formulas: Vec<&'a str>,
    live_ranges_unknown: Option<String>,
    times: Value,
}

/// The size controls of a report.
pub(super) fn sizes<'a>(report: &Report, view: &'a GraphView) -> Sizes<'a> {
    let sizes = &view.sizes;
    let (live_ranges, formulas) = live_ranges(sizes);
    let size_controls = sizes.size_controls.iter().map(|size_control| {
        json!({
            "name": text::name(&size_control.name, Charset::Unicode), "size": size_control.size,
            "most": size_control.most, "dims": size_control.dims, "fixed": size_control.fixed,
        })
    });
    Sizes {
        size_controls: size_controls.collect(),
        live_ranges,
        formulas,
        live_ranges_unknown: sizes.live_ranges_unknown.as_deref().map(prose),
        times: times(report, sizes),
    }
}

fn times(report: &Report, sizes: &SizeControls) -> Value {
    let times = &sizes.times;
    let mut shared = Shared::default();
    let devices: Vec<Value> = times
        .devices
        .iter()
        .map(|device| {
            json!({
                "id": device.id, "name": prose(&device.name), "class": device.class.display_name(),
                "memory": Figure(device.memory_bytes), "runs": runs(device, &mut shared),
            })
        })
        .collect();
    let need = |pick: fn(&calipers_report::RunNeed) -> Option<u64>| -> Vec<Figure> {
        times.needs.iter().map(|need| Figure(pick(need))).collect()
    };
    let memory: Vec<Vec<Figure>> = shared
        .memory
        .iter()
        .map(|list| list.iter().map(|bytes| Figure(*bytes)).collect())
        .collect();
    let chosen = report.hardware.as_ref().and_then(|hardware| hardware.device.as_ref());
    json!({
        "chosen": chosen.map(|device| &device.id),
        "precisions": times.precisions.iter().map(|it| it.display_name()).collect::<Vec<_>>(),
        "batches": times.batches, "lengths": times.lengths,
        "weights": need(|need| need.weights_bytes),
        "activations": need(|need| need.activations_bytes),
        "cache": need(|need| need.kv_cache_bytes),
        "memory": memory, "reasons": shared.reasons, "devices": devices,
        "bottlenecks": bottlenecks(),
    })
}

/// The live ranges, and each formula once.
fn live_ranges(sizes: &SizeControls) -> (LiveRanges<'_>, Vec<&str>) {
    let mut live_ranges = LiveRanges::default();
    let mut formulas: Vec<&str> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for range in &sizes.live_ranges {
        let number = *numbers.entry(&*range.bytes).or_insert_with(|| {
            formulas.push(&*range.bytes);
            formulas.len() - 1
        });
        live_ranges.from.push(range.from);
        live_ranges.until.push(range.until);
        live_ranges.formula.push(number);
        live_ranges.borrowed.push(range.borrowed);
        live_ranges.view_of.push(range.view_of);
        live_ranges.may_take.push(&range.may_take);
    }
    (live_ranges, formulas)
}

fn runs(device: &DeviceTimes, shared: &mut Shared) -> Runs {
    let mut runs = Runs::default();
    let mut memory = Vec::with_capacity(device.runs.len());
    let mut reasons = Vec::with_capacity(device.runs.len());
    for timed in &device.runs {
        let run = &timed.run;
        runs.low.push(run.latency_ms.map(|span| span.low));
        runs.expected.push(run.latency_ms.map(|span| span.expected));
        runs.high.push(run.latency_ms.map(|span| span.high));
        runs.fits.push(fit_letter(timed));
        runs.bottleneck.push(timed.bottleneck.map_or('-', bottleneck_letter));
        memory.push(run.memory_bytes);
        reasons.push(run.reason.as_deref().map(|reason| place(&mut shared.reasons, prose(reason))));
    }
    runs.memory = place(&mut shared.memory, memory);
    if reasons.iter().any(Option::is_some) {
        runs.reason = reasons;
    }
    runs
}

/// The position of an entry in a list, which gets it where it lacks it.
fn place<T: PartialEq>(list: &mut Vec<T>, entry: T) -> usize {
    list.iter().position(|it| *it == entry).unwrap_or_else(|| {
        list.push(entry);
        list.len() - 1
    })
}

fn fit_letter(timed: &TimedRun) -> char {
    match (timed.run.fits, timed.tight) {
        (Some(true), false) => 'y',
        (Some(true), true) => 't',
        (Some(false), _) => 'n',
        (None, _) => '-',
    }
}

fn bottleneck_letter(bottleneck: Bottleneck) -> char {
    match bottleneck {
        Bottleneck::Compute => 'c',
        Bottleneck::MemoryBandwidth => 'm',
        _ => 'l',
    }
}

/// The display names that the letters represent.
fn bottlenecks() -> Value {
    let all = [Bottleneck::Compute, Bottleneck::MemoryBandwidth, Bottleneck::LaunchOverhead];
    let names = all.into_iter().map(|it| (bottleneck_letter(it).to_string(), it.display_name()));
    names
        .map(|(letter, name)| (letter, Value::from(name)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn prose(words: &str) -> String {
    text::prose(words, Charset::Unicode)
}
