//! Sizes, precisions and devices that a reader of the page may choose, and what follows from them
//! without another analysis of the model: live ranges of activations as formulas, times and memory
//! from a table.

use std::collections::BTreeMap;

use calipers_measure::assume::{self, Role};
use calipers_measure::memory;
use calipers_report::{
    DeviceTimes, Precision, RunNeed, SizeControl, SizeControls, TimeTable, TimedRun,
};

use crate::devices::Device;
use crate::memory_fit::MemoryFit;
use crate::profile::{ModelProfile, OperatingPoint};
use crate::query::{self, HardwareQuery};
use crate::scaling;

/// Batch sizes of the table.
const BATCHES: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// Sequence lengths of the table, each four times the one before.
const LENGTHS: usize = 5;
/// Precisions of the table next to that of the report.
const PRECISIONS: [Precision; 2] = [Precision::Fp16, Precision::Int8];
/// Times of kernels that a table may take; beyond it, fewer sizes are estimated.
const MOST_TIMES: usize = 2_000_000;

/// The sizes that a reader can choose, with live ranges and times for each.
pub fn size_choices(profile: &ModelProfile<'_>, query: &HardwareQuery) -> SizeControls {
    let mut choices =
        SizeControls { size_controls: size_controls(profile, query), ..SizeControls::default() };
    if !profile.sizes.is_empty() {
        match memory::live_ranges(profile.model, profile.typed, profile.sizes) {
            Ok(live_ranges) => choices.live_ranges = live_ranges,
            Err(error) => choices.live_ranges_unknown = Some(error.to_string()),
        }
    }
    choices.times = times(profile, query);
    choices
}

fn size_controls(profile: &ModelProfile<'_>, query: &HardwareQuery) -> Vec<SizeControl> {
    let mut size_controls = Vec::new();
    let mut left: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, assumed) in profile.sizes {
        left.insert(name, u64::try_from(assumed.size).unwrap_or(1));
    }
    let free = profile.batch.fixed.is_none();
    let symbols = profile.batch.symbols.iter().filter(|_| free);
    let dims: BTreeMap<String, i64> = symbols.map(|name| (name.clone(), 0)).collect();
    left.retain(|name, _| !dims.contains_key(*name));
    let size = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    size_controls.push(SizeControl {
        name: "batch".to_owned(),
        size,
        fixed: dims.is_empty().then(|| profile.base_batch()),
        dims,
        most: None,
    });
    if let Some(context) = profile.context() {
        let mut dims = BTreeMap::new();
        for (role, offset) in [(Role::Past, -1), (Role::Capacity, 0), (Role::Sequence, 0)] {
            dims.extend(profile.named(role).map(|(name, _)| (name.clone(), offset)));
        }
        left.retain(|name, _| !dims.contains_key(*name));
        let name = if profile.cached() { "context" } else { "sequence" };
        let most = assume::positions(profile.model, profile.typed);
        size_controls.push(SizeControl {
            name: name.to_owned(),
            size: context,
            most,
            dims,
            fixed: None,
        });
    }
    size_controls.extend(left.into_iter().map(|(name, size)| SizeControl {
        name: name.to_owned(),
        size,
        most: None,
        dims: BTreeMap::from([(name.to_owned(), 0)]),
        fixed: None,
    }));
    size_controls
}

fn times(profile: &ModelProfile<'_>, query: &HardwareQuery) -> TimeTable {
    let devices = devices(query);
    if profile.untimed().is_some() || devices.is_empty() {
        return TimeTable::default();
    }
    let base = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let mut table = TimeTable {
        precisions: precisions(profile),
        batches: with(BATCHES.to_vec(), base),
        lengths: lengths(profile),
        needs: Vec::new(),
        devices: devices
            .iter()
            .map(|device| DeviceTimes {
                id: device.id.clone(),
                name: device.name.clone(),
                class: device.class,
                memory_bytes: device.memory_bytes(),
                runs: Vec::new(),
            })
            .collect(),
    };
    shrink(&mut table, profile, base);
    for precision in table.precisions.clone() {
        let profile = profile.at_precision(precision);
        fill(&mut table, &profile, &devices);
    }
    table
}

