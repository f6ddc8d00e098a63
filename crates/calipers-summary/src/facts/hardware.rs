//! Where the model fits, and how fast it runs there. Every fact names its device.

use calipers_report::units;
use calipers_report::{DeviceRow, Hardware, Report};

use super::super::names;
use super::super::parts::devices::{at_batch, limited_by, range, short};
use super::{Fact, Role};

/// Devices whose times are listed, and devices listed that the model does not fit.
const MAX_DEVICES: usize = 4;

/// What is known of the device that was asked for.
pub(super) fn device(report: &Report) -> Vec<Fact> {
    let Some(hardware) = &report.hardware else { return Vec::new() };
    let Some(device) = &hardware.device else { return Vec::new() };
    let name = device_name(&device.name);
    let mut facts = vec![match hardware.fits {
        Some(true) => Fact::new(Role::Fit, name.clone()),
        Some(false) => {
            Fact::new(Role::Statement, format!("It does not fit {name}")).required_if(true)
        }
        None => Fact::new(Role::Statement, format!("Whether it fits {name} is unknown")),
    }];
    if let Some(bytes) = hardware.memory_bytes {
        let text = format!("{} of memory on {name}", units::gigabytes(bytes));
        facts.push(Fact::new(Role::Cost, text));
    }
    facts.extend(times(hardware, &name));
    let mut detail = |role, text: String| facts.push(Fact::new(role, text).detail());
    if let Some(time) = hardware.eager_ms {
        detail(Role::Time, format!("{} per run in eager mode on {name}", range(time)));
    }
    if let Some(batch) = hardware.largest_batch {
        let batch = units::integer(batch);
        detail(Role::Statement, format!("The largest batch that fits {name} is {batch}"));
    }
    if let Some(tokens) = hardware.largest_context {
        let tokens = units::integer(tokens);
        let text = format!("The longest context that fits {name} is {tokens} tokens");
        detail(Role::Statement, text);
    }
    facts
}

/// Times and throughput on the device that was asked for.
fn times(hardware: &Hardware, name: &str) -> Vec<Fact> {
    let mut facts = Vec::new();
    let precision = hardware.precision.display_name();
    if let Some(generation) = &hardware.generation {
        if let Some(time) = generation.first_token_ms {
            let text = format!("{} for the first token on {name} in {precision}", range(time));
            facts.push(Fact::new(Role::Time, text));
        }
        if let Some(time) = generation.token_ms {
            let text = format!("{} for each further token on {name} in {precision}", range(time));
            facts.push(Fact::new(Role::Time, text));
        }
        if let Some(rate) = generation.tokens_per_s {
            let rate = per_second(rate, "tokens");
            facts.extend(rate.map(|rate| Fact::new(Role::Rate, format!("{rate} on {name}"))));
        }
    }
    if let Some(time) = hardware.latency_ms {
        let (batch, limit) = (at_batch(hardware), limited_by(hardware.bottleneck));
        let text = format!("{} per run on {name} in {precision}{batch}{limit}", range(time));
        facts.push(Fact::new(Role::Time, text));
    } else if facts.is_empty() {
        facts.push(Fact::new(Role::Statement, format!("The latency on {name} is unknown")));
    }
    if let Some(rate) = hardware.throughput.and_then(|rate| per_second(rate, "samples")) {
        facts.push(Fact::new(Role::Rate, format!("{rate} on {name}")));
    }
    facts
}

/// What is known of the devices that are compared.
pub(super) fn compared(report: &Report) -> Vec<Fact> {
    let Some(hardware) = &report.hardware else { return Vec::new() };
    let rows = &hardware.devices;
    if rows.is_empty() {
        return Vec::new();
    }
    let fitting = rows.iter().filter(|row| row.fits == Some(true)).count();
    let all = units::counted(rows.len() as u64, "device", "devices");
    let mut facts = vec![match fitting {
        0 => Fact::new(Role::Statement, format!("It fits none of the {all} compared")),
        fits if fits == rows.len() => Fact::new(Role::Fit, format!("all {all} compared")),
        fits => {
            let fits = units::integer(fits as u64);
            Fact::new(Role::Fit, format!("{fits} of the {all} compared"))
        }
    }];
    let lacking = rows.iter().filter(|row| row.fits == Some(false)).take(MAX_DEVICES);
    facts.extend(lacking.map(|row| {
        Fact::new(Role::Statement, format!("It does not fit {}", device_name(&row.name))).detail()
    }));
    facts.extend(rows.iter().take(MAX_DEVICES).filter_map(|row| row_time(hardware, row)));
    facts
}

fn row_time(hardware: &Hardware, row: &DeviceRow) -> Option<Fact> {
    let time = range(row.latency_ms?);
    let precision = row.computes_in.unwrap_or(hardware.precision).display_name();
    let (name, batch) = (device_name(&row.name), at_batch(hardware));
    let text = format!("{time} per run on {name} in {precision}{batch}");
    Some(Fact::new(Role::Time, text).detail())
}

/// The device with its article. A device file of the user's may hold any name.
fn device_name(name: &str) -> String {
    format!("the {}", names::as_data(short(name)))
}

/// A rate in words: `515 samples per second`.
fn per_second(rate: f64, noun: &str) -> Option<String> {
    let text = units::rate(rate);
    let count = text.strip_suffix("/s")?;
    Some(format!("{count} {noun} per second"))
}
