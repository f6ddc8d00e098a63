//! Which operators the arithmetic belongs to.

use calipers_report::{OperatorCost, Report};

use super::bars::{self, Bar};
use super::colors::OperatorColors;
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// Operators with a smaller share than this are folded, in percent: no bar shows so little.
const LEAST: f64 = 0.05;

/// A bar for each of the operators with most arithmetic.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let colors = OperatorColors::new(report);
    let known = |entry: &&OperatorCost| entry.flops().is_some() && entry.other_flops.is_some();
    let entries: Vec<&OperatorCost> = report.cost.by_op.iter().filter(known).collect();
    let large = entries.iter().take_while(|entry| entry.percent.is_none_or(|share| share >= LEAST));
    let large = large.count();
    let shown = bars::shown(if large + 1 < entries.len() { large + 1 } else { entries.len() });
    let shown = if shown > large && entries.len() > shown { large } else { shown };
    let (shown, folded) = entries.split_at(shown);
    if shown.is_empty() {
        return None;
    }
    let mut rows: Vec<Bar> = shown
        .iter()
        .map(|entry| bar(entry.op.clone(), &[entry], colors.color(&entry.op)))
        .collect();
    if !folded.is_empty() {
        let name = units::counted(folded.len() as u64, "other operator", "other operators");
        rows.push(bar(name, folded, Color::Gray));
    }
    let most = shown.iter().take(3).map(|entry| {
        let share =
            entry.percent.map_or_else(String::new, |share| format!(" {}", units::percent(share)));
        format!("{}{share}", super::word(&entry.op))
    });
    let title = "Arithmetic by operator".to_owned();
    let alt = format!("Arithmetic by operator: {}.", listed(most));
    let remark = remark(report, entries.len());
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading(&title, &remark));
    Some(ChartDraft { title, alt, canvas })
}

fn bar(name: String, entries: &[&OperatorCost], color: Color) -> Bar {
    let sum = |field: fn(&OperatorCost) -> Option<u64>| -> u128 {
        entries.iter().filter_map(|entry| field(entry)).map(u128::from).sum()
    };
    let (products, other) = (sum(|entry| entry.flops()), sum(|entry| entry.other_flops));
    let percent: Option<f64> = entries.iter().map(|entry| entry.percent).sum();
    // Shares have two decimals; what is less is not nothing.
    let percent = percent.map(|share| share.max(0.001));
    Bar {
        name,
        parts: vec![(products.saturating_add(other), color)],
        figures: vec![
            units::operations(products.saturating_add(other), "FLOPs"),
            percent.map_or_else(String::new, units::percent),
        ],
    }
}

/// The totals, and what is missing.
fn remark(report: &Report, known: usize) -> String {
    let cost = &report.cost;
    let least = if cost.lower_bound { "at least " } else { "" };
    let totals = [
        (cost.flops(), "in matrix products and convolutions"),
        (cost.other_flops, "in other operators"),
    ];
    let total = |(total, words): (Option<u64>, &str)| {
        let total = units::operations(total.filter(|total| *total > 0)?, "FLOPs");
        Some(format!("{least}{total} {words}"))
    };
    let mut parts: Vec<String> = totals.into_iter().filter_map(total).collect();
    let hidden = cost.by_op.len() - known;
    if hidden > 0 {
        let hidden = units::counted(hidden as u64, "operator", "operators");
        parts.push(format!("{hidden} with data-dependent cost not shown"));
    }
    parts.join(", ")
}
