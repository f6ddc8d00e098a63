//! The model on one device: memory, time, what limits it, and what the device is.

use calipers_report::{DeviceFacts, Hardware, Range, Report};

use crate::markdown::escape::{code, plain, told};
use crate::markdown::page::Page;
use crate::markdown::table::{Align, Table};
use crate::markdown::words::{fits, memory_of, size, span};
use crate::units;

/// Kernels that are written.
const KERNELS: usize = 5;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(hardware) = &report.hardware else { return };
    let Some(device) = &hardware.device else { return };
    let mut words = format!("On the **{}** at {}", plain(&device.name), plain(&hardware.precision));
    if !hardware.precision_why.trim().is_empty() {
        words += &format!(" ({})", told(&hardware.precision_why));
    }
    words += &format!(", batch {}", units::integer(hardware.batch));
    if let Some(context) = hardware.context {
        words += &format!(", context {}", units::integer(context));
    }
    page.text(words + ".");
    page.table(&answers(hardware, device));
    kernels(hardware, page);
    page.heading("Device specifications");
    page.table(&specifications(device));
    let found: Vec<String> = device.found.iter().map(|words| plain(words)).collect();
    page.list(&found);
}

fn answers(hardware: &Hardware, device: &DeviceFacts) -> Table {
    let mut table = Table::facts();
    table.fact("Memory needed", memory_of(hardware.memory_bytes, device.memory_bytes));
    table.fact("Fits", fits(hardware.fits, false).to_owned());
    table.fact("Largest batch that fits", hardware.largest_batch.map(units::integer));
    table.fact("Longest context that fits", hardware.largest_context.map(units::integer));
    let time = |time: &Option<Range<f64>>| time.as_ref().map(span);
    let none = hardware.no_latency.as_ref().map(|why| match hardware.fits {
        Some(false) => format!("none: {}", told(why)),
        _ => format!("unknown: {}", told(why)),
    });
    table.fact("Latency, with its range", time(&hardware.latency_ms).or(none));
    let issued = time(&hardware.issued_ms);
    table.fact("When the host issues every operation", issued);
    table.fact("Throughput", hardware.throughput.map(units::rate));
    table.fact("Bottleneck", hardware.bottleneck.map(|limit| plain(limit.id())));
    let shares = hardware.shares.as_ref().map(|shares| {
        let parts = [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launches_percent, "launches"),
        ];
        let parts = parts.into_iter().filter(|(percent, _)| *percent > 0.0);
        parts
            .map(|(percent, word)| format!("{} {word}", units::percent(percent)))
            .collect::<Vec<_>>()
            .join(", ")
    });
    table.fact("Where the time goes", shares.filter(|parts| !parts.is_empty()));
    table.fact("Kernels", hardware.kernels.map(units::integer));
    let share = |percent: Option<f64>| {
        percent.filter(|percent| (0.05..=100.0).contains(percent)).map(units::percent)
    };
    table.fact("Share of the peak", share(hardware.peak_percent));
    table.fact("Share of the bandwidth", share(hardware.bandwidth_percent));
    let energy = hardware.energy_joules_at_most.map(units::energy);
    table.fact("Energy of a sample", energy.map(|energy| format!("at most {energy}")));
    table
}

fn kernels(hardware: &Hardware, page: &mut Page) {
    let mut table = Table::new(&[
        ("Kernel", Align::Left),
        ("Kind", Align::Left),
        ("Time", Align::Right),
        ("Share", Align::Right),
    ]);
    for kernel in hardware.dearest.iter().take(KERNELS) {
        let time = units::time(kernel.ms);
        table.row(vec![
            code(&kernel.node),
            plain(kernel.kind.id()),
            time,
            units::percent(kernel.percent),
        ]);
    }
    if !table.is_empty() {
        page.heading("Dearest kernels");
        page.table(&table);
    }
}

fn specifications(device: &DeviceFacts) -> Table {
    let mut table = Table::facts();
    table.fact("Device", format!("{} ({})", plain(&device.name), code(&device.id)));
    table.fact("Class", plain(&device.class));
    table.fact("Memory", device.memory_bytes.map(units::capacity));
    table.fact("Bandwidth", device.bandwidth_bytes_per_s.map(units::bandwidth));
    if let (Some(peak), Some(precision)) = (device.peak_per_s, &device.computes_in) {
        table.fact(&format!("Dense peak at {}", plain(precision)), units::peak(peak, precision));
    }
    let why = device.computes_in_why.trim();
    // That it computes in what was asked for is not worth a line.
    let is_other = !why.is_empty() && !why.starts_with("the device's own");
    table.fact("Computed in", is_other.then(|| told(why)));
    table.fact("Power", device.power_w.map(|watts| format!("{} W", units::decimal(watts))));
    table.fact("Evidence", plain(&device.evidence));
    table
}

/// What a run needs of memory, part by part; the requirements show it.
pub(super) fn memory_parts(hardware: &Hardware) -> Table {
    let mut table = Table::new(&[("Memory for", Align::Left), ("Bytes", Align::Right)]);
    let Some(need) = &hardware.memory else { return table };
    let part = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), size);
    table.row(vec!["Weights".to_owned(), part(need.weights_bytes)]);
    table.row(vec!["Activations".to_owned(), part(need.activations_bytes)]);
    if need.kv_cache_bytes.is_some() {
        table.row(vec!["KV cache".to_owned(), part(need.kv_cache_bytes)]);
    }
    let workspace = &need.workspace_bytes;
    let [low, expected, high] =
        [workspace.low, workspace.expected, workspace.high].map(units::gigabytes);
    table.row(vec![
        "What a runtime takes besides".to_owned(),
        format!("{expected} ({low} to {high})"),
    ]);
    if let Some(bytes) = hardware.memory_bytes {
        table.row(vec!["Together".to_owned(), units::gigabytes(bytes)]);
    }
    table
}
