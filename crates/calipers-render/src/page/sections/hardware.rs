//! Where the model runs, and how fast: a table of devices that follows the controls.

use calipers_report::{Bottleneck, DeviceRow, GraphView, Report};
use maud::{Markup, html};

use super::parts::part;
use crate::page::untrusted::Untrusted;
use crate::units;

/// The section; nothing where no estimate was asked for.
pub(super) fn hardware(report: &Report, view: &GraphView) -> Markup {
    let Some(hardware) = &report.hardware else { return Markup::default() };
    let is_live = !view.sizes.times.devices.is_empty();
    part(
        "hardware",
        "Hardware",
        &html! {
            p.note {
                "Estimated time per run, with its uncertainty range; memory includes weights, \
                 activations, KV cache and runtime overhead. "
                a href="#card-method" { "How the figures are estimated" }
            }
            @if is_live {
                #device-now role="status" {}
                (filters())
            }
            @if !hardware.devices.is_empty() || is_live {
                #device-scroll .scroll.tall tabindex="0" role="region" aria-label="Devices" {
                    table #device-table .devices {
                        thead { tr {
                            @for (name, class) in COLUMNS { th scope="col" class=[class] { (name) } }
                        } }
                        tbody { @for row in &hardware.devices { (device_row(row)) } }
                    }
                }
            }
            @if is_live {
                div.charts {
                    div #batch-scaling {}
                    div #length-scaling {}
                }
            }
        },
    )
}

/// Columns of the table of devices, with the class of their cells.
const COLUMNS: [(&str, Option<&str>); 8] = [
    ("Device", None),
    ("Class", Some("extra")),
    ("Latency", Some("number")),
    ("Throughput", Some("number")),
    ("Memory needed", Some("number")),
    ("Device memory", Some("number extra")),
    ("Fits", None),
    ("Bottleneck", Some("extra")),
];

fn filters() -> Markup {
    html! {
        div.bar role="group" aria-label="Devices to show" {
            input #device-text type="search" placeholder="Filter devices"
                aria-label="Filter devices" autocomplete="off";
            label.inline { "Class " select #device-class { option value="" { "all" } } }
            label.inline { input #device-fits type="checkbox"; " fits" }
            span #device-count .note role="status" {}
        }
    }
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
        tr {
            th scope="row" { (Untrusted(&row.name)) }
            td.extra {}
            td.number {
                @match (&row.latency_ms, &row.reason) {
                    (Some(span), _) => (units::time_range(span.low, span.expected, span.high)),
                    (None, Some(reason)) => (Untrusted(reason)),
                    (None, None) => "–",
                }
            }
            td.number { (row.throughput.map_or_else(|| "–".to_owned(), units::rate)) }
            td.number { (memory(row.memory_bytes)) }
            td.number.extra { (capacity) }
            td { (fits) }
            td.extra { (Untrusted(row.bottleneck.map_or("–", Bottleneck::display_name))) }
        }
    }
}
