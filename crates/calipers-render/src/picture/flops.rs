//! Which operators the arithmetic belongs to.

use calipers_report::{OperatorCost, Report};

use super::bars::{self, Bar};
use super::theme::{Color, Theme};
use super::{Sketch, listed};
use crate::units;

/// A bar for each of the operators with most arithmetic: contractions, and other work behind them.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<Sketch> {
    let cost = &report.cost;
    let known = |entry: &&OperatorCost| entry.flops.is_some() && entry.other_flops.is_some();
    let entries: Vec<&OperatorCost> = cost.by_op.iter().filter(known).collect();
    let (shown, folded) = entries.split_at(bars::shown(entries.len()));
    if shown.is_empty() {
        return None;
    }
    let mut rows: Vec<Bar> =
        shown.iter().map(|entry| bar(entry.op.clone(), &[entry], Color::Blue)).collect();
    if !folded.is_empty() {
        let name = units::counted(folded.len() as u64, "other operator", "other operators");
        rows.push(bar(name, folded, Color::Gray));
    }
    let remark = remark(report, entries.len());
    let most = shown.iter().take(3).map(|entry| {
        let share =
            entry.percent.map_or_else(String::new, |share| format!(" {}", units::percent(share)));
        format!("{}{share}", super::word(&entry.op))
    });
    let title = "Arithmetic by operator".to_owned();
    let alt = format!("Bars of arithmetic: {remark}; most is of {}.", listed(most));
    let canvas = bars::draw(theme, &title, &remark, &rows);
    Some(Sketch { title, alt, canvas })
}

fn bar(name: String, entries: &[&OperatorCost], color: Color) -> Bar {
    let sum = |field: fn(&OperatorCost) -> Option<u64>| -> u128 {
        entries.iter().filter_map(|entry| field(entry)).map(u128::from).sum()
    };
    let (products, other) = (sum(|entry| entry.flops), sum(|entry| entry.other_flops));
    let percent: Option<f64> = entries.iter().map(|entry| entry.percent).sum();
    let folded = color == Color::Gray;
    Bar {
        name,
        parts: vec![(products, color), (other, if folded { color } else { Color::Orange })],
        figures: vec![
            units::operations(products.saturating_add(other), "FLOPs"),
            percent.map_or_else(String::new, units::percent),
        ],
    }
}

fn remark(report: &Report, known: usize) -> String {
    let cost = &report.cost;
    let least = if cost.lower_bound { "at least " } else { "" };
    let mut parts = vec![];
    if let Some(flops) = cost.flops.filter(|flops| *flops > 0) {
        parts.push(format!("{} of contractions (blue)", units::operations(flops, "FLOPs")));
    }
    if let Some(other) = cost.other_flops.filter(|other| *other > 0) {
        parts.push(format!("{} of other work (orange)", units::operations(other, "FLOPs")));
    }
    let hidden = cost.by_op.len() - known;
    if hidden > 0 {
        let operators = units::counted(hidden as u64, "operator", "operators");
        parts.push(format!("{operators} not shown: data decides how much they do"));
    }
    format!("{least}{}", parts.join(", "))
}
