//! Whether it fits, and how fast it runs, on the device that was asked for.

use calipers_report::units;
use calipers_report::{Bottleneck, DeviceFacts, Hardware, Range, Report};

use super::super::wording::listed;

/// On the device that was asked for. Without one, only whether the compared devices fit it.
pub(in super::super) fn sentences(report: &Report) -> Vec<String> {
    let Some(hardware) = &report.hardware else { return Vec::new() };
    match &hardware.device {
        Some(device) => on_device(hardware, device),
        None => fitting(hardware).into_iter().collect(),
    }
}

fn on_device(hardware: &Hardware, device: &DeviceFacts) -> Vec<String> {
    let name = short(&device.name);
    let need = hardware
        .memory_bytes
        .map(|bytes| format!(", needing {}", units::gigabytes(bytes)))
        .unwrap_or_default();
    let mut sentences = vec![match hardware.fits {
        Some(true) => format!("It fits the {name}{need}."),
        Some(false) => format!("It does not fit the {name}{need}."),
        None => format!("Whether it fits the {name} is unknown."),
    }];
    let precision = hardware.precision.display_name();
    let tokens = hardware.generation.as_ref().map(|generation| {
        let first = generation.first_token_ms;
        let first = first.map(|time| format!("the first token takes {}", range(time)));
        let next = generation.token_ms;
        let next = next.map(|time| format!("each further token {}", range(time)));
        first.into_iter().chain(next).collect::<Vec<_>>()
    });
    sentences.push(match (tokens.filter(|times| !times.is_empty()), hardware.latency_ms) {
        (Some(times), _) => format!("In {precision}, {}.", listed(&times)),
        (None, Some(time)) => format!(
            "In {precision}{}, one run takes {}{}.",
            at_batch(hardware),
            range(time),
            limited_by(hardware.bottleneck)
        ),
        (None, None) => "Its latency there is unknown.".to_owned(),
    });
    sentences
}

/// The batch of the figures; nothing for inputs without a batch dimension.
pub(in super::super) fn at_batch(hardware: &Hardware) -> String {
    match hardware.batch_dimension {
        true => format!(" at batch {}", units::integer(hardware.batch)),
        false => String::new(),
    }
}

/// What limits the speed: `, limited by compute`.
pub(in super::super) fn limited_by(bottleneck: Option<Bottleneck>) -> &'static str {
    match bottleneck {
        Some(Bottleneck::Compute) => ", limited by compute",
        Some(Bottleneck::MemoryBandwidth) => ", limited by memory bandwidth",
        Some(Bottleneck::LaunchOverhead) => ", limited by launch overhead",
        _ => "",
    }
}

/// How many of the compared devices fit it, where some do not.
fn fitting(hardware: &Hardware) -> Option<String> {
    let count =
        |fits: bool| hardware.devices.iter().filter(|row| row.fits == Some(fits)).count() as u64;
    let all = units::counted(hardware.devices.len() as u64, "device", "devices");
    match (count(true), count(false)) {
        (_, 0) => None,
        (0, _) => Some(format!("It fits none of the {all} compared.")),
        (fits, _) => Some(format!("It fits {} of the {all} compared.", units::integer(fits))),
    }
}

/// A device's name without what is in parentheses behind it.
pub(in super::super) fn short(name: &str) -> &str {
    name.split(" (").next().unwrap_or(name)
}

/// A time with its range.
pub(in super::super) fn range(time: Range) -> String {
    units::time_range(time.low, time.expected, time.high)
}
