//! How often each operator occurs.

use calipers_report::Report;

use super::bars::{self, Bar};
use super::colors::OperatorColors;
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// A bar for each of the commonest operators of the main graph.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let operators = &report.graph.operators;
    let first = operators.first()?;
    let colors = OperatorColors::new(report);
    let (shown, folded) = operators.split_at(bars::shown(operators.len()));
    let mut rows: Vec<Bar> = shown
        .iter()
        .map(|entry| Bar {
            name: entry.op.clone(),
            parts: vec![(u128::from(entry.count), colors.color(&entry.op))],
            figures: vec![units::integer(entry.count), units::percent(entry.percent)],
        })
        .collect();
    if !folded.is_empty() {
        let count: u128 = folded.iter().map(|entry| u128::from(entry.count)).sum();
        let percent: f64 = folded.iter().map(|entry| entry.percent).sum();
        rows.push(Bar {
            name: units::counted(folded.len() as u64, "other operator", "other operators"),
            parts: vec![(count, Color::Gray)],
            figures: vec![units::integer(count), units::percent(percent)],
        });
    }
    let nodes = units::counted(report.graph.nodes, "node", "nodes");
    let kinds = units::counted(operators.len() as u64, "operator", "operators");
    let remark = format!("{nodes} with {kinds} in the main graph");
    let most = shown
        .iter()
        .take(3)
        .map(|entry| format!("{} {}", super::word(&entry.op), units::integer(entry.count)));
    let commonest = if first.count == 0 { String::new() } else { listed(most) };
    let title = "Operators by count".to_owned();
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading(&title, &remark));
    Some(ChartDraft { alt: format!("Most frequent operators: {commonest}."), title, canvas })
}
