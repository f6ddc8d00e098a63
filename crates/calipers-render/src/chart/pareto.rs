//! Two figures of several models, and the models that no other beats in both.

use calipers_report::{ComparisonTable, Measure, ParetoChart, ParetoPoint};

use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};
use super::{ChartDraft, listed};
use crate::units;

const PLOT: f64 = 300.0;
const LEGEND: f64 = 24.0;
/// The name of the vertical axis, above the plot.
const HEAD: f64 = 22.0;
const DOT: f64 = 6.0;

/// Points at most; best trade-offs come first.
const POINTS: usize = 200;
/// Points that the alt text lists.
const SENTENCE: usize = 24;
/// An axis is logarithmic where its largest value is this many times its smallest.
const WIDE: f64 = 20.0;

/// Widths of a label, from the one that is preferred to the one that is better than none.
const LABELS: [f64; 3] = [230.0, 130.0, 70.0];

/// A dot for each model, filled where it is a best trade-off.
pub(super) fn draw(table: &ComparisonTable, theme: Theme) -> Option<ChartDraft> {
    let chart = table.pareto.as_ref()?;
    let known: Vec<Point<'_>> = chart.points.iter().filter_map(|it| point(it, table)).collect();
    let mut points: Vec<&Point<'_>> = known.iter().collect();
    // Stable, so equals stay in the order of the models.
    points.sort_by_key(|point| !point.best);
    points.truncate(POINTS);
    if points.len() < 2 {
        return None;
    }
    let across = Scale::new(points.iter().map(|point| point.x), chart.x_measure)?;
    let up = Scale::new(points.iter().map(|point| point.y), chart.y_measure)?;
    let (x, y) = (super::word(&chart.x_label), super::word(&chart.y_label));
    let title = format!("{} vs. {x}", crate::text::capitalized(&y));
    let mut canvas = Canvas::new(theme, Canvas::TOP + HEAD + PLOT + 2.0 * FOOT + LEGEND + MARGIN);
    canvas.heading(&title, &remark(&points, table.models.len()));
    let top = Canvas::TOP + HEAD;
    let plot = Area {
        left: MARGIN + axis::gutter(&up.axis, &|value| up.mark(value)),
        right: WIDTH - MARGIN - 8.0,
        top,
        bottom: top + PLOT,
    };
    axis::rows(&mut canvas, &plot, &up.axis, &|value| up.mark(value));
    axis::columns(&mut canvas, &plot, &across.axis, &|value| across.mark(value));
    axis_names(&mut canvas, &plot, chart);
    let placed: Vec<(&Point<'_>, [f64; 2])> = points
        .iter()
        .map(|point| {
            let x = across.axis.place(point.x * across.unit, plot.left, plot.right);
            let y = up.axis.place(point.y * up.unit, plot.bottom, plot.top);
            (*point, [x, y])
        })
        .collect();
    let line = steps(&placed);
    canvas.path(&line, 1.5, Color::Blue);
    // The others first, so that a best trade-off is not covered.
    for (point, place) in placed.iter().rev() {
        let words = format!("{}: {}", super::word(point.label), figures(chart, point));
        canvas.with_tooltip(&words, |canvas| dot(canvas, *place, point.best));
    }
    for Label { style, at: [x, y], text, .. } in labels(&placed, &line, &plot) {
        canvas.text_over(x, y, &style, &text);
    }
    legend(&mut canvas, plot.bottom + 2.0 * FOOT + 16.0);
    Some(ChartDraft { title, alt: alt(chart, &points), canvas })
}

/// A model that can be drawn.
struct Point<'a> {
    label: &'a str,
    x: f64,
    y: f64,
    best: bool,
}

/// The point with its label; nothing where a figure is not a number, or the model is missing.
fn point<'a>(point: &ParetoPoint, table: &'a ComparisonTable) -> Option<Point<'a>> {
    let ParetoPoint { model, x, y, best } = *point;
    let label = table.models.get(model)?.label.as_str();
    (x.is_finite() && y.is_finite()).then_some(Point { label, x, y, best })
}

