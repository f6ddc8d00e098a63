//! The model on several devices, a line each.

use calipers_report::{DeviceRow, Report};

use crate::markdown::escape::{plain, told};
use crate::markdown::page::Page;
use crate::markdown::table::{Align, Table};
use crate::markdown::words::{fits, room, span};
use crate::units;

/// Devices that are written.
const MOST: usize = 200;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(hardware) = &report.hardware else { return };
    let rows = &hardware.devices[..hardware.devices.len().min(MOST)];
    if rows.is_empty() {
        return;
    }
    page.text(format!(
        "At {}, batch {}. A time is a range; the first figure is what is expected.",
        plain(&hardware.precision),
        units::integer(hardware.batch)
    ));
    let mut table = Table::new(&[
        ("Device", Align::Left),
        ("Memory", Align::Right),
        ("Fits", Align::Left),
        ("Latency", Align::Right),
        ("Throughput", Align::Right),
        ("Bottleneck", Align::Left),
    ]);
    for row in rows {
        table.row(vec![
            plain(&row.name),
            room(row),
            fits(row.fits, row.tight).to_owned(),
            row.latency_ms.as_ref().map(span).unwrap_or_default(),
            row.throughput.map(units::rate).unwrap_or_default(),
            row.bottleneck.map(|limit| plain(limit.id())).unwrap_or_default(),
        ]);
    }
    page.table(&table.without_empty_columns());
    page.list(&reasons(rows));
}

/// Why figures are missing, each reason once with the devices it holds for.
fn reasons(rows: &[DeviceRow]) -> Vec<String> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let missing = |row: &&DeviceRow| row.latency_ms.is_none() && row.fits != Some(false);
    for row in rows.iter().filter(missing) {
        let Some(reason) = row.reason.as_deref() else { continue };
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, names)) => names.push(&row.name),
            None => groups.push((reason, vec![&row.name])),
        }
    }
    let group = |(reason, names): (&str, Vec<&str>)| match names.len() == rows.len() {
        true => format!("No times: {}.", told(reason)),
        false => {
            let names: Vec<String> = names.into_iter().map(plain).collect();
            format!("{}: {}.", names.join(", "), told(reason))
        }
    };
    groups.into_iter().map(group).collect()
}
