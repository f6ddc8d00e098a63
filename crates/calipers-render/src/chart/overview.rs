//! What parameters, arithmetic and memory are made of, at a glance.

use calipers_report::{Binding, Report};

use super::canvas::{Anchor, Area, Canvas, Key, MARGIN, Style, WIDTH};
use super::colors::{self, OperatorColors};
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

const ROW: f64 = 72.0;
const THICK: f64 = 16.0;
/// Where the first row begins.
const FIRST: f64 = Canvas::TOP + 10.0;
/// A total and what it is made of.
struct Total {
    name: &'static str,
    figure: String,
    parts: Vec<(String, u128, Color)>,
}

/// A bar for each total, divided by what it is made of.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let colors = OperatorColors::new(report);
    let totals = [parameters(report, &colors), arithmetic(report, &colors), memory(report)];
    let totals: Vec<Total> = totals.into_iter().flatten().collect();
    if totals.is_empty() {
        return None;
    }
    let title = "Complexity".to_owned();
    let mut facts = vec![units::counted(report.graph.nodes, "node", "nodes")];
    if let Some(depth) = report.graph.depth.filter(|depth| *depth > 0) {
        facts.push(format!("depth {}", units::integer(depth)));
    }
    let free = |binding: &Binding| matches!(binding, Binding::Free(_));
    if report.bindings.values().any(free) {
        facts.push("free dimensions at their assumed sizes".to_owned());
    }
    #[expect(clippy::cast_precision_loss, reason = "totals are three at most")]
    let height = FIRST + totals.len() as f64 * ROW + MARGIN - 20.0;
    let mut canvas = Canvas::new(theme, height);
    canvas.heading(&title, &facts.join(", "));
    let mut top = FIRST;
    for total in &totals {
        draw_total(&mut canvas, top, total);
        top += ROW;
    }
    let words = totals.iter().map(|total| format!("{} {}", total.name, total.figure));
    Some(ChartDraft {
        alt: format!("{}.", crate::text::capitalized(&listed(words))),
        title,
        canvas,
    })
}

fn parameters(report: &Report, colors: &OperatorColors) -> Option<Total> {
    let total = report.parameters.total.filter(|total| *total > 0)?;
    let by_op = report.parameters.by_op.iter();
    let parts = by_op.map(|entry| (entry.op.clone(), u128::from(entry.elements))).collect();
    Some(Total { name: "parameters", figure: units::count(total), parts: fold(parts, colors) })
}

fn arithmetic(report: &Report, colors: &OperatorColors) -> Option<Total> {
    let cost = &report.cost;
    let products = u128::from(cost.flops()?);
    let all = products + u128::from(cost.other_flops?);
    let least = if cost.lower_bound { "at least " } else { "" };
    let parts: Option<Vec<(String, u128)>> = cost
        .by_op
        .iter()
        .map(|entry| {
            let work = u128::from(entry.flops()?) + u128::from(entry.other_flops?);
            Some((entry.op.clone(), work))
        })
        .collect();
    // The headline is of contractions alone where there are any.
    let shown = if products > 0 { products } else { all };
    let figure = format!("{least}{}", units::operations(shown, "FLOPs"));
    (all > 0).then(|| Total {
        name: "arithmetic",
        figure,
        parts: fold(parts.unwrap_or_default(), colors),
    })
}

fn memory(report: &Report) -> Option<Total> {
    let memory = &report.memory;
    let cache = memory.kv_cache.as_ref();
    let parts = [
        ("weights", memory.weights_bytes, colors::WEIGHTS),
        ("peak activations", memory.peak_activation_bytes, colors::ACTIVATIONS),
    ];
    let known: Option<u128> = parts.iter().map(|(_, bytes, _)| bytes.map(u128::from)).sum();
    let total = known.filter(|total| *total > 0)?;
    let parts = parts.iter().filter_map(|(name, bytes, color)| {
        Some(((*name).to_owned(), u128::from((*bytes)?), *color))
    });
    let mut figure = units::bytes(total);
    if let Some(bytes) = cache.and_then(|cache| cache.bytes_per_token) {
        figure += &format!(" and {} of KV cache per token", units::bytes(bytes));
    }
    let parts = parts.filter(|(_, bytes, _)| *bytes > 0).collect();
    Some(Total { name: "memory", figure, parts })
}

/// Operators with a key of their own.
const KEYS: usize = 5;

/// The operators that have a color, largest first, and the others as one.
fn fold(parts: Vec<(String, u128)>, colors: &OperatorColors) -> Vec<(String, u128, Color)> {
    let parts = parts.into_iter().filter(|(_, value)| *value > 0);
    let (mut leading, mut rest): (Vec<_>, Vec<_>) =
        parts.partition(|(op, _)| colors.is_leading(op));
    // Stable, so equals stay in the report's order.
    leading.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    // More keys than this leave no space for names on one line.
    rest.extend(leading.split_off(leading.len().min(KEYS)));
    let leading = leading.into_iter().map(|(op, value)| {
        let color = colors.color(&op);
        (op, value, color)
    });
    let sum = rest.iter().fold(0_u128, |sum, (_, value)| sum.saturating_add(*value));
    let rest = match rest.as_slice() {
        [] => None,
        [(op, value)] => Some((op.clone(), *value, Color::Gray)),
        rest => Some((format!("{} others", rest.len()), sum, Color::Gray)),
    };
    leading.chain(rest).collect()
}

fn draw_total(canvas: &mut Canvas, top: f64, total: &Total) {
    let strong = Style::BODY.strong();
    canvas.text(MARGIN, top + 4.0, &strong, &crate::text::capitalized(total.name));
    canvas.text(WIDTH - MARGIN, top + 4.0, &strong.anchor(Anchor::End), &total.figure);
    let group = WIDTH - 2.0 * MARGIN;
    let bar = top + 12.0;
    let all =
        total.parts.iter().fold(0_u128, |sum, (_, value, _)| sum.saturating_add(*value)).max(1);
    if total.parts.is_empty() {
        let area = Area { left: MARGIN, right: MARGIN + group, top: bar, bottom: bar + THICK };
        canvas.rect(&area, 2.0, Color::Trough);
        return;
    }
    let mut x = MARGIN;
    let mut keys = vec![];
    for (i, (name, value, color)) in total.parts.iter().enumerate() {
        let color = *color;
        #[expect(clippy::cast_precision_loss, reason = "a tenth of a pixel is drawn")]
        let share = *value as f64 / all as f64;
        let right = if i + 1 == total.parts.len() { MARGIN + group } else { x + share * group };
        let area =
            Area { left: x, right: (right - 1.5).max(x + 1.0), top: bar, bottom: bar + THICK };
        canvas.rect(&area, 0.0, color);
        x = right.max(x + 1.0).min(MARGIN + group - 1.0);
        let rest = units::percent((share * 100.0).clamp(0.001, 100.0));
        keys.push(Key { color, name: name.clone(), rest });
    }
    canvas.keys(bar + THICK + 17.0, &keys);
}
