//! Which operators the parameters belong to.

use calipers_report::Report;

use super::bars::{self, Bar};
use super::colors::OperatorColors;
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// A bar for each of the operators that use most elements.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let parameters = &report.parameters;
    let colors = OperatorColors::new(report);
    let mut entries: Vec<_> = parameters.by_op.iter().filter(|entry| entry.elements > 0).collect();
    // The report has them by bytes; here the bars are elements.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.elements));
    let (shown, folded) = entries.split_at(bars::shown(entries.len()));
    if shown.is_empty() {
        return None;
    }
    let size = |bytes: Option<u128>| bytes.map_or_else(|| "unknown".to_owned(), units::bytes);
    let row = |name: String, elements: u128, bytes: Option<u128>, color: Color| Bar {
        name,
        parts: vec![(elements, color)],
        figures: vec![units::count(elements), size(bytes)],
    };
    let mut rows: Vec<Bar> = shown
        .iter()
        .map(|entry| {
            let bytes = entry.bytes.map(u128::from);
            row(entry.op.clone(), u128::from(entry.elements), bytes, colors.color(&entry.op))
        })
        .collect();
    if !folded.is_empty() {
        let elements = folded.iter().map(|entry| u128::from(entry.elements)).sum();
        let bytes = folded.iter().map(|entry| entry.bytes.map(u128::from)).sum();
        let name = units::counted(folded.len() as u64, "other operator", "other operators");
        rows.push(row(name, elements, bytes, Color::Gray));
    }
    let mut remark = match parameters.total {
        Some(total) => units::counted(total, "parameter", "parameters"),
        None => "parameters".to_owned(),
    };
    if let Some(bytes) = parameters.bytes {
        remark += &format!(", {}", units::bytes(bytes));
    }
    remark += ", by the operator that uses them first";
    let most = shown.iter().take(3);
    let most =
        most.map(|entry| format!("{} {}", super::word(&entry.op), units::count(entry.elements)));
    let title = "Parameters by operator".to_owned();
    let alt = format!("Parameters by operator: {}.", listed(most));
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading(&title, &remark));
    Some(ChartDraft { title, alt, canvas })
}
