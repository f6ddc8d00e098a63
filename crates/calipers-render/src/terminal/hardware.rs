//! Where the model will run, in short: a few devices, a line each.
//!
//! ```text
//!   Hardware     device           latency at batch 1            memory  samples  limit
//!   fp16         rtx-4090           1.9 ms (1.6–2.3)  0.68 GB of 24 GB    526/s  memory
//!                rtx-4050-mobile  does not fit: needs 29.4 GB of 6 GB
//! ```

use calipers_report::{DeviceRow, Hardware, Report, Span};

use super::page::{Line, Page, Role};
use super::{table, value};
use crate::text::{self, Charset};
use crate::value::Fit;
use crate::{tables, units};

/// Lines of a reason.
const REASON: usize = 2;

/// The section of the one-screen report.
pub(super) fn section(report: &Report, page: &mut Page) {
    let Some(hardware) = &report.hardware else { return };
    // Memory alone, where there is enough of it everywhere, is no table.
    let told = |row: &DeviceRow| row.latency_ms.is_some() || row.fits == Some(false);
    let mut lines = match hardware.devices.iter().any(told) {
        true => devices(hardware, page),
        false => reasons(&hardware.devices, page),
    };
    if lines.is_empty() {
        return;
    }
    if let Some(mine) = &hardware.device {
        lines.insert(0, headline(hardware, &mine.name, page));
    }
    page.section("Hardware", &note(hardware, page), lines);
}

/// The precision, for beneath the heading.
pub(super) fn note(hardware: &Hardware, page: &Page) -> String {
    text::truncate(&text::name(&hardware.precision, page.charset), 12, page.charset)
}

/// The device that was asked for, on a line.
fn headline(hardware: &Hardware, name: &str, page: &Page) -> Line {
    let name = text::truncate(&text::name(name, page.charset), 32, page.charset);
    let mut line = Line::of(Role::Strong, name).and(Role::Plain, "  ");
    let room = hardware.device.as_ref().and_then(|device| device.memory_bytes);
    line.append(fit(hardware.fits, hardware.memory_bytes, room));
    if let Some(latency) = &hardware.latency_ms {
        line.push(Role::Quiet, page.dot());
        line.push(Role::Strong, span(latency, page.charset));
    }
    line.cut(page.body(), page.charset)
}

/// Devices, a line each beneath headings. A column that no device fills is left out.
pub(super) fn devices(hardware: &Hardware, page: &Page) -> Vec<Line> {
    if hardware.devices.is_empty() {
        return vec![];
    }
    let mut lines = table::lines(&tables::device_comparison(hardware), page.body(), page);
    lines.extend(reasons(&hardware.devices, page));
    lines
}

/// Why figures are missing, each reason once with the devices it holds for.
fn reasons(rows: &[DeviceRow], page: &Page) -> Vec<Line> {
    let is_missing = |row: &DeviceRow| row.latency_ms.is_none() || row.fits.is_none();
    let mut lines = vec![];
    for (reason, group) in tables::missing(rows, is_missing) {
        let reason = text::prose(reason, page.charset);
        let line = match group.len() == rows.len() {
            true => Line::of(Role::Warning, "no time").and(Role::Quiet, format!(": {reason}")),
            false => {
                let ids = group.iter().map(|row| text::name(&row.id, page.charset));
                let ids: Vec<String> = ids.collect();
                Line::of(Role::Plain, ids.join(", ")).and(Role::Quiet, format!(": {reason}"))
            }
        };
        lines.extend(line.wrap_within(page.body(), REASON, page.charset));
    }
    lines
}

/// `0.68 GB of 24 GB`, `does not fit: needs 29.4 GB of 24 GB`.
pub(super) fn fit(fits: Option<bool>, needed: Option<u64>, capacity: Option<u64>) -> Line {
    value::memory(&Fit { fits, is_tight: false, needed, capacity }, Role::Plain)
}

/// A time with its range, in characters that the terminal has.
pub(super) fn span(span: &Span, charset: Charset) -> String {
    let text = units::time_range(span.low, span.expected, span.high);
    in_charset(text, charset)
}

/// One time.
pub(super) fn time(milliseconds: f64, charset: Charset) -> String {
    in_charset(units::time(milliseconds), charset)
}

fn in_charset(text: String, charset: Charset) -> String {
    match charset {
        Charset::Unicode => text,
        Charset::Ascii => text.replace('–', "-").replace('µ', "u"),
    }
}
