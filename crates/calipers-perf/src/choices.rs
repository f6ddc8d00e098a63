//! Sizes that a reader may choose, and what follows from them without looking at the model again:
//! lives of activations as formulas, times from a table.

use std::collections::BTreeMap;

use calipers_measure::assume::{self, Role};
use calipers_measure::memory;
use calipers_report::{DeviceTimes, Knob, SizeChoices, TimeTable};

use crate::answer::Question;
use crate::devices::Device;
use crate::room::Room as MemoryRoom;
use crate::scaling;
use crate::subject::{At, Subject};

/// Batches that are looked at.
const BATCHES: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];
/// Lengths that are looked at.
const LENGTHS: usize = 8;
/// Kernels beyond which only the sizes of the report are looked at.
const MOST_KERNELS: usize = 20_000;

/// The sizes that a reader can choose, with live ranges and times for each.
pub fn size_choices(subject: &Subject<'_>, question: &Question) -> SizeChoices {
    let mut choices = SizeChoices { knobs: knobs(subject, question), ..SizeChoices::default() };
    if !subject.sizes.is_empty() {
        match memory::lives(subject.model, subject.typed, subject.sizes) {
            Ok(lives) => choices.lives = lives,
            Err(error) => choices.no_lives = Some(error.to_string()),
        }
    }
    choices.times = times(subject, question);
    choices
}

fn knobs(subject: &Subject<'_>, question: &Question) -> Vec<Knob> {
    let mut knobs = Vec::new();
    let mut left: BTreeMap<&str, u64> = BTreeMap::new();
    for (name, assumed) in subject.sizes {
        left.insert(name, u64::try_from(assumed.size).unwrap_or(1));
    }
    let free = subject.batch.fixed.is_none();
    let symbols = subject.batch.symbols.iter().filter(|_| free);
    let dims: BTreeMap<String, i64> = symbols.map(|name| (name.clone(), 0)).collect();
    left.retain(|name, _| !dims.contains_key(*name));
    let size = question.batch.unwrap_or_else(|| subject.base_batch()).max(1);
    knobs.push(Knob { name: "batch".to_owned(), size, fixed: dims.is_empty(), dims, most: None });
    if let Some(context) = subject.context() {
        let mut dims = BTreeMap::new();
        for (role, offset) in [(Role::Past, -1), (Role::Room, 0), (Role::Sequence, 0)] {
            dims.extend(subject.named(role).map(|(name, _)| (name.clone(), offset)));
        }
        left.retain(|name, _| !dims.contains_key(*name));
        let name = if subject.cached() { "context" } else { "sequence" };
        let most = assume::positions(subject.model, subject.typed);
        knobs.push(Knob { name: name.to_owned(), size: context, most, dims, fixed: false });
    }
    knobs.extend(left.into_iter().map(|(name, size)| Knob {
        name: name.to_owned(),
        size,
        most: None,
        dims: BTreeMap::from([(name.to_owned(), 0)]),
        fixed: false,
    }));
    knobs
}

fn times(subject: &Subject<'_>, question: &Question) -> TimeTable {
    let mut devices: Vec<&Device> = question.device.iter().collect();
    let named = devices.first().map(|device| device.id.clone());
    devices.extend(question.table.iter().filter(|device| Some(&device.id) != named.as_ref()));
    if subject.untimed().is_some() || devices.is_empty() {
        return TimeTable::default();
    }
    let few = subject.running.kernels.len() <= MOST_KERNELS;
    let base = question.batch.unwrap_or_else(|| subject.base_batch()).max(1);
    let batches = with(if few { BATCHES.to_vec() } else { Vec::new() }, base);
    let lengths = lengths(subject, few);
    let room = MemoryRoom::new(subject);
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
            let at = sizes(subject, *batch, length);
            let kernels = subject.kernels(&at);
            for (times, device) in table.devices.iter_mut().zip(&devices) {
                let time = || {
                    let kernels = kernels.as_ref().map_err(Clone::clone)?;
                    subject.time(kernels, device)
                };
                times.runs.push(scaling::run(&room.fit(&at, device), *batch, time).0);
            }
        }
    }
    table
}

fn sizes(subject: &Subject<'_>, batch: u64, length: Option<u64>) -> At {
    let dims = length.map(|length| {
        let new = if subject.cached() { 1 } else { length };
        subject.lengths(length, new)
    });
    At { batch, dims: dims.unwrap_or_default() }
}

/// Lengths in powers of two around the report's.
fn lengths(subject: &Subject<'_>, few: bool) -> Vec<u64> {
    let Some(context) = subject.context() else { return Vec::new() };
    let most = assume::positions(subject.model, subject.typed).unwrap_or(u64::MAX);
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
