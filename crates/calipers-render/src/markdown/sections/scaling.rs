//! The model at growing batches, lengths and resolutions, and how fast it generates.

use calipers_report::{Generation, Hardware, Report, ScalingRow};

use crate::markdown::escape::plain;
use crate::markdown::page::Page;
use crate::markdown::table::{Align, Table};
use crate::markdown::words::{fits, span};
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(hardware) = &report.hardware else { return };
    let Some(device) = &hardware.device else { return };
    let mut inner = Page::default();
    if let Some(generation) = &hardware.generation {
        inner.heading("Generation");
        inner.table(&generated(hardware, generation));
        let notes: Vec<String> = generation.notes.iter().map(|note| plain(note)).collect();
        inner.list(&notes);
    }
    for (heading, size, rows) in [
        ("Batch size", "Batch", &hardware.batch_scaling),
        ("Sequence length", "Tokens", &hardware.sequence_scaling),
        ("Resolution", "Side", &hardware.resolution_scaling),
    ] {
        if rows.is_empty() {
            continue;
        }
        inner.heading(heading);
        inner.table(&table(size, rows));
        if let Some(batch) = hardware.batch_enough.filter(|_| size == "Batch") {
            let batch = units::integer(batch);
            inner.text(format!("From batch {batch} on, throughput grows by less than a tenth."));
        }
    }
    if !inner.is_empty() {
        page.text(format!("On the {} at {}.", plain(&device.name), plain(&hardware.precision)));
        page.append(inner);
    }
}

fn generated(hardware: &Hardware, generation: &Generation) -> Table {
    let mut table = Table::facts();
    let time = |time: &Option<calipers_report::Range<f64>>| {
        time.as_ref().map_or_else(|| "unknown".to_owned(), span)
    };
    let prompt = units::counted(generation.prompt, "token", "tokens");
    table.fact(&format!("First token, after {prompt}"), time(&generation.first_token_ms));
    let context = units::counted(generation.context, "token", "tokens");
    table.fact(&format!("Each further token, at {context}"), time(&generation.token_ms));
    table.fact("Tokens a second", generation.tokens_per_s.map(units::rate));
    let all = generation.tokens_per_s_all.filter(|_| hardware.batch > 1);
    table.fact("Tokens a second of the whole batch", all.map(units::rate));
    table
}

fn table(size: &str, rows: &[ScalingRow]) -> Table {
    let mut table = Table::new(&[
        (size, Align::Right),
        ("Latency, with its range", Align::Right),
        ("Throughput", Align::Right),
        ("Memory", Align::Right),
        ("Fits", Align::Left),
    ]);
    for row in rows {
        let missing = if row.run.fits == Some(false) { "" } else { "unknown" };
        let told = |text: Option<String>| text.unwrap_or_else(|| missing.to_owned());
        table.row(vec![
            units::integer(row.size),
            told(row.run.latency_ms.as_ref().map(span)),
            told(row.run.throughput.map(units::rate)),
            row.run.memory_bytes.map_or_else(|| "unknown".to_owned(), units::gigabytes),
            fits(row.run.fits, false).to_owned(),
        ]);
    }
    table
}
