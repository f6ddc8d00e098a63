//! Activations that are alive at each node, with the peak marked.

use calipers_report::Report;

use super::ChartDraft;
use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::colors;
use super::theme::{Color, Theme};
use crate::units;

/// Steps at most, each two pixels wide or more; of several nodes the highest is drawn.
const STEPS: usize = 300;
const PLOT: f64 = 200.0;
/// Height above the plot for the label of the peak.
const HEAD: f64 = 22.0;

/// Bytes over the order of execution.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let memory = &report.memory;
    let (peak, timeline) = (memory.peak_activation_bytes?, &memory.timeline);
    if peak == 0 || timeline.len() < 2 {
        return None;
    }
    let mut remark = format!("{} at the peak", units::bytes(peak));
    if let Some(bytes) = memory.peak_activation_in_place_bytes.filter(|bytes| *bytes < peak) {
        remark += &format!(", {} with in-place reuse", units::bytes(bytes));
    }
    let title = "Activation memory in execution order".to_owned();
    let height = Canvas::TOP + HEAD + PLOT + FOOT + MARGIN;
    let mut canvas = Canvas::new(theme, height);
    canvas.heading(&title, &remark);
    #[expect(clippy::cast_precision_loss, reason = "a tenth of a pixel is drawn")]
    let (highest, write) = (peak as f64, |value: f64| units::axis(value, "B"));
    let axis = Axis::linear(highest);
    let top = Canvas::TOP + HEAD;
    let plot = Area {
        left: MARGIN + axis::gutter(&axis, &write),
        right: WIDTH - MARGIN,
        top,
        bottom: top + PLOT,
    };
    axis::rows(&mut canvas, &plot, &axis, &write);
    steps(&mut canvas, &plot, &axis, timeline);
    mark(&mut canvas, &plot, &axis, report, peak);
    ends(&mut canvas, &plot, timeline.len());
    let alt = format!("Activation memory in execution order, {} at the peak.", units::bytes(peak));
    Some(ChartDraft { title, alt, canvas })
}

#[expect(clippy::cast_precision_loss, reason = "places are drawn to a tenth of a pixel")]
fn steps(canvas: &mut Canvas, plot: &Area, axis: &Axis, timeline: &[u64]) {
    let each = timeline.len().div_ceil(STEPS);
    let x = |node: usize| plot.left + plot.width() * node as f64 / timeline.len() as f64;
    let mut points = vec![];
    for (i, nodes) in timeline.chunks(each).enumerate() {
        let bytes = nodes.iter().copied().max().unwrap_or(0);
        let y = axis.place(bytes as f64, plot.bottom, plot.top);
        let (from, to) = (x(i * each), x((i * each + nodes.len()).min(timeline.len())));
        points.extend([[from, y], [to, y]]);
    }
    let mut shape = vec![[plot.left, plot.bottom]];
    shape.extend(&points);
    shape.push([plot.right, plot.bottom]);
    canvas.shape(&shape, colors::ACTIVATIONS, 0.16);
    canvas.path(&points, 1.5, colors::ACTIVATIONS);
}

/// A dot at the peak, and words above it.
#[expect(clippy::cast_precision_loss, reason = "places are drawn to a tenth of a pixel")]
fn mark(canvas: &mut Canvas, plot: &Area, axis: &Axis, report: &Report, peak: u64) {
    let timeline = &report.memory.timeline;
    let Some(node) = timeline.iter().position(|bytes| *bytes == peak) else { return };
    let x = plot.left + plot.width() * (node as f64 + 0.5) / timeline.len() as f64;
    let y = axis.place(peak as f64, plot.bottom, plot.top);
    canvas.line([x, y], [x, plot.bottom], Color::Ink, true);
    canvas.dot([x, y], 4.5, Color::Ink, 1.0);
    let (anchor, group) = match x < f64::midpoint(plot.left, plot.right) {
        true => (Anchor::Start, plot.right - x),
        false => (Anchor::End, x - plot.left),
    };
    let style = Style::BODY.strong().anchor(anchor);
    let node = report.memory.peak_at.as_deref().unwrap_or("");
    let group = group - style.width(&format!("{} at ", units::bytes(peak)));
    let node =
        if node.is_empty() { String::new() } else { format!(" at {}", style.fit(node, group)) };
    let words = format!("{}{node}", units::bytes(peak));
    canvas.text(x, y - 11.0, &style, &words);
}

/// Where the order begins, what it is, and where it ends.
fn ends(canvas: &mut Canvas, plot: &Area, nodes: usize) {
    let y = plot.bottom + 16.0;
    canvas.line([plot.left, plot.bottom], [plot.right, plot.bottom], Color::Quiet, false);
    canvas.text(plot.left, y, &Style::AXIS, "first node");
    let middle = f64::midpoint(plot.left, plot.right);
    canvas.text(middle, y, &Style::AXIS.anchor(Anchor::Middle), "execution order");
    let last = format!("node {}", units::integer(nodes as u64));
    canvas.text(plot.right, y, &Style::AXIS.anchor(Anchor::End), &last);
}
