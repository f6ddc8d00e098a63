//! Where the model runs, and how fast.

use calipers_report::{Bottleneck, DeviceRow, GraphView, Report};
use maud::{Markup, html};

use super::charts;
use super::parts::{part, table};
use crate::page::untrusted::Untrusted;
use crate::units;

/// Columns of the table of devices.
const DEVICE_COLUMNS: [&str; 7] =
    ["Device", "Memory", "Needed", "Fits", "Time of one run", "A second", "Bound by"];

/// The section; nothing where no estimate was asked for.
pub(super) fn hardware(report: &Report, view: &GraphView) -> Markup {
    let Some(hardware) = &report.hardware else { return Markup::default() };
    let rows: Vec<Markup> = hardware.devices.iter().map(device_row).collect();
    let scaling = ["batch-scaling", "sequence-scaling", "resolution-scaling"];
    part(
        "hardware",
        "Hardware",
        &html! {
            p.note {
                "In " (hardware.precision.display_name()) " (" (Untrusted(&hardware.precision_why))
                "), batch " (units::integer(hardware.batch))
                ". Times are estimates of one run, with the range that they are believed in."
            }
            @if !view.sizes.times.devices.is_empty() {
                #device-bar .bar role="group" aria-label="Device and sizes" {}
                #device-now role="status" {}
            }
            @if !rows.is_empty() { (table("Devices", &DEVICE_COLUMNS, &rows)) }
            (charts::show(report, &scaling))
            @if !hardware.method.is_empty() || !hardware.assumptions.is_empty() {
                details {
                    summary { "How these are made" }
                    ul {
                        @for line in &hardware.method { li { (Untrusted(line)) } }
                        @for it in &hardware.assumptions {
                            li {
                                (Untrusted(&it.what)) ": " (Untrusted(&it.value)) ", "
                                (Untrusted(&it.why))
                            }
                        }
                    }
                }
            }
        },
    )
}

fn device_row(row: &DeviceRow) -> Markup {
    let memory = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), units::gigabytes);
    let capacity = row.device_memory_bytes.map_or_else(|| "unknown".to_owned(), units::capacity);
    let fits = match (row.fits, row.tight) {
        (Some(true), false) => "yes",
        (Some(true), true) => "barely",
        (Some(false), _) => "no",
        (None, _) => "unknown",
    };
    html! {
        tr data-device=(Untrusted(&row.id)) {
            th scope="row" { (Untrusted(&row.name)) }
            td.number { (capacity) }
            td.number { (memory(row.memory_bytes)) }
            td { (fits) }
            td.time {
                @match (&row.latency_ms, &row.reason) {
                    (Some(span), _) => (units::time_range(span.low, span.expected, span.high)),
                    (None, Some(reason)) => (Untrusted(reason)),
                    (None, None) => "–",
                }
            }
            td.number { (row.throughput.map_or_else(|| "–".to_owned(), units::rate)) }
            td { (Untrusted(row.bottleneck.map_or("–", Bottleneck::id))) }
        }
    }
}
