//! The model on one device: memory, latency, bottleneck, and the device's specifications.

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
            Block::heading("Slowest kernels"),
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
    words = words.and_text(" with ").and_text(hardware.runtime.display_name());
    if let Some(threads) = hardware.threads {
        words = words.and_text(format!(", {}", thread_count(threads)));
    }
    words.and_text(format!("{}.", sizes(hardware)))
}

/// The intra-op threads: `16 threads`.
pub(super) fn thread_count(threads: u32) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// The batch and the context of the figures: `, batch 1, context 2,048`.
pub(super) fn sizes(hardware: &Hardware) -> String {
    let batch = match hardware.batch_dimension {
        true => format!(", batch {}", units::integer(hardware.batch)),
        false => String::new(),
    };
    let context = hardware.context.map(|context| format!(", context {}", units::integer(context)));
    batch + &context.unwrap_or_default()
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
    facts.add("Largest batch", hardware.largest_batch.map(Value::Integer));
    facts.add("Longest context", hardware.largest_context.map(Value::Integer));
    let none = hardware.no_latency.as_ref().map(|why| match hardware.fits {
        Some(false) => Spans::plain("none: ").and_value(Value::quoted(why)),
        _ => Value::Missing(Some(why.clone())).into(),
    });
    let latency = hardware.latency_ms.map(|span| Value::Range(span).into());
    facts.add("Latency", latency.or(none));
    facts.add("Eager mode (no CUDA graph)", hardware.eager_ms.map(Value::Range));
    facts.add("Weight read floor", hardware.weight_read_floor_ms.map(Value::Milliseconds));
    let confidence = hardware.confidence.map(|confidence| confidence.display_name());
    facts.add("Confidence", confidence.map(Value::prose));
    facts.add("Throughput", hardware.throughput.map(Value::Rate));
    facts.add("Optimal batch", optimal_batch(hardware));
    facts.add("Bottleneck", hardware.bottleneck.map(|limit| Value::prose(limit.display_name())));
    let shares = hardware.shares.as_ref().map(|shares| {
        let parts = [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launch_overhead_percent, "launch overhead"),
        ];
        let parts = parts.into_iter().filter(|(percent, _)| *percent > 0.0);
        parts
            .map(|(percent, word)| format!("{} {word}", units::percent(percent)))
            .collect::<Vec<_>>()
            .join(", ")
    });
    facts.add("Time by cause", shares.filter(|parts| !parts.is_empty()));
    facts.add("Kernels", hardware.kernels.map(Value::Integer));
    let share = |percent: Option<f64>| {
        percent.filter(|percent| (0.05..=100.0).contains(percent)).map(Value::Percent)
    };
    facts.add("Compute utilization", utilization(hardware));
    facts.add("Bandwidth utilization", share(hardware.bandwidth_percent));
    let energy = hardware.energy_joules_at_most.map(units::energy);
    facts.add("Energy per sample", energy.map(|energy| format!("at most {energy}")));
    facts
}

/// The compute utilization, or why it is not known.
pub(super) fn utilization(hardware: &Hardware) -> Spans {
    let why = hardware.no_peak_percent.as_ref().or(hardware.no_latency.as_ref());
    match hardware.peak_percent {
        Some(percent) if percent < 0.05 => Spans::plain("below 0.1%"),
        Some(percent) => Value::Percent(percent).into(),
        None => Value::Missing(why.cloned()).into(),
    }
}

/// The batch from which throughput hardly grows.
pub(super) fn optimal_batch(hardware: &Hardware) -> Option<Spans> {
    let last = hardware.batch_scaling.iter().rev().find(|row| row.throughput.is_some())?;
    Some(match hardware.saturation_batch {
        Some(batch) => Value::Integer(batch).into(),
        None => {
            Spans::plain(format!("{} or more: throughput still grows", units::integer(last.size)))
        }
    })
}

fn specifications(device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    let name = Spans::from(Value::prose(&device.name)).and_text(" (");
    facts.add("Device", name.and_value(Value::name(&device.id)).and_text(")"));
    facts.add("Class", Value::prose(device.class.display_name()));
    facts.add("Memory", device.memory_bytes.map(Value::Capacity));
    facts.add("Bandwidth", device.bandwidth_bytes_per_s.map(units::bandwidth));
    let peaks = device.peaks_per_s.iter().map(|(precision, peak)| {
        Spans::plain(format!("{} {}", precision.display_name(), units::peak(*peak, *precision)))
    });
    let peaks: Vec<Spans> = peaks.collect();
    facts.add("Dense peaks", (!peaks.is_empty()).then(|| Spans::joined(peaks, ", ")));
    let why = device.computes_in_why.trim();
    // The requested precision needs no line.
    let is_other = !why.is_empty() && !why.starts_with("the device's own");
    facts.add("Precision used", is_other.then(|| Value::quoted(why)));
    facts.add("Power", device.power_w.map(|watts| format!("{} W", units::decimal(watts))));
    facts.add("Evidence", Value::prose(device.evidence.display_name()));
    facts
}
