//! What the model's kernels reach, under the roofs of the device.

use calipers_report::{ComputeRoof, Report, Roofline, RooflineKernel};

use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, KINDS, Theme};
use super::{Sketch, listed};
use crate::units;

const PLOT: f64 = 280.0;
const LEGEND: f64 = 24.0;

/// Kinds of kernel that have a colour of their own.
const NAMED: usize = 4;

/// Operations a second over operations for each byte, both logarithmic.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<Sketch> {
    let hardware = report.hardware.as_ref()?;
    let (device, roofline) = (hardware.device.as_ref()?, hardware.roofline.as_ref()?);
    let top = roofline.compute.first()?;
    let bandwidth = Some(roofline.bandwidth_bytes_per_s).filter(|b| b.is_finite() && *b > 0.0)?;
    let kernels = &roofline.kernels;
    let ridge = top.per_s / bandwidth;
    let across = Axis::decades(kernels.iter().map(|k| k.intensity).chain([ridge * 2.0]))?;
    let up = Axis::decades(kernels.iter().map(|k| k.per_s).chain([top.per_s]))?;
    let title = "Roofline".to_owned();
    let device = super::word(&device.name);
    let remark = format!(
        "{device}, {}: a dot is a kernel, as large as its share of the time",
        hardware.precision
    );
    let mut canvas = Canvas::new(theme, Canvas::TOP + PLOT + 2.0 * FOOT + LEGEND + MARGIN);
    canvas.heading(&title, &remark);
    let write = |value: f64| units::axis(value, "FLOP/s");
    let plot = Area {
        left: MARGIN + axis::gutter(&up, &write),
        right: WIDTH - MARGIN - 8.0,
        top: Canvas::TOP + 4.0,
        bottom: Canvas::TOP + 4.0 + PLOT,
    };
    axis::rows(&mut canvas, &plot, &up, &write);
    axis::columns(&mut canvas, &plot, &across, &|value| units::axis(value, ""));
    let middle = f64::midpoint(plot.left, plot.right);
    let words = "operations for each byte read or written";
    canvas.text(middle, plot.bottom + 34.0, &Style::AXIS.anchor(Anchor::Middle), words);
    let chart = Chart { plot, across, up };
    let kinds = kinds(kernels);
    chart.roofs(&mut canvas, roofline);
    chart.dots(&mut canvas, kernels, &kinds);
    legend(&mut canvas, &kinds, plot.bottom + 2.0 * FOOT + 16.0);
    let alt = alt(roofline, &device, &kinds);
    Some(Sketch { title, alt, canvas })
}

/// Kinds of kernel with the share of the run that they take, dearest first.
fn kinds(kernels: &[RooflineKernel]) -> Vec<(&str, f64)> {
    let mut kinds: Vec<(&str, f64)> = vec![];
    for kernel in kernels {
        match kinds.iter_mut().find(|(kind, _)| *kind == kernel.kind) {
            Some((_, percent)) => *percent += kernel.percent,
            None => kinds.push((&kernel.kind, kernel.percent)),
        }
    }
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    kinds
}

fn color(kinds: &[(&str, f64)], kind: &str) -> Color {
    let place = kinds.iter().take(NAMED).position(|(known, _)| *known == kind);
    place.map_or(Color::Gray, |place| KINDS[place])
}

struct Chart {
    plot: Area,
    across: Axis,
    up: Axis,
}

impl Chart {
    fn place(&self, intensity: f64, per_s: f64) -> [f64; 2] {
        let plot = &self.plot;
        [
            self.across.place(intensity, plot.left, plot.right),
            self.up.place(per_s, plot.bottom, plot.top),
        ]
    }

