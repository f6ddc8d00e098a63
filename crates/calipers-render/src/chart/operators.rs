//! How often each operator occurs.

use calipers_report::Report;

use super::bars::{self, Bar};
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// A bar for each of the commonest operators of the main graph.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let operators = &report.graph.operators;
    let first = operators.first()?;
    let (shown, folded) = operators.split_at(bars::shown(operators.len()));
    let mut rows: Vec<Bar> = shown
        .iter()
        .map(|entry| Bar {
            name: entry.op.clone(),
            parts: vec![(u128::from(entry.count), Color::Blue)],
            figures: vec![units::integer(entry.count), units::percent(entry.percent)],
        })
        .collect();
    if !folded.is_empty() {
        let count: u128 = folded.iter().map(|entry| u128::from(entry.count)).sum();
        let percent: f64 = folded.iter().map(|entry| entry.percent).sum();
        rows.push(Bar {
            name: units::counted(folded.len() as u64, "other kind", "other kinds"),
            parts: vec![(count, Color::Gray)],
            figures: vec![units::integer(count), units::percent(percent)],
        });
    }
    let nodes = units::counted(report.graph.nodes, "node", "nodes");
    let kinds = units::counted(operators.len() as u64, "kind", "kinds");
    let remark = format!("{nodes} of {kinds} in the main graph");
    let most = shown.iter().take(3).map(|entry| {
        let (count, percent) = (units::integer(entry.count), units::percent(entry.percent));
        format!("{} {count} ({percent})", super::word(&entry.op))
    });
    let commonest = if first.count == 0 { String::new() } else { listed(most) };
    let title = "Operators".to_owned();
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading(&title, &remark));
    Some(ChartDraft {
        alt: format!("Bars of operators: {remark}; commonest are {commonest}."),
        title,
        canvas,
    })
}