/// An axis and the unit of its marks.
struct Scale {
    axis: Axis,
    measure: Measure,
    /// What a value is multiplied with to be on the axis: times are on it in seconds.
    unit: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, measure: Measure) -> Option<Self> {
        let unit = if measure == Measure::Milliseconds { 1e-3 } else { 1.0 };
        let values: Vec<f64> = values.map(|value| value * unit).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let axis = match low > 0.0 && high > low * WIDE {
            true => Axis::close(values.into_iter())?,
            false => Axis::span(values.into_iter())?,
        };
        Some(Self { axis, measure, unit })
    }

    /// The unit as it is written after a prefix.
    fn symbol(&self) -> &'static str {
        match self.measure {
            Measure::Bytes => "B",
            Measure::Milliseconds => "s",
            Measure::Percent => "%",
            _ => "",
        }
    }

    /// A mark of the axis. Those of a linear axis have the same unit, and as many decimals as their
    /// step needs, so that no two of them look alike.
    fn mark(&self, value: f64) -> String {
        const PREFIXES: [(f64, &str); 9] = [
            (1e18, "E"),
            (1e15, "P"),
            (1e12, "T"),
            (1e9, "G"),
            (1e6, "M"),
            (1e3, "k"),
            (1.0, ""),
            (1e-3, "m"),
            (1e-6, "µ"),
        ];
        let Some(step) = self.axis.step() else { return units::axis(value, self.symbol()) };
        let [low, high] = self.axis.ends();
        let largest = low.abs().max(high.abs());
        let is_time = self.measure == Measure::Milliseconds;
        let allowed = |scale: f64| match is_time {
            true => scale <= 1.0,
            false => scale >= 1.0,
        };
        let prefix = PREFIXES.iter().find(|(scale, _)| allowed(*scale) && largest >= *scale);
        let least = if is_time { (1e-6, "µ") } else { (1.0, "") };
        let (scale, prefix) = prefix.copied().unwrap_or(least);
        let (value, step) = (value / scale, step / scale);
        let symbol = format!("{prefix}{}", self.symbol());
        let is_whole = |decimals: &i32| {
            let scaled = step * 10_f64.powi(*decimals);
            scaled >= 0.999 && (scaled - scaled.round()).abs() < 1e-6 * scaled
        };
        let number = match (0..=6).find(is_whole) {
            Some(decimals) if value.abs() < 1e7 => {
                // A mark at 0 may be off by the rounding of the steps before it.
                let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
                format!("{value:.*}", usize::try_from(decimals).unwrap_or(0))
            }
            _ => format!("{value:.3e}"),
        };
        match symbol.as_str() {
            "" | "%" => format!("{number}{symbol}"),
            _ => format!("{number} {symbol}"),
        }
        .replace('-', "−")
    }
}

/// A figure in a sentence.
fn figure(value: f64, measure: Measure) -> String {
    // Of a whole number that 64 bits hold. Nothing has a count below 0.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let whole = |value: f64| value as u64;
    match measure {
        Measure::Bytes if value >= 0.0 => units::bytes(whole(value)),
        Measure::Operations if value >= 0.0 => units::magnitude(whole(value)),
        Measure::Count if value >= 0.0 => units::integer(whole(value)),
        Measure::Milliseconds if value > 0.0 => units::time(value),
        Measure::Percent => format!("{}%", digits(value)),
        _ => digits(value),
    }
}

/// A number as it was given, or with five digits where it has more: `0.7188`, `1.25e-7`.
fn digits(value: f64) -> String {
    let rounded: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".to_owned(),
        size if (1e-4..1e7).contains(&size) => rounded.to_string(),
        _ => format!("{rounded:e}"),
    }
    .replace('-', "−")
}

/// Both figures of a point.
fn figures(chart: &ParetoChart, point: &Point<'_>) -> String {
    let mark = if point.best { ", best trade-off" } else { "" };
    format!("{} at {}{mark}", figure(point.y, chart.y_measure), figure(point.x, chart.x_measure))
}