/// The named device first, then every device of the catalog; none where the query has no table.
fn devices(query: &HardwareQuery) -> Vec<&Device> {
    let mut devices: Vec<&Device> = query.device.iter().collect();
    if devices.is_empty() && query.table.is_empty() {
        return devices;
    }
    for device in query.table.iter().chain(query.catalog.devices()) {
        if !devices.iter().any(|other| other.id == device.id) {
            devices.push(device);
        }
    }
    devices
}

/// The precision of the report, then others that the model can be converted to.
fn precisions(profile: &ModelProfile<'_>) -> Vec<Precision> {
    let own = profile.precision.precision;
    // A quantized file is not converted further.
    let others = PRECISIONS.into_iter().filter(|other| other.bits() < own.bits());
    std::iter::once(own).chain(others).collect()
}

/// Leaves out lengths, then precisions, then batches until the table is affordable.
fn shrink(table: &mut TimeTable, profile: &ModelProfile<'_>, base: u64) {
    let kernels = profile.plan.workload.groups().max(1);
    let count = |table: &TimeTable| {
        let sizes = table.precisions.len() * table.lengths.len().max(1) * table.batches.len();
        sizes.saturating_mul(table.devices.len()).saturating_mul(kernels)
    };
    if count(table) > MOST_TIMES && table.lengths.len() > 1 {
        table.lengths = profile.context().into_iter().collect();
    }
    if count(table) > MOST_TIMES {
        table.precisions.truncate(1);
    }
    if count(table) > MOST_TIMES {
        table.batches = vec![base];
    }
}

/// Adds the runs of a precision.
fn fill(table: &mut TimeTable, profile: &ModelProfile<'_>, devices: &[&Device]) {
    let memory_fit = MemoryFit::new(profile);
    let every: Vec<Option<u64>> = match table.lengths.is_empty() {
        true => vec![None],
        false => table.lengths.iter().copied().map(Some).collect(),
    };
    for length in every {
        for batch in &table.batches {
            let at = sizes(profile, *batch, length);
            let loads = profile.loads(&at);
            if let Some(device) = devices.first() {
                let need = memory_fit.need(&at, device);
                table.needs.push(RunNeed {
                    weights_bytes: need.weights_bytes,
                    activations_bytes: need.activations_bytes,
                    kv_cache_bytes: need.kv_cache_bytes,
                });
            }
            for (times, device) in table.devices.iter_mut().zip(devices) {
                let time = || {
                    let loads = loads.as_ref().map_err(Clone::clone)?;
                    profile.time(loads, device)
                };
                let fit = memory_fit.fit(&at, device);
                let (run, estimate) = scaling::run(&fit, *batch, time);
                let bottleneck = estimate.as_ref().map(query::bottleneck);
                times.runs.push(TimedRun { run, tight: fit.tight, bottleneck });
            }
        }
    }
}

fn sizes(profile: &ModelProfile<'_>, batch: u64, length: Option<u64>) -> OperatingPoint {
    let dims = length.map(|length| {
        let new = if profile.cached() { 1 } else { length };
        profile.lengths(length, new)
    });
    OperatingPoint { batch, dims: dims.unwrap_or_default() }
}

/// Lengths around the one of the report.
fn lengths(profile: &ModelProfile<'_>) -> Vec<u64> {
    let Some(context) = profile.context() else { return Vec::new() };
    let most = assume::positions(profile.model, profile.typed).unwrap_or(u64::MAX);
    let first: u64 = if context >= 4096 { 512 } else { 32 };
    let all = (0..LENGTHS).map(|step| first << (2 * step)).filter(|length| *length <= most);
    // The whole table of positions may be asked for.
    let all = with(all.collect(), context);
    if most <= first << (2 * LENGTHS) { with(all, most) } else { all }
}

/// A list with one more size, in ascending order.
fn with(sizes: Vec<u64>, one: u64) -> Vec<u64> {
    let mut sizes = sizes;
    sizes.push(one);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
