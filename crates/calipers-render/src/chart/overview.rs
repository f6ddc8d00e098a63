//! Where parameters, arithmetic and memory lie, at a glance.

use calipers_report::{Binding, Report};

use super::canvas::{Anchor, Area, Canvas, Key, MARGIN, Style, WIDTH};
use super::theme::{Color, KINDS, Theme};
use super::{ChartDraft, listed};
use crate::units;

const ROW: f64 = 72.0;
const THICK: f64 = 16.0;
/// Where the first row begins.
const FIRST: f64 = Canvas::TOP + 10.0;
/// Parts with a name of their own; the others are folded.
const PARTS: usize = 4;
/// What ends the name of those that are folded.
const REST: &str = " others";

/// A total and what it is made of.
struct Total {
    name: &'static str,
    figure: String,
    parts: Vec<(String, u128)>,
}

/// A bar for each total, divided by what it is made of.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let totals: Vec<Total> =
        [parameters(report), arithmetic(report), memory(report)].into_iter().flatten().collect();
    if totals.is_empty() {
        return None;
    }
    let title = "Complexity".to_owned();
    let mut facts = vec![units::counted(report.graph.nodes, "node", "nodes")];
    if let Some(depth) = report.graph.depth.filter(|depth| *depth > 0) {
        facts.push(format!("{} on the longest path", units::integer(depth)));
    }
    let free = |binding: &Binding| matches!(binding, Binding::Free(_));
    if report.bindings.values().any(free) {
        facts.push("free dimensions at the sizes that are assumed".to_owned());
    }
    #[expect(clippy::cast_precision_loss, reason = "totals are three at most")]
    let height = FIRST + totals.len() as f64 * ROW + MARGIN - 20.0;
    let mut canvas = Canvas::new(theme, height);
    canvas.heading(&title, &facts.join(", "));
    let mut colors = Colors::default();
    let mut top = FIRST;
    for total in &totals {
        if total.name == "memory" {
            // Its parts are no operators.
            colors = Colors::default();
        }
        draw_total(&mut canvas, top, total, &mut colors);
        top += ROW;
    }
    let words = totals.iter().map(|total| format!("{} {}", total.name, total.figure));
    Some(ChartDraft { alt: format!("Where the cost lies: {}.", listed(words)), title, canvas })
}

fn parameters(report: &Report) -> Option<Total> {
    let total = report.parameters.total.filter(|total| *total > 0)?;
    let by_op = report.parameters.by_op.iter();
    let parts = by_op.map(|entry| (entry.op.clone(), u128::from(entry.elements))).collect();
    Some(Total { name: "parameters", figure: units::count(total), parts: fold(parts) })
}

fn arithmetic(report: &Report) -> Option<Total> {
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
    (all > 0).then(|| Total { name: "arithmetic", figure, parts: fold(parts.unwrap_or_default()) })
}

fn memory(report: &Report) -> Option<Total> {
    let memory = &report.memory;
    let cache = memory.kv_cache.as_ref();
    let parts = [
        ("weights", memory.weights_bytes),
        ("activations at the peak", memory.peak_activation_bytes),
    ];
    let known: Option<u128> = parts.iter().map(|(_, bytes)| bytes.map(u128::from)).sum();
    let total = known.filter(|total| *total > 0)?;
    let parts =
        parts.iter().filter_map(|(name, bytes)| Some(((*name).to_owned(), u128::from((*bytes)?))));
    let mut figure = units::bytes(total);
    if let Some(bytes) = cache.and_then(|cache| cache.bytes_per_token) {
        figure += &format!(", {} of KV cache a token", units::bytes(bytes));
    }
    Some(Total { name: "memory", figure, parts: parts.filter(|(_, bytes)| *bytes > 0).collect() })
}

/// The largest parts, and the others as one.
fn fold(mut parts: Vec<(String, u128)>) -> Vec<(String, u128)> {
    parts.retain(|(_, value)| *value > 0);
    // Stable, so equals stay in the report's order.
    parts.sort_by_key(|(_, value)| std::cmp::Reverse(*value));
    if parts.len() > PARTS {
        let rest = parts.split_off(PARTS - 1);
        let sum = rest.iter().fold(0_u128, |sum, (_, value)| sum.saturating_add(*value));
        parts.push((format!("{}{REST}", rest.len()), sum));
    }
    parts
}

/// Colors of the parts: an operator keeps its color from bar to bar, where it is free.
#[derive(Default)]
struct Colors(Vec<(String, Color)>);

impl Colors {
    /// The colors of a bar's parts, no two alike.
    fn of(&mut self, parts: &[(String, u128)]) -> Vec<Color> {
        let mut used: Vec<Color> = vec![];
        for (i, (name, _)) in parts.iter().enumerate() {
            let is_rest = i + 1 == PARTS && name.ends_with(REST);
            let known = self.0.iter().find(|(known, color)| known == name && !used.contains(color));
            let wanted = |(_, known): &(String, Color), color| *known == color;
            let fresh = |color: &&Color| !used.contains(*color);
            // One that no operator has yet, else one that none of this bar has.
            let unused = |color: &&Color| !self.0.iter().any(|entry| wanted(entry, **color));
            let color = match known {
                _ if is_rest => Color::Gray,
                Some((_, color)) => *color,
                None => *KINDS
                    .iter()
                    .filter(fresh)
                    .find(unused)
                    .or_else(|| KINDS.iter().find(fresh))
                    .unwrap_or(&Color::Gray),
            };
            used.push(color);
            if !is_rest {
                self.0.push((name.clone(), color));
            }
        }
        used
    }
}

fn draw_total(canvas: &mut Canvas, top: f64, total: &Total, colors: &mut Colors) {
    let strong = Style::BODY.strong();
    canvas.text(MARGIN, top + 4.0, &strong, &super::capital(total.name));
    canvas.text(WIDTH - MARGIN, top + 4.0, &strong.anchor(Anchor::End), &total.figure);
    let group = WIDTH - 2.0 * MARGIN;
    let bar = top + 12.0;
    let all = total.parts.iter().fold(0_u128, |sum, (_, value)| sum.saturating_add(*value)).max(1);
    if total.parts.is_empty() {
        let area = Area { left: MARGIN, right: MARGIN + group, top: bar, bottom: bar + THICK };
        canvas.rect(&area, 2.0, Color::Trough);
        return;
    }
    let mut x = MARGIN;
    let mut keys = vec![];
    let colors = colors.of(&total.parts);
    for (i, ((name, value), color)) in total.parts.iter().zip(colors).enumerate() {
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
