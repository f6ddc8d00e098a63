//! Where the model will run, in short: a few devices, a line each.
//!
//! ```text
//!   Hardware     device           latency at batch 1            memory  samples  limit
//!   fp16         rtx-4090           1.9 ms (1.6–2.3)  0.68 GB of 24 GB    526/s  memory
//!                rtx-4050-mobile  does not fit: needs 29.4 GB of 6 GB
//! ```

use calipers_report::{Bottleneck, DeviceRow, Hardware, Range, Report};

use super::page::{Line, Page, Role};
use crate::text::{self, Charset};
use crate::units;

const GAP: usize = 2;

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
    line.append(fit(hardware.fits, false, hardware.memory_bytes, room));
    if let Some(latency) = &hardware.latency_ms {
        line.push(Role::Quiet, page.dot());
        line.push(Role::Strong, span(latency, page.charset));
    }
    line.cut(page.body(), page.charset)
}

/// Devices, a line each beneath headings. A column that no device fills is left out.
pub(super) fn devices(hardware: &Hardware, page: &Page) -> Vec<Line> {
    let rows = &hardware.devices;
    if rows.is_empty() {
        return vec![];
    }
    let cells = |row: &DeviceRow| -> Cells {
        let id = Line::of(Role::Plain, text::name(&row.id, page.charset));
        if row.fits == Some(false) {
            let whole = fit(row.fits, false, row.memory_bytes, row.device_memory_bytes);
            return (vec![id], Some(whole));
        }
        let memory = fit(row.fits, row.tight, row.memory_bytes, row.device_memory_bytes);
        let Some(latency) = &row.latency_ms else {
            return (vec![id, Line::default(), memory], None);
        };
        let time = Line::of(Role::Plain, span(latency, page.charset));
        let rate = row
            .throughput
            .map_or_else(Line::default, |rate| Line::of(Role::Plain, units::rate(rate)));
        let limit = Line::of(Role::Quiet, row.bottleneck.map_or("", Bottleneck::id));
        (vec![id, time, memory, rate, limit], None)
    };
    let latency = format!("latency at batch {}", units::integer(hardware.batch));
    let headings = ["device", &latency, "memory", "samples", "limit"];
    let mut lines = table(&headings, &rows.iter().map(cells).collect::<Vec<_>>(), page);
    lines.extend(reasons(rows, page));
    lines
}

/// Why figures are missing, each reason once with the devices it holds for.
fn reasons(rows: &[DeviceRow], page: &Page) -> Vec<Line> {
    let mut groups: Vec<(&str, Vec<&str>)> = vec![];
    for row in rows {
        let Some(reason) =
            row.reason.as_deref().filter(|_| row.latency_ms.is_none() || row.fits.is_none())
        else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, ids)) => ids.push(&row.id),
            None => groups.push((reason, vec![&row.id])),
        }
    }
    let mut lines = vec![];
    for (reason, ids) in groups {
        let reason = text::prose(reason, page.charset);
        let line = match ids.len() == rows.len() {
            true => Line::of(Role::Warning, "no time").and(Role::Quiet, format!(": {reason}")),
            false => {
                let ids: Vec<String> = ids.iter().map(|id| text::name(id, page.charset)).collect();
                Line::of(Role::Plain, ids.join(", ")).and(Role::Quiet, format!(": {reason}"))
            }
        };
        lines.extend(line.wrap_within(page.body(), REASON, page.charset));
    }
    lines
}

/// `0.68 GB of 24 GB`, `does not fit: needs 29.4 GB of 24 GB`.
pub(super) fn fit(fits: Option<bool>, tight: bool, needed: Option<u64>, room: Option<u64>) -> Line {
    let Some(needed) = needed.map(units::gigabytes) else {
        return Line::of(Role::Warning, "unknown");
    };
    let of = room.map(|room| format!(" of {}", units::capacity(room))).unwrap_or_default();
    match fits {
        Some(false) => {
            Line::of(Role::Error, "does not fit").and(Role::Plain, format!(": needs {needed}{of}"))
        }
        _ if tight => Line::of(Role::Plain, format!("{needed}{of}")).and(Role::Warning, " tight"),
        _ => Line::of(Role::Plain, format!("{needed}{of}")),
    }
}

/// A time with its range, in characters that the terminal has.
pub(super) fn span(span: &Range<f64>, charset: Charset) -> String {
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

/// Cells of a line, and what stands in place of the rest of it.
pub(super) type Cells = (Vec<Line>, Option<Line>);

/// Lines of cells beneath headings, within a section. Columns are flush right but the first and one
/// of that is called `limit`; the last ones go where there is no room.
pub(super) fn table(headings: &[&str], rows: &[Cells], page: &Page) -> Vec<Line> {
    let cell = |row: &Cells, i: usize| row.0.get(i).cloned().unwrap_or_default();
    let widths: Vec<usize> = (0..headings.len())
        .map(|i| rows.iter().map(|row| cell(row, i).width()).max().unwrap_or(0))
        .enumerate()
        .map(|(i, width)| if width == 0 { 0 } else { width.max(text::width(headings[i])) })
        .collect();
    let mut kept = 0;
    let mut used = 0;
    for (i, width) in widths.iter().enumerate() {
        let more = if *width == 0 { 0 } else { width + if i == 0 { 0 } else { GAP } };
        if i > 0 && used + more > page.body() {
            break;
        }
        used += more;
        kept = i + 1;
    }
    let set = |cells: &dyn Fn(usize) -> Line, rest: Option<&Line>| {
        let mut line = Line::default();
        let mut start = 0;
        for (i, width) in widths.iter().enumerate().take(kept).filter(|(_, width)| **width > 0) {
            if i == 1
                && let Some(rest) = rest
            {
                line.pad_to(start);
                line.append(rest.clone());
                return line.cut(page.body(), page.charset);
            }
            let cell = cells(i);
            let words = i == 0 || headings[i] == "limit";
            line.pad_to(start + if words { 0 } else { width - cell.width() });
            line.append(cell);
            start += width + GAP;
        }
        match rest {
            Some(rest) if start > 0 => {
                line.pad_to(start);
                line.append(rest.clone());
            }
            _ => {}
        }
        line.cut(page.body(), page.charset)
    };
    let mut lines = vec![set(&|i| Line::of(Role::Quiet, headings[i]), None)];
    lines.extend(rows.iter().map(|row| set(&|i| cell(row, i), row.1.as_ref())));
    lines
}
