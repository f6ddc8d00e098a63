//! The model at growing batches, lengths and resolutions, on the device that was asked for.

use calipers_report::{Hardware, Report, ScalingRow};

use super::ChartDraft;
use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};
use crate::units;

const PLOT: f64 = 170.0;
const NAME: f64 = 34.0;
const GAP: f64 = 32.0;

/// Time and throughput over the batch.
pub(super) fn batch(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let hardware = report.hardware.as_ref()?;
    draw(hardware, theme, "batch", &hardware.batch_scaling)
}

/// Time and memory over the length of the sequence.
pub(super) fn sequence(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let hardware = report.hardware.as_ref()?;
    draw(hardware, theme, "sequence length", &hardware.sequence_scaling)
}

/// Time and memory over the side of the image.
pub(super) fn resolution(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let hardware = report.hardware.as_ref()?;
    draw(hardware, theme, "resolution", &hardware.resolution_scaling)
}

/// A measure over the sizes: points, and a range around each.
struct Panel<'a> {
    name: &'static str,
    axis: Axis,
    points: Vec<Option<[f64; 3]>>,
    write: &'a dyn Fn(f64) -> String,
    color: Color,
    /// A line that is not to be passed, with its words.
    limit: Option<(f64, String)>,
}

fn draw(hardware: &Hardware, theme: Theme, what: &str, rows: &[ScalingRow]) -> Option<ChartDraft> {
    let device = hardware.device.as_ref()?;
    if rows.iter().filter(|row| row.latency_ms.is_some()).count() < 2 {
        return None;
    }
    let seconds = |value: f64| units::axis(value, "s");
    let bytes = |value: f64| units::axis(value, "B");
    let rate = |value: f64| units::axis(value, "");
    let times: Vec<Option<[f64; 3]>> = rows
        .iter()
        .map(|row| row.latency_ms.map(|t| [t.low, t.expected, t.high].map(|ms| ms / 1e3)))
        .collect();
    let time = Panel {
        name: "Time of one run",
        axis: Axis::close(times.iter().flatten().flatten().copied())?,
        points: times,
        write: &seconds,
        color: Color::Blue,
        limit: None,
    };
    let other = match what {
        "batch" => throughput(rows, &rate)?,
        _ => memory(rows, device.memory_bytes, &bytes)?,
    };
    let title = format!("Scaling with {what}");
    let mut canvas = Canvas::new(theme, Canvas::TOP + NAME + PLOT + 2.0 * FOOT + MARGIN);
    canvas.heading(&title, &remark(hardware, &device.name, what));
    let half = (WIDTH - 2.0 * MARGIN - GAP) / 2.0;
    draw_panel(&mut canvas, MARGIN, half, &time, rows, what);
    draw_panel(&mut canvas, MARGIN + half + GAP, half, &other, rows, what);
    let alt = alt(&title, &super::word(&device.name), rows);
    Some(ChartDraft { title, alt, canvas })
}

fn throughput<'a>(rows: &[ScalingRow], write: &'a dyn Fn(f64) -> String) -> Option<Panel<'a>> {
    let points: Vec<_> = rows.iter().map(|row| row.throughput.map(|rate| [rate; 3])).collect();
    let highest = points.iter().flatten().map(|[_, rate, _]| *rate).fold(0.0, f64::max);
    let axis = (highest > 0.0).then(|| Axis::linear(highest))?;
    Some(Panel {
        name: "Throughput (samples/s)",
        axis,
        points,
        write,
        color: Color::Green,
        limit: None,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a tenth of a pixel is drawn")]
fn memory<'a>(
    rows: &[ScalingRow],
    holds: Option<u64>,
    write: &'a dyn Fn(f64) -> String,
) -> Option<Panel<'a>> {
    let points: Vec<_> =
        rows.iter().map(|row| row.memory_bytes.map(|bytes| [bytes as f64; 3])).collect();
    let needs = points.iter().flatten().map(|[_, bytes, _]| *bytes);
    let highest = needs.fold(0.0, f64::max);
    // The line is drawn near the points only, not far above all of them.
    let limit = holds.filter(|holds| *holds as f64 <= 4.0 * highest);
    let limit =
        limit.map(|holds| (holds as f64, format!("device memory {}", units::capacity(holds))));
    let reach = limit.iter().map(|(bytes, _)| *bytes * 1.1).fold(highest, f64::max);
    let axis = (highest > 0.0).then(|| Axis::linear(reach))?;
    Some(Panel { name: "Memory needed", axis, points, write, color: Color::Green, limit })
}

