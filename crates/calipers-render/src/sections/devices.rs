//! The model on several devices.

use calipers_report::DeviceRow;

use super::context::Context;
use crate::document::Block;
use crate::table::Value;
use crate::tables;
use crate::value::Spans;

/// Devices that are listed.
const MOST: usize = 200;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(hardware) = &report.hardware else { return vec![] };
    if hardware.devices.is_empty() {
        return vec![];
    }
    let conditions = Spans::plain("Estimated time per run, with its uncertainty range: ")
        .and_text(hardware.runtime.display_name())
        .and_text(", ")
        .and_value(Value::prose(hardware.precision.display_name()))
        .and_text(format!("{}.", super::hardware::sizes(hardware)));
    let mut table = tables::device_comparison(hardware);
    table.rows.truncate(MOST);
    let rows = &hardware.devices[..hardware.devices.len().min(MOST)];
    vec![Block::Paragraph(conditions), Block::Table(table), Block::list(reasons(rows))]
}

/// Why figures are missing, each reason once with the devices that it holds for.
fn reasons(rows: &[DeviceRow]) -> Vec<Spans> {
    let is_missing = |row: &DeviceRow| row.latency_ms.is_none() && row.fits != Some(false);
    let sentence = |(reason, group): (&str, Vec<&DeviceRow>)| {
        let whose = match group.len() == rows.len() {
            true => Spans::plain("No latency"),
            false => Spans::joined(group.iter().map(|row| Value::prose(&row.name).into()), ", "),
        };
        whose.and_text(": ").and_value(Value::quoted(reason)).and_text(".")
    };
    tables::missing(rows, is_missing).into_iter().map(sentence).collect()
}