    /// Where the memory's roof meets a rate.
    fn roofs(&self, canvas: &mut Canvas, roofline: &Roofline) {
        let bandwidth = roofline.bandwidth_bytes_per_s;
        let ([low, high], [floor, _]) = (self.across.ends(), self.up.ends());
        let style = Style::AXIS.color(Color::Ink);
        let mut taken = f64::NEG_INFINITY;
        for (i, ComputeRoof { precision, per_s }) in roofline.compute.iter().enumerate() {
            let ridge = (per_s / bandwidth).clamp(low, high);
            let (from, to) = (self.place(ridge, *per_s), self.place(high, *per_s));
            canvas.path(&[from, to], 1.5, Color::Ink);
            let words = format!("{precision} peak {}", units::axis(*per_s, "FLOP/s"));
            let words = style.fit(&words, self.plot.width() / 2.0);
            // Above the highest roof, beneath the others, and nowhere where it would touch.
            let y = if i == 0 { to[1] - 6.0 } else { to[1] + 14.0 };
            if y - taken > 14.0 && y < self.plot.bottom - 20.0 {
                canvas.text(self.plot.right, y, &style.anchor(Anchor::End), &words);
                taken = y;
            }
        }
        let Some(top) = roofline.compute.first() else { return };
        let start = (floor / bandwidth).max(low);
        let end = (top.per_s / bandwidth).clamp(start, high);
        let (from, to) = (self.place(start, start * bandwidth), self.place(end, end * bandwidth));
        canvas.path(&[from, to], 1.5, Color::Ink);
        let words = format!("memory {}", units::axis(bandwidth, "B/s"));
        self.beside(canvas, from, to, &words);
    }

    /// Words to the left of the slope, or nowhere where there is no room.
    fn beside(&self, canvas: &mut Canvas, from: [f64; 2], to: [f64; 2], words: &str) {
        let style = Style::AXIS.color(Color::Ink).anchor(Anchor::End);
        for part in [0.75, 0.6, 0.9] {
            let [x, y] = [0, 1].map(|i| from[i] + part * (to[i] - from[i]));
            let (x, y) = (x - 10.0, y - 2.0);
            if self.plot.holds(&style.area(x, y, words)) {
                canvas.text(x, y, &style, words);
                return;
            }
        }
    }

    fn dots(&self, canvas: &mut Canvas, kernels: &[RooflineKernel], kinds: &[(&str, f64)]) {
        // The largest first, so that none hides another.
        for kernel in kernels {
            let place = self.place(kernel.intensity, kernel.per_s);
            let radius = (kernel.percent.clamp(0.0, 100.0) / 100.0).sqrt() * 16.0;
            canvas.dot(place, radius.max(3.0), color(kinds, &kernel.kind), 0.85);
        }
    }
}

/// The kinds with their shares, in the colours of the dots.
fn legend(canvas: &mut Canvas, kinds: &[(&str, f64)], y: f64) {
    let rest: f64 = kinds.iter().skip(NAMED).map(|(_, percent)| percent).sum();
    let named = kinds
        .iter()
        .take(NAMED)
        .map(|(kind, percent)| (super::word(kind), *percent, color(kinds, kind)));
    let rest = (kinds.len() > NAMED).then(|| ("others".to_owned(), rest, Color::Gray));
    let mut x = MARGIN;
    for (kind, percent, color) in named.chain(rest) {
        let words = format!("{} of the time", units::percent(percent));
        let words = if x > MARGIN { units::percent(percent) } else { words };
        let kind = Style::BODY.fit(&kind, 100.0);
        let end = x + 14.0 + Style::BODY.width(&kind) + 4.0 + Style::QUIET.width(&words);
        if end > WIDTH - MARGIN {
            return;
        }
        canvas.dot([x + 4.5, y - 4.0], 5.0, color, 1.0);
        canvas.text(x + 14.0, y, &Style::BODY, &kind);
        canvas.text(end - Style::QUIET.width(&words), y, &Style::QUIET, &words);
        x = end + 16.0;
    }
}

fn alt(roofline: &Roofline, device: &str, kinds: &[(&str, f64)]) -> String {
    let dear = kinds.iter().take(3);
    let dear =
        dear.map(|(kind, percent)| format!("{} {}", super::word(kind), units::percent(*percent)));
    let roofs = roofline.compute.iter().map(|roof| {
        format!("{} {}", super::word(&roof.precision), units::axis(roof.per_s, "FLOP/s"))
    });
    format!(
        "Kernels under the roofs of {device}, memory {} and {}: most of the time goes to {}.",
        units::axis(roofline.bandwidth_bytes_per_s, "B/s"),
        listed(roofs),
        listed(dear)
    )
}