fn remark(hardware: &Hardware, device: &str, what: &str) -> String {
    let mut facts = vec![super::word(device), hardware.precision.display_name().to_owned()];
    if what != "batch" {
        facts.push(format!("batch {}", units::integer(hardware.batch)));
    }
    facts.push("the band is the range of the estimate".to_owned());
    facts.join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn draw_panel(
    canvas: &mut Canvas,
    left: f64,
    width: f64,
    panel: &Panel<'_>,
    rows: &[ScalingRow],
    what: &str,
) {
    let top = Canvas::TOP + NAME;
    let (right, bottom) = (left + width, top + PLOT);
    canvas.text(left, top - 20.0, &Style::BODY.strong(), panel.name);
    let plot = Area { left: left + axis::gutter(&panel.axis, panel.write), right, top, bottom };
    axis::rows(canvas, &plot, &panel.axis, panel.write);
    let step = plot.width() / rows.len() as f64;
    let x = |i: usize| plot.left + (i as f64 + 0.5) * step;
    let y = |value: f64| panel.axis.place(value, plot.bottom, plot.top);
    if let Some((value, words)) = &panel.limit {
        canvas.line([plot.left, y(*value)], [plot.right, y(*value)], Color::Orange, true);
        let style = Style::AXIS.color(Color::Orange);
        let words = style.fit(words, plot.width() - 8.0);
        canvas.text(plot.left + 4.0, y(*value) - 5.0, &style, &words);
    }
    let known: Vec<(usize, [f64; 3])> =
        panel.points.iter().enumerate().filter_map(|(i, point)| Some((i, (*point)?))).collect();
    let mut band: Vec<[f64; 2]> = known.iter().map(|(i, point)| [x(*i), y(point[0])]).collect();
    band.extend(known.iter().rev().map(|(i, point)| [x(*i), y(point[2])]));
    canvas.shape(&band, panel.color, 0.18);
    let line: Vec<[f64; 2]> = known.iter().map(|(i, point)| [x(*i), y(point[1])]).collect();
    canvas.path(&line, 2.0, panel.color);
    for ((i, point), place) in known.iter().zip(&line) {
        let size = units::integer(rows[*i].size);
        let words = format!("{what} {size}: {}", (panel.write)(point[1]));
        canvas.with_tooltip(&words, |canvas| canvas.dot(*place, 4.0, panel.color, 1.0));
    }
    unfit(canvas, &plot, rows, panel, step);
    sizes(canvas, &plot, rows, step);
    let middle = f64::midpoint(plot.left, plot.right);
    canvas.text(middle, bottom + 34.0, &Style::AXIS.anchor(Anchor::Middle), what);
}

/// The sizes beneath a plot; where not all have group, the last one has, and every second or third.
#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn sizes(canvas: &mut Canvas, plot: &Area, rows: &[ScalingRow], step: f64) {
    let word = |row: &ScalingRow| match row.size {
        size @ ..1_000_000 => units::integer(size),
        size => units::axis(size as f64, ""),
    };
    let words: Vec<String> = rows.iter().map(word).collect();
    let style = Style::AXIS.anchor(Anchor::Middle);
    let widest = words.iter().map(|word| style.width(word)).fold(0.0, f64::max) + 4.0;
    let every = (1..=rows.len()).find(|every| *every as f64 * step >= widest).unwrap_or(rows.len());
    for (i, word) in
        words.iter().enumerate().filter(|(i, _)| (rows.len() - 1 - i).is_multiple_of(every))
    {
        let x = plot.left + (i as f64 + 0.5) * step;
        canvas.text(x, plot.bottom + 16.0, &style, word);
    }
}

/// A quiet field over the sizes at the end that do not fit.
#[expect(clippy::cast_precision_loss, reason = "rows are few")]
fn unfit(canvas: &mut Canvas, plot: &Area, rows: &[ScalingRow], panel: &Panel<'_>, step: f64) {
    let fits = rows.iter().rposition(|row| row.fits != Some(false)).map_or(0, |last| last + 1);
    if fits == rows.len() || panel.points[fits..].iter().any(Option::is_some) {
        return;
    }
    let left = plot.left + fits as f64 * step;
    canvas.rect(&Area { left, ..*plot }, 0.0, Color::Trough);
    let style = Style::AXIS.anchor(Anchor::Middle);
    let words = ["does not fit", "no fit"].into_iter();
    let mut words = words.filter(|words| style.width(words) <= plot.right - left);
    if let Some(words) = words.next() {
        let middle = f64::midpoint(left, plot.right);
        canvas.text(middle, f64::midpoint(plot.top, plot.bottom), &style, words);
    }
}

fn alt(title: &str, device: &str, rows: &[ScalingRow]) -> String {
    let reported = |row: &&ScalingRow| row.latency_ms.is_some();
    let word = |row: &ScalingRow| {
        let time = row.latency_ms.map_or_else(String::new, |span| units::time(span.expected));
        format!("{time} at {}", units::integer(row.size))
    };
    let mut timed = rows.iter().filter(reported);
    let ends = [timed.next(), timed.next_back()].into_iter().flatten().map(word);
    let unfit = rows.iter().filter(|row| row.fits == Some(false)).count();
    let unfit =
        if unfit > 0 { format!("; {unfit} of the sizes do not fit") } else { String::new() };
    format!("{title} on {device}: one run takes {}{unfit}.", super::listed(ends))
}
