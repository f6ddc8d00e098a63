//! The model on one device: memory, time, the bottleneck, and the device itself.

use calipers_report::{DeviceFacts, Hardware};

use super::context::Context;
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::{Fit, Spans};
use crate::{tables, units};

/// Kernels that are listed.
const KERNELS: usize = 5;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(hardware) = &report.hardware else { return vec![] };
    let Some(device) = &hardware.device else { return vec![] };
    let mut blocks = vec![
        Block::Paragraph(conditions(hardware, device)),
        Block::Facts(answers(hardware, device)),
    ];
    let kernels = &hardware.top_kernels[..hardware.top_kernels.len().min(KERNELS)];
    if !kernels.is_empty() {
        blocks.extend([
            Block::heading("Most expensive kernels"),
            Block::Table(tables::top_kernels(kernels)),
        ]);
    }
    blocks.push(Block::heading("Device specifications"));
    blocks.push(Block::Facts(specifications(device)));
    blocks.push(Block::list(device.found.iter().map(|words| Value::prose(words).into())));
    blocks
}

fn conditions(hardware: &Hardware, device: &DeviceFacts) -> Spans {
    let mut words = Spans::plain("On the ")
        .and(Tone::Strong, Value::prose(&device.name))
        .and_text(" at ")
        .and_value(Value::prose(hardware.precision.display_name()));
    if !hardware.precision_why.trim().is_empty() {
        words =
            words.and_text(" (").and_value(Value::quoted(&hardware.precision_why)).and_text(")");
    }
    words = words.and_text(format!(", batch {}", units::integer(hardware.batch)));
    if let Some(context) = hardware.context {
        words = words.and_text(format!(", context {}", units::integer(context)));
    }
    words.and_text(".")
}

fn answers(hardware: &Hardware, device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    facts.add(
        "Memory needed",
        Value::Fit(Fit {
            fits: hardware.fits,
            is_tight: false,
            needed: hardware.memory_bytes,
            capacity: device.memory_bytes,
        }),
    );
    facts.add("Fits", Value::known(hardware.fits, Value::Flag));
    facts.add("Largest batch that fits", hardware.largest_batch.map(Value::Integer));
    facts.add("Longest context that fits", hardware.largest_context.map(Value::Integer));
    let none = hardware.no_latency.as_ref().map(|why| match hardware.fits {
        Some(false) => Spans::plain("none: ").and_value(Value::quoted(why)),
        _ => Value::Missing(Some(why.clone())).into(),
    });
    let latency = hardware.latency_ms.map(|span| Value::Range(span).into());
    facts.add("Latency, with its range", latency.or(none));
    facts.add("When the host issues every operation", hardware.eager_ms.map(Value::Range));
    facts.add("Throughput", hardware.throughput.map(Value::Rate));
    facts.add("Bottleneck", hardware.bottleneck.map(|limit| Value::prose(limit.id())));
    let shares = hardware.shares.as_ref().map(|shares| {
        let parts = [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launch_overhead_percent, "launches"),
        ];
        let parts = parts.into_iter().filter(|(percent, _)| *percent > 0.0);
        parts
            .map(|(percent, word)| format!("{} {word}", units::percent(percent)))
            .collect::<Vec<_>>()
            .join(", ")
    });
    facts.add("Where the time goes", shares.filter(|parts| !parts.is_empty()));
    facts.add("Kernels", hardware.kernels.map(Value::Integer));
    let share = |percent: Option<f64>| {
        percent.filter(|percent| (0.05..=100.0).contains(percent)).map(Value::Percent)
    };
    facts.add("Share of the peak", share(hardware.peak_percent));
    facts.add("Share of the bandwidth", share(hardware.bandwidth_percent));
    let energy = hardware.energy_joules_at_most.map(units::energy);
    facts.add("Energy of a sample", energy.map(|energy| format!("at most {energy}")));
    facts
}

fn specifications(device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    let name = Spans::from(Value::prose(&device.name)).and_text(" (");
    facts.add("Device", name.and_value(Value::name(&device.id)).and_text(")"));
    facts.add("Class", Value::prose(device.class.id()));
    facts.add("Memory", device.memory_bytes.map(Value::Capacity));
    facts.add("Bandwidth", device.bandwidth_bytes_per_s.map(units::bandwidth));
    if let (Some(peak), Some(precision)) = (device.peak_per_s, device.computes_in) {
        let what = Spans::plain("Dense peak at ").and_value(Value::prose(precision.display_name()));
        facts.add_named(what, units::peak(peak, precision));
    }
    let why = device.computes_in_why.trim();
    // That it computes in what was asked for is not worth a line.
    let is_other = !why.is_empty() && !why.starts_with("the device's own");
    facts.add("Computed in", is_other.then(|| Value::quoted(why)));
    facts.add("Power", device.power_w.map(|watts| format!("{} W", units::decimal(watts))));
    facts.add("Evidence", Value::prose(device.evidence.id()));
    facts
}
