//! What the model asks of a machine: memory, and the devices that meet a stated target.

use calipers_report::{Report, Requirement, Requirements};

use super::hardware::memory_parts;
use crate::markdown::escape::plain;
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::span;
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(hardware) = &report.hardware else { return };
    page.table(&memory_parts(hardware));
    if let Some(requirements) = &hardware.requirements {
        levels(requirements, page);
    } else if hardware.memory.is_some() {
        page.text(
            "That is memory alone. No latency and no throughput was stated as a target, so no \
             device is called the least that will do.",
        );
    }
}

fn levels(requirements: &Requirements, page: &mut Page) {
    let targets: Vec<String> = [
        requirements.target_latency_ms.map(|ms| format!("at most {}", units::time(ms))),
        requirements.target_throughput.map(|rate| format!("at least {}", units::rate(rate))),
    ]
    .into_iter()
    .flatten()
    .collect();
    page.text(format!("**Target:** {}.", targets.join(" and ")));
    let mut table = Table::new(&[
        ("Level", Align::Left),
        ("Device", Align::Left),
        ("Batch", Align::Right),
        ("Latency", Align::Right),
        ("Throughput", Align::Right),
        ("Memory", Align::Right),
    ]);
    for (level, found) in [
        ("Minimum", &requirements.minimum),
        ("Recommended", &requirements.recommended),
        ("Comfortable", &requirements.comfortable),
    ] {
        table.row(match found {
            Some(found) => row(level, found),
            None => vec![level.to_owned(), "none".to_owned()],
        });
    }
    page.table(&table);
    page.text(
        "The minimum is expected to meet the target; the recommended one meets it at the high end of \
         its range; the comfortable one with half of its time and memory to spare. Each is the \
         slowest that does.",
    );
    if !requirements.why.trim().is_empty() {
        let word = match requirements.met {
            Some(true) => "Met",
            Some(false) => "Missed",
            None => "Whether it is met is unknown",
        };
        page.text(format!("{word} by the device above: {}.", plain(&requirements.why)));
    }
    let notes: Vec<String> = requirements.notes.iter().map(|note| plain(note)).collect();
    page.list(&notes);
}

fn row(level: &str, found: &Requirement) -> Vec<String> {
    vec![
        level.to_owned(),
        plain(&found.name),
        units::integer(found.batch),
        span(&found.latency_ms),
        units::rate(found.throughput),
        found.memory_bytes.map_or_else(|| "unknown".to_owned(), units::gigabytes),
    ]
}
