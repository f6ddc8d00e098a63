//! Which operators the arithmetic belongs to.

use calipers_report::{OperatorCost, Report};

use super::bars::{self, Bar};
use super::canvas::Key;
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

/// Operators with a smaller share than this are folded, in percent: no bar shows so little.
const LEAST: f64 = 0.05;

/// A bar for each of the operators with most arithmetic: contractions, and other work behind them.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
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
    let mut rows: Vec<Bar> =
        shown.iter().map(|entry| bar(entry.op.clone(), &[entry], Color::Blue)).collect();
    if !folded.is_empty() {
        let name = units::counted(folded.len() as u64, "other operator", "other operators");
        rows.push(bar(name, folded, Color::Gray));
    }
    let keys = keys(report, entries.len());
    let most = shown.iter().take(3).map(|entry| {
        let share =
            entry.percent.map_or_else(String::new, |share| format!(" {}", units::percent(share)));
        format!("{}{share}", super::word(&entry.op))
    });
    let title = "Arithmetic by operator".to_owned();
    let totals = listed(keys.iter().map(|key| key.name.clone()));
    let alt = format!("Bars of arithmetic: {totals}; most is of {}.", listed(most));
    let canvas = bars::draw(theme, &rows, |canvas| canvas.heading_with_keys(&title, &keys));
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

/// What the colors represent, with the totals; and what is missing.
fn keys(report: &Report, known: usize) -> Vec<Key> {
    let cost = &report.cost;
    let least = if cost.lower_bound { "at least " } else { "" };
    let totals = [
        (Color::Blue, cost.flops(), "of contractions"),
        (Color::Orange, cost.other_flops, "of other work"),
    ];
    let key = |(color, total, words): (Color, Option<u64>, &str)| {
        let total = units::operations(total.filter(|total| *total > 0)?, "FLOPs");
        Some(Key { color, name: format!("{least}{total} {words}"), rest: String::new() })
    };
    let mut keys: Vec<Key> = totals.into_iter().filter_map(key).collect();
    let hidden = cost.by_op.len() - known;
    if hidden > 0 {
        let name = units::counted(hidden as u64, "operator not shown", "operators not shown");
        let rest = "data decides how much they do".to_owned();
        keys.push(Key { color: Color::Gray, name, rest });
    }
    keys
}
