//! Where it fits, and how fast it is there.

use calipers_report::units;
use calipers_report::{Bottleneck, DeviceRow, Hardware, Range, Report};

use super::super::wording::listed;

/// Devices that are named as too small.
const NAMED: usize = 3;

/// On the device that was asked for, else on those that are compared.
pub(in super::super) fn reported(report: &Report) -> Vec<String> {
    let Some(hardware) = &report.hardware else { return Vec::new() };
    if hardware.device.is_some() {
        return on_device(hardware);
    }
    let mut sentences = Vec::new();
    sentences.extend(fitting(hardware));
    sentences.extend(speed(report, hardware));
    sentences
}

fn on_device(hardware: &Hardware) -> Vec<String> {
    let Some(device) = &hardware.device else { return Vec::new() };
    let name = short(&device.name);
    let need = hardware
        .memory_bytes
        .map(|bytes| format!(", needing {}", units::gigabytes(bytes)))
        .unwrap_or_default();
    let mut sentences = vec![match hardware.fits {
        Some(true) => format!("It fits the {name}{need}."),
        Some(false) => format!("It does not fit the {name}{need}."),
        None => format!("Whether it fits the {name} cannot be determined."),
    }];
    match (&hardware.generation, hardware.latency_ms) {
        (Some(generation), _)
            if generation.token_ms.is_some() || generation.first_token_ms.is_some() =>
        {
            let first = generation
                .first_token_ms
                .map(|time| format!("the first token after {}", range(time)));
            let rest =
                generation.token_ms.map(|time| format!("each further one after {}", range(time)));
            let both: Vec<String> = first.into_iter().chain(rest).collect();
            sentences.push(format!(
                "In {} expect {}.",
                hardware.precision.display_name(),
                listed(&both)
            ));
        }
        (_, Some(time)) => {
            let limit = limited_by(hardware.bottleneck);
            sentences.push(format!(
                "In {}{} a run should take {}{limit}.",
                hardware.precision.display_name(),
                at_batch(hardware),
                range(time)
            ));
        }
        _ => sentences.push("How fast it is there is not known.".to_owned()),
    }
    sentences
}

/// The batch of the figures; nothing for inputs without a batch dimension.
fn at_batch(hardware: &Hardware) -> String {
    match hardware.batch_dimension {
        true => format!(" at batch {}", units::integer(hardware.batch)),
        false => String::new(),
    }
}

fn limited_by(bottleneck: Option<Bottleneck>) -> &'static str {
    match bottleneck {
        Some(Bottleneck::Compute) => ", limited by arithmetic",
        Some(Bottleneck::MemoryBandwidth) => ", limited by memory",
        Some(Bottleneck::LaunchOverhead) => ", limited by launching kernels",
        _ => "",
    }
}

fn fitting(hardware: &Hardware) -> Option<String> {
    let rows = &hardware.devices;
    let fits = rows.iter().filter(|row| row.fits == Some(true)).count() as u64;
    let small: Vec<String> = rows
        .iter()
        .filter(|row| row.fits == Some(false))
        .map(|row| format!("the {}", short(&row.name)))
        .collect();
    let all = rows.len() as u64;
    if all == 0 {
        return None;
    }
    Some(match (fits, small.len()) {
        (0, 0) => {
            format!(
                "Whether it fits the {} devices compared cannot be determined.",
                units::integer(all)
            )
        }
        (0, _) => format!("It fits none of the {} devices compared.", units::integer(all)),
        (fits, 0) if fits == all => {
            format!("It fits all {} devices compared.", units::integer(all))
        }
        (fits, 0) => format!(
            "It fits {} of the {} devices compared; of the rest it cannot be determined.",
            units::integer(fits),
            units::integer(all)
        ),
        (fits, count) if count <= NAMED => format!(
            "It fits {} of the {} devices compared, not {}.",
            units::integer(fits),
            units::integer(all),
            listed(&small)
        ),
        (fits, _) => format!(
            "It fits {} of the {} devices compared; too small are {} and others.",
            units::integer(fits),
            units::integer(all),
            small[..NAMED].join(", ")
        ),
    })
}

/// The fastest and the slowest of those compared.
fn speed(report: &Report, hardware: &Hardware) -> Option<String> {
    let timed = || hardware.devices.iter().filter_map(|row| Some((row, row.latency_ms?)));
    let order = |a: &(&DeviceRow, Range<f64>), b: &(&DeviceRow, Range<f64>)| {
        a.1.expected.total_cmp(&b.1.expected)
    };
    let (fast, first) = timed().min_by(order)?;
    let (slow, last) = timed().max_by(order)?;
    let run = if report.memory.kv_cache.is_some() { "a step" } else { "a run" };
    let batch = at_batch(hardware);
    let at = format!("In {}{batch} {run} should take", hardware.precision.display_name());
    let on = |row: &DeviceRow| format!("on the {}", short(&row.name));
    if fast.id == slow.id {
        return Some(format!("{at} {} {}.", range(first), on(fast)));
    }
    Some(format!("{at} {} {}, and {} {}.", range(first), on(fast), range(last), on(slow)))
}

/// A device's name without what is in brackets behind it.
fn short(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

fn range(time: Range<f64>) -> String {
    units::time_range(time.low, time.expected, time.high)
}
