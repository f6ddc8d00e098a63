//! Sizes that a reader of the HTML report can choose, and what follows from them: live ranges of
//! activations as formulas, times from a table.

use std::collections::BTreeMap;

use calipers_measure::assume::{self, Role};
use calipers_measure::memory;
use calipers_report::{DeviceTimes, SizeControl, SizeControls, TimeTable};

use crate::devices::Device;
use crate::memory_fit::MemoryFit;
use crate::profile::{MOST_KERNELS, ModelProfile, OperatingPoint};
use crate::query::HardwareQuery;
use crate::scaling;

/// Batches in the table.
const BATCHES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Number of lengths in the table.
const LENGTHS: usize = 8;

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
        fixed: dims.is_empty(),
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
            fixed: false,
        });
    }
    size_controls.extend(left.into_iter().map(|(name, size)| SizeControl {
        name: name.to_owned(),
        size,
        most: None,
        dims: BTreeMap::from([(name.to_owned(), 0)]),
        fixed: false,
    }));
    size_controls
}

fn times(profile: &ModelProfile<'_>, query: &HardwareQuery) -> TimeTable {
    let mut devices: Vec<&Device> = query.device.iter().collect();
    let named = devices.first().map(|device| device.id.clone());
    devices.extend(query.table.iter().filter(|device| Some(&device.id) != named.as_ref()));
    if profile.untimed().is_some() || devices.is_empty() {
        return TimeTable::default();
    }
    let few = profile.plan.kernels.len() <= MOST_KERNELS;
    let base = query.batch.unwrap_or_else(|| profile.base_batch()).max(1);
    let batches = with(if few { BATCHES.to_vec() } else { Vec::new() }, base);
    let lengths = lengths(profile, few);
    let memory_fit = MemoryFit::new(profile);
    let mut table = TimeTable {
        devices: devices
            .iter()
            .map(|device| DeviceTimes {
                id: device.id.clone(),
                name: device.name.clone(),
                memory_bytes: device.memory_bytes(),
                runs: Vec::new(),
            })
            .collect(),
        batches,
        lengths,
    };
    let every: Vec<Option<u64>> = match table.lengths.is_empty() {
        true => vec![None],
        false => table.lengths.iter().copied().map(Some).collect(),
    };
    for length in every {
        for batch in &table.batches {
            let at = sizes(profile, *batch, length);
            let kernels = profile.kernels(&at);
            for (times, device) in table.devices.iter_mut().zip(&devices) {
                let time = || {
                    let kernels = kernels.as_ref().map_err(Clone::clone)?;
                    profile.time(kernels, device)
                };
                times.runs.push(scaling::run(&memory_fit.fit(&at, device), *batch, time).0);
            }
        }
    }
    table
}

fn sizes(profile: &ModelProfile<'_>, batch: u64, length: Option<u64>) -> OperatingPoint {
    let dims = length.map(|length| {
        let new = if profile.cached() { 1 } else { length };
        profile.lengths(length, new)
    });
    OperatingPoint { batch, dims: dims.unwrap_or_default() }
}

/// Lengths in powers of two around the report's.
fn lengths(profile: &ModelProfile<'_>, few: bool) -> Vec<u64> {
    let Some(context) = profile.context() else { return Vec::new() };
    let most = assume::positions(profile.model, profile.typed).unwrap_or(u64::MAX);
    let first: u64 = if context >= 4096 { 512 } else { 32 };
    let all = (0..LENGTHS).map(|power| first << power).filter(|length| *length <= most);
    with(if few { all.collect() } else { Vec::new() }, context)
}

/// A list with one more size, in order.
fn with(sizes: Vec<u64>, one: u64) -> Vec<u64> {
    let mut sizes = sizes;
    sizes.push(one);
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
