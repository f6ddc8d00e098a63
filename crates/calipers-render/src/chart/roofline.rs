//! What the model's kernels reach, under the ceilings of the device.

use calipers_report::{ComputeCeiling, Report, Roofline, RooflineKernel};

use super::axis::{self, Axis, FOOT};
use super::canvas::{Anchor, Area, Canvas, Key, MARGIN, Style, WIDTH};
use super::theme::{Color, KINDS, Theme};
use super::{ChartDraft, listed};
use crate::units;

const PLOT: f64 = 280.0;
const LEGEND: f64 = 24.0;

/// Kinds of kernel that have a color of their own.
const NAMED: usize = 4;

/// Operations a second over operations for each byte, both logarithmic.
pub(super) fn draw(report: &Report, theme: Theme) -> Option<ChartDraft> {
    let hardware = report.hardware.as_ref()?;
    let (device, roofline) = (hardware.device.as_ref()?, hardware.roofline.as_ref()?);
    let top = roofline.compute.first()?;
    let bandwidth = Some(roofline.bandwidth_bytes_per_s).filter(|b| b.is_finite() && *b > 0.0)?;
    let kernels = &roofline.kernels;
    let ridge = top.per_s / bandwidth;
    let across = Axis::decades(kernels.iter().map(|k| k.intensity).chain([ridge * 6.0]))?;
    let up = Axis::decades(kernels.iter().map(|k| k.per_s).chain([top.per_s]))?;
    let title = "Roofline".to_owned();
    let device = super::word(&device.name);
    let mut remark = format!(
        "{} on {device}; dots are kernels, sized by their time",
        hardware.precision.display_name()
    );
    if roofline.without_arithmetic > 0 {
        let kernels =
            units::counted(roofline.without_arithmetic, "more only moves", "more only move");
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
    chart.ceilings(&mut canvas, roofline);
    chart.dots(&mut canvas, kernels, &kinds);
    chart.ceiling_labels(&mut canvas, roofline);
    canvas.keys(plot.bottom + 2.0 * FOOT + 16.0, &keys(&kinds));
    let alt = alt(roofline, &device, &kinds);
    Some(ChartDraft { title, alt, canvas })
}

/// Kinds of kernel with the share of the run that they take, most expensive first.
fn kinds(kernels: &[RooflineKernel]) -> Vec<(&'static str, f64)> {
    let mut kinds: Vec<(&'static str, f64)> = vec![];
    for kernel in kernels {
        match kinds.iter_mut().find(|(kind, _)| *kind == kernel.kind.id()) {
            Some((_, percent)) => *percent += kernel.percent,
            None => kinds.push((kernel.kind.id(), kernel.percent)),
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
    fn ceilings(&self, canvas: &mut Canvas, roofline: &Roofline) {
        let (bandwidth, [low, high]) = (roofline.bandwidth_bytes_per_s, self.across.ends());
        for ComputeCeiling { per_s, .. } in &roofline.compute {
            let ridge = (per_s / bandwidth).clamp(low, high);
            canvas.path(&[self.place(ridge, *per_s), self.place(high, *per_s)], 1.5, Color::Ink);
        }
        canvas.path(&self.slope(roofline), 1.5, Color::Ink);
    }

    /// The ends of the memory's ceiling.
    fn slope(&self, roofline: &Roofline) -> [[f64; 2]; 2] {
        let bandwidth = roofline.bandwidth_bytes_per_s;
        let ([low, high], [floor, _]) = (self.across.ends(), self.up.ends());
        let top = roofline.compute.first().map_or(floor, |ceiling| ceiling.per_s);
        let start = (floor / bandwidth).clamp(low, high);
        let end = (top / bandwidth).clamp(start, high);
        [start, end].map(|at| self.place(at, at * bandwidth))
    }

    /// Words at the ceilings, each where it covers least.
    fn ceiling_labels(&self, canvas: &mut Canvas, roofline: &Roofline) {
        let [from, to] = self.slope(roofline);
        let along = |part: f64| [0, 1].map(|i| from[i] + part * (to[i] - from[i]));
        let mut covered: Vec<Area> =
            roofline.kernels.iter().map(|kernel| self.dot(kernel)).collect();
        covered.extend((0..=40).map(|i| square(along(f64::from(i) / 40.0), 1.0)));
        let mut words = Words { group: self.page(), covered, taken: vec![] };
        let style = Style::AXIS.color(Color::Ink).anchor(Anchor::End);
        for (names, per_s) in levels(&roofline.compute) {
            let level = style.fit(
                &format!("{names} peak {}", units::axis(per_s, "FLOP/s")),
                self.plot.width() / 2.0,
            );
            let [x, y] = self.place(per_s / roofline.bandwidth_bytes_per_s, per_s);
            let (right, start) = (self.plot.right - 2.0, x + style.width(&level) + 12.0);
            let above = [[right, y - 6.0], [right, y + 14.0], [x - 14.0, y - 4.0]];
            let beneath = [[start, y + 14.0], [start, y - 6.0]];
            words.write(canvas, &style, &level, above.iter().chain(&beneath));
        }
        let memory = format!("memory {}", units::axis(roofline.bandwidth_bytes_per_s, "B/s"));
        let adjacent = [0.7, 0.55, 0.4, 0.85].map(along).map(|[x, y]| [x - 10.0, y - 2.0]);
        words.write(canvas, &style, &memory, adjacent.iter());
    }

    /// Where words may be: the plot, and a little above it.
    fn page(&self) -> Area {
        Area { top: self.plot.top - 14.0, ..self.plot }
    }

    /// The square around a kernel's dot.
    fn dot(&self, kernel: &RooflineKernel) -> Area {
        square(self.place(kernel.intensity, kernel.per_s), radius(kernel))
    }

    fn dots(&self, canvas: &mut Canvas, kernels: &[RooflineKernel], kinds: &[(&str, f64)]) {
        // The largest first, so that none hides another.
        for kernel in kernels {
            let place = self.place(kernel.intensity, kernel.per_s);
            let color = color(kinds, kernel.kind.id());
            canvas.with_tooltip(&description(kernel), |canvas| {
                canvas.dot(place, radius(kernel), color, 0.85);
            });
        }
    }
}

/// A dot in words.
fn description(kernel: &RooflineKernel) -> String {
    let node = Style::BODY.fit(&kernel.node, 300.0);
    let more = match kernel.count {
        0 | 1 => String::new(),
        count => format!(" and {} more alike", units::integer(count - 1)),
    };
    format!(
        "{} {node}{more}: {} of the time, {} at {} FLOPs a byte",
        super::word(kernel.kind.id()),
        units::percent(kernel.percent),
        units::axis(kernel.per_s, "FLOP/s"),
        units::decimal(kernel.intensity)
    )
}

fn square([x, y]: [f64; 2], half: f64) -> Area {
    Area { left: x - half, right: x + half, top: y - half, bottom: y + half }
}

/// Peaks, highest first; those that look alike are one, with all their names.
fn levels(ceilings: &[ComputeCeiling]) -> Vec<(String, f64)> {
    const ALIKE: f64 = 1.05;
    let mut levels: Vec<(String, f64)> = vec![];
    for ceiling in ceilings {
        let name = ceiling.precision.display_name().to_owned();
        match levels.last_mut() {
            Some((names, per_s)) if *per_s <= ceiling.per_s * ALIKE => {
                *names += &format!(", {name}");
            }
            _ => levels.push((name, ceiling.per_s)),
        }
    }
    levels
}

/// Words over a chart that must not touch one another.
struct Words {
    group: Area,
    /// What had better not be covered.
    covered: Vec<Area>,
    taken: Vec<Area>,
}

impl Words {
    /// Writes at the first of the places where least is covered; nowhere if none is free.
    fn write<'a>(
        &mut self,
        canvas: &mut Canvas,
        style: &Style,
        words: &str,
        places: impl Iterator<Item = &'a [f64; 2]>,
    ) {
        let mut free: Vec<([f64; 2], Area)> = places
            .map(|[x, y]| ([*x, *y], style.area(*x, *y, words)))
            .filter(|(_, area)| self.group.holds(area))
            .filter(|(_, area)| !self.taken.iter().any(|other| other.meets(area)))
            .collect();
        // Stable, so of equal places the first is taken.
        free.sort_by_key(|(_, area)| self.covered.iter().filter(|dot| dot.meets(area)).count());
        if let Some(([x, y], area)) = free.first() {
            canvas.text_over(*x, *y, style, words);
            self.taken.push(*area);
        }
    }
}

/// A dot's area is its share of the time, but none is too small to be seen.
fn radius(kernel: &RooflineKernel) -> f64 {
    ((kernel.percent.clamp(0.0, 100.0) / 100.0).sqrt() * 16.0).max(3.0)
}

/// The kinds with their shares, in the colors of the dots.
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
    let ceilings = roofline.compute.iter().map(|ceiling| {
        format!("{} {}", ceiling.precision.display_name(), units::axis(ceiling.per_s, "FLOP/s"))
    });
    format!(
        "Kernels under the ceilings of {device}, memory {} and {}: most of the time goes to {}.",
        units::axis(roofline.bandwidth_bytes_per_s, "B/s"),
        listed(ceilings),
        listed(dear)
    )
}
