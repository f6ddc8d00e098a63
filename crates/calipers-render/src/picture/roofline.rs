//! What the model's kernels reach, under the roofs of the device.

use calipers_report::{ComputeRoof, Report, Roofline, RooflineKernel};

use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, Key, MARGIN, Style, WIDTH};
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
    let mut remark = format!(
        "{device}, {}: a dot is a kernel, large by its share of the time",
        super::word(&hardware.precision)
    );
    if roofline.without_arithmetic > 0 {
        let kernels = units::counted(roofline.without_arithmetic, "more moves", "more only move");
        remark += &format!("; {kernels} data");
    }
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
    chart.roof_words(&mut canvas, roofline);
    canvas.keys(plot.bottom + 2.0 * FOOT + 16.0, &keys(&kinds));
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

    /// The slope of the memory, the levels of the peaks.
    fn roofs(&self, canvas: &mut Canvas, roofline: &Roofline) {
        let bandwidth = roofline.bandwidth_bytes_per_s;
        let ([low, high], [floor, _]) = (self.across.ends(), self.up.ends());
        for ComputeRoof { per_s, .. } in &roofline.compute {
            let ridge = (per_s / bandwidth).clamp(low, high);
            canvas.path(&[self.place(ridge, *per_s), self.place(high, *per_s)], 1.5, Color::Ink);
        }
        let Some(top) = roofline.compute.first() else { return };
        let start = (floor / bandwidth).clamp(low, high);
        let end = (top.per_s / bandwidth).clamp(start, high);
        let slope = [start, end].map(|at| self.place(at, at * bandwidth));
        canvas.path(&slope, 1.5, Color::Ink);
    }

    /// Words at the roofs, each where it covers no dot if there is such a place, and no other words.
    fn roof_words(&self, canvas: &mut Canvas, roofline: &Roofline) {
        let dots: Vec<Area> = roofline.kernels.iter().map(|kernel| self.dot(kernel)).collect();
        let mut taken: Vec<Area> = vec![];
        let mut write = |style: &Style, words: &str, places: &[[f64; 2]]| {
            let areas = places.iter().map(|[x, y]| (*x, *y, style.area(*x, *y, words)));
            let free = |(_, _, area): &(f64, f64, Area)| {
                self.page().holds(area) && !taken.iter().any(|other| other.meets(area))
            };
            let mut areas: Vec<_> = areas.filter(free).collect();
            // Stable, so the first of those that cover fewest dots is taken.
            areas.sort_by_key(|(_, _, area)| dots.iter().filter(|dot| dot.meets(area)).count());
            if let Some((x, y, area)) = areas.first() {
                canvas.text_over(*x, *y, style, words);
                taken.push(*area);
            }
        };
        let style = Style::AXIS.color(Color::Ink);
        let bandwidth = roofline.bandwidth_bytes_per_s;
        for ComputeRoof { precision, per_s } in &roofline.compute {
            let words =
                format!("{} peak {}", super::word(precision), units::axis(*per_s, "FLOP/s"));
            let words = style.fit(&words, self.plot.width() / 2.0);
            let [x, y] = self.place(per_s / bandwidth, *per_s);
            let right = self.plot.right - 2.0;
            let end = style.anchor(Anchor::End);
            let start = x + style.width(&words) + 12.0;
            write(
                &end,
                &words,
                &[[right, y - 6.0], [right, y + 14.0], [start, y + 14.0], [start, y - 6.0]],
            );
        }
        let words = format!("memory {}", units::axis(bandwidth, "B/s"));
        let ([low, _], [floor, _]) = (self.across.ends(), self.up.ends());
        let top = roofline.compute.first().map_or(floor, |roof| roof.per_s);
        let from = self.place((floor / bandwidth).max(low), (low * bandwidth).max(floor));
        let to = self.place(top / bandwidth, top);
        let beside = [0.7, 0.55, 0.4, 0.85].map(|part| {
            [from[0] + part * (to[0] - from[0]) - 10.0, from[1] + part * (to[1] - from[1]) - 2.0]
        });
        write(&style.anchor(Anchor::End), &words, &beside);
    }

    /// Where words may stand: the plot, and a little above it.
    fn page(&self) -> Area {
        Area { top: self.plot.top - 14.0, ..self.plot }
    }

    /// The square around a kernel's dot.
    fn dot(&self, kernel: &RooflineKernel) -> Area {
        let ([x, y], radius) = (self.place(kernel.intensity, kernel.per_s), radius(kernel));
        Area { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
    }

    fn dots(&self, canvas: &mut Canvas, kernels: &[RooflineKernel], kinds: &[(&str, f64)]) {
        // The largest first, so that none hides another.
        for kernel in kernels {
            let place = self.place(kernel.intensity, kernel.per_s);
            canvas.dot(place, radius(kernel), color(kinds, &kernel.kind), 0.85);
        }
    }
}

/// A dot's area is its share of the time, but none is too small to be seen.
fn radius(kernel: &RooflineKernel) -> f64 {
    ((kernel.percent.clamp(0.0, 100.0) / 100.0).sqrt() * 16.0).max(3.0)
}

/// The kinds with their shares, in the colours of the dots.
fn keys(kinds: &[(&str, f64)]) -> Vec<Key> {
    let rest: f64 = kinds.iter().skip(NAMED).map(|(_, percent)| percent).sum();
    let rest = (kinds.len() > NAMED).then_some(("others", rest));
    let named = kinds.iter().take(NAMED).copied();
    named
        .chain(rest)
        .map(|(kind, percent)| Key {
            color: color(kinds, kind),
            name: kind.to_owned(),
            rest: units::percent(percent),
        })
        .collect()
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