fn remark(points: &[&Point<'_>], models: usize) -> String {
    let best = points.iter().filter(|point| point.best).count();
    let missing = models.saturating_sub(points.len());
    let rest = match (missing, points.len()) {
        (0, _) => String::new(),
        (_, POINTS) => format!("; {POINTS} of {} models are shown", units::integer(models as u64)),
        _ => {
            let models = units::counted(missing as u64, "model lacks", "models lack");
            format!("; {models} one of the two")
        }
    };
    let best = units::counted(best as u64, "model is", "models are");
    let trade = if best.starts_with("1 ") { "a best trade-off" } else { "best trade-offs" };
    format!("{best} {trade}{rest}")
}

/// What the axes measure, and where better is.
fn axis_names(canvas: &mut Canvas, plot: &Area, chart: &ParetoChart) {
    // Lower is better along the horizontal axis: it is a time or an amount of work.
    let x = ("← lower is better", &chart.x_label);
    let y = match chart.lower_y_is_better {
        true => ("↓ lower is better", &chart.y_label),
        false => ("↑ higher is better", &chart.y_label),
    };
    let heads = [
        (Style::BODY, MARGIN, plot.top - 12.0, y, WIDTH - 2.0 * MARGIN),
        (Style::BODY, plot.left, plot.bottom + 38.0, x, plot.width()),
    ];
    for (style, left, line, (better, name), width) in heads {
        let rest = Style::QUIET.width(better) + 12.0;
        let name = style.fit(&crate::text::capitalized(name), width - rest);
        canvas.text_and_rest(left, line, &style, &name, better);
    }
}

fn dot(canvas: &mut Canvas, place: [f64; 2], is_best: bool) {
    match is_best {
        true => canvas.dot(place, DOT, Color::Blue, 1.0),
        false => canvas.ring(place, DOT - 1.0, Color::Gray),
    }
}

/// The line through the best trade-offs: everything on its far side is worse than one of them.
fn steps(placed: &[(&Point<'_>, [f64; 2])]) -> Vec<[f64; 2]> {
    let mut best: Vec<(f64, [f64; 2])> =
        placed.iter().filter(|(it, _)| it.best).map(|(it, place)| (it.x, *place)).collect();
    best.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut line: Vec<[f64; 2]> = vec![];
    for (_, [x, y]) in best {
        if let Some([_, before]) = line.last() {
            line.push([x, *before]);
        }
        line.push([x, y]);
    }
    line
}

/// A name beside its dot.
struct Label {
    style: Style,
    at: [f64; 2],
    text: String,
    area: Area,
}

/// Names that touch neither one another nor a dot, all inside the plot. A name that has no place is
/// left out: the tooltip and the table have it.
fn labels(placed: &[(&Point<'_>, [f64; 2])], line: &[[f64; 2]], plot: &Area) -> Vec<Label> {
    let dots: Vec<Area> = placed.iter().map(|(_, place)| around(*place, DOT + 1.0)).collect();
    let strokes: Vec<Area> = line.windows(2).map(stroke).collect();
    let mut labels: Vec<Label> = vec![];
    for (point, place) in placed {
        let color = if point.best { Color::Ink } else { Color::Quiet };
        let mut found: Option<Label> = None;
        for width in LABELS {
            let text = Style::BODY.fit(point.label, width);
            let free = positions(*place, color).into_iter().filter_map(|(style, at)| {
                let [x, y] = at;
                let area = style.area(x, y, &text);
                let is_free = plot.holds(&area)
                    && !dots.iter().any(|dot| dot.meets(&area))
                    && !labels.iter().any(|label| label.area.meets(&area));
                is_free.then(|| Label { style, at, text: text.clone(), area })
            });
            // Of equal places the first is taken.
            found = free.min_by_key(|label| {
                strokes.iter().filter(|stroke| stroke.meets(&label.area)).count()
            });
            if found.is_some() {
                break;
            }
        }
        labels.extend(found.filter(|label| !label.text.is_empty()));
    }
    labels
}

/// Where the label of a dot may be, best first.
fn positions([x, y]: [f64; 2], color: Color) -> [(Style, [f64; 2]); 8] {
    let style = Style::BODY.color(color);
    let (end, middle) = (style.anchor(Anchor::End), style.anchor(Anchor::Middle));
    [
        (style, [x + 11.0, y - 5.0]),
        (style, [x + 11.0, y + 4.0]),
        (style, [x + 9.0, y + 16.0]),
        (end, [x - 11.0, y + 4.0]),
        (end, [x - 11.0, y - 5.0]),
        (middle, [x, y - 12.0]),
        (middle, [x, y + 20.0]),
        (end, [x - 9.0, y + 16.0]),
    ]
}

fn around([x, y]: [f64; 2], half: f64) -> Area {
    Area { left: x - half, right: x + half, top: y - half, bottom: y + half }
}

/// The area of a line that runs along an axis.
fn stroke(ends: &[[f64; 2]]) -> Area {
    let fold = |at: usize, pick: fn(f64, f64) -> f64, start: f64| {
        ends.iter().map(|end| end[at]).fold(start, pick)
    };
    Area {
        left: fold(0, f64::min, f64::INFINITY) - 1.0,
        right: fold(0, f64::max, f64::NEG_INFINITY) + 1.0,
        top: fold(1, f64::min, f64::INFINITY) - 1.0,
        bottom: fold(1, f64::max, f64::NEG_INFINITY) + 1.0,
    }
}

fn legend(canvas: &mut Canvas, y: f64) {
    let words = "best trade-off: no other model is at least as good in both and better in one";
    let mut x = MARGIN + DOT;
    for (is_best, words) in [(true, words), (false, "another model is")] {
        dot(canvas, [x, y - 4.0], is_best);
        canvas.text(x + 12.0, y, &Style::QUIET, words);
        x += 12.0 + Style::QUIET.width(words) + 22.0;
    }
}

fn alt(chart: &ParetoChart, points: &[&Point<'_>]) -> String {
    let shown = points.iter().take(SENTENCE);
    let mut shown: Vec<String> = shown
        .map(|point| format!("{} {}", super::word(point.label), figures(chart, point)))
        .map(|words| words.replace(", best trade-off", " (best trade-off)"))
        .collect();
    let rest = points.len() - shown.len();
    if rest > 0 {
        shown.push(units::counted(rest as u64, "other model", "other models"));
    }
    let direction = if chart.lower_y_is_better { "lower" } else { "higher" };
    format!(
        "{} ({direction} is better) by {} (lower is better): {}.",
        crate::text::capitalized(&super::word(&chart.y_label)),
        super::word(&chart.x_label),
        listed(shown.into_iter())
    )
}

#[cfg(test)]
mod tests;
