//! How much the weights changed along the depth of the network, as a strip of cells.
//!
//! One hue, from the color of the page to the full color: the order of the cells is in their
//! lightness, which readers of every color vision see.

use calipers_report::{DepthChange, WeightChanges};

use super::ChartDraft;
use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};
use crate::units;

const STRIP: f64 = 44.0;
const LEGEND: f64 = 40.0;
/// Cells at most.
const CELLS: usize = 128;
/// The lightest cell that differs still differs from the page.
const LIGHTEST: f64 = 0.1;
/// Steps of the color scale in the legend.
const STEPS: u32 = 24;

/// A cell for each part of the depth, from input to output.
pub(super) fn draw(weights: &WeightChanges, theme: Theme) -> Option<ChartDraft> {
    let cells = &weights.by_depth;
    let (at, largest) = largest(cells).filter(|(_, norm)| *norm > 0.0)?;
    if cells.len() > CELLS {
        return None;
    }
    let title = "Change of the weights along depth".to_owned();
    let place = format!("{:.0}% of the depth", at.from_percent.clamp(0.0, 100.0));
    let remark = format!(
        "Norm of the difference over the norm of A; largest {} at {place}",
        crate::comparison::small_number(largest)
    );
    let mut canvas = Canvas::new(theme, Canvas::TOP + STRIP + LEGEND + MARGIN + 14.0);
    canvas.heading(&title, &remark);
    let strip =
        Area { left: MARGIN, right: WIDTH - MARGIN, top: Canvas::TOP, bottom: Canvas::TOP + STRIP };
    #[expect(clippy::cast_precision_loss, reason = "cells are few")]
    let step = strip.width() / cells.len() as f64;
    let gap = if step > 8.0 { 2.0 } else { 0.5 };
    let mut left = strip.left;
    for part in cells {
        let area = Area { left, right: left + step - gap, ..strip };
        canvas.with_tooltip(&description(part), |canvas| cell(canvas, &area, part, largest));
        left += step;
    }
    let foot = strip.bottom + 16.0;
    canvas.text(strip.left, foot, &Style::AXIS, "input");
    canvas.text(strip.right, foot, &Style::AXIS.anchor(Anchor::End), "output");
    legend(&mut canvas, strip.bottom + LEGEND + 6.0, cells, largest);
    Some(ChartDraft { alt: alt(cells, largest, &place), title, canvas })
}

/// The part with the largest figure.
fn largest(cells: &[DepthChange]) -> Option<(&DepthChange, f64)> {
    let known = cells.iter().filter_map(|part| Some((part, norm(part)?)));
    known.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

/// The figure of a part, where it has one.
fn norm(part: &DepthChange) -> Option<f64> {
    part.relative_norm.filter(|norm| norm.is_finite() && *norm >= 0.0)
}

fn cell(canvas: &mut Canvas, area: &Area, part: &DepthChange, largest: f64) {
    match norm(part) {
        None => hatch(canvas, area),
        Some(norm) => fill(canvas, area, 2.0, norm / largest),
    }
}

/// A cell by its share of the largest figure.
fn fill(canvas: &mut Canvas, area: &Area, round: f64, share: f64) {
    canvas.rect(area, round, Color::Trough);
    if share > 0.0 {
        let opacity = LIGHTEST + (1.0 - LIGHTEST) * share.clamp(0.0, 1.0);
        canvas.tint(area, round, Color::Blue, (opacity * 100.0).round() / 100.0);
    }
}

/// Diagonal lines: nothing was compared here.
fn hatch(canvas: &mut Canvas, area: &Area) {
    const APART: f64 = 7.0;
    let (width, height) = (area.width().max(0.0), area.height().max(0.0));
    let mut offset = APART - width;
    while offset < height {
        let [from, to] = [(-offset).max(0.0), width.min(height - offset)];
        if from < to {
            let end = |t: f64| [area.left + t, area.bottom - t - offset];
            canvas.line(end(from), end(to), Color::Gray, false);
        }
        offset += APART;
    }
}

/// A cell in words.
fn description(part: &DepthChange) -> String {
    let from = format!("from {:.0}% of the depth", part.from_percent.clamp(0.0, 100.0));
    let what = match norm(part) {
        Some(0.0) => "same weights".to_owned(),
        Some(norm) => format!("relative norm {}", crate::comparison::small_number(norm)),
        None if part.tensors == 0 => return format!("{from}: no weights compared"),
        None => "relative norm not known".to_owned(),
    };
    format!("{from}: {what}, {}", units::counted(part.tensors, "tensor", "tensors"))
}

/// The color scale with its ends, and what the hatched cells are.
fn legend(canvas: &mut Canvas, y: f64, cells: &[DepthChange], largest: f64) {
    const SCALE: f64 = 168.0;
    canvas.text(MARGIN, y, &Style::AXIS, "0");
    // On whole pixels, so that no seam shows between two steps.
    let left = (MARGIN + Style::AXIS.width("0") + 6.0).ceil();
    let step = SCALE / f64::from(STEPS);
    for i in 0..STEPS {
        let start = left + f64::from(i) * step;
        let area = Area { left: start, right: start + step, top: y - 9.0, bottom: y + 1.0 };
        fill(canvas, &area, 0.0, f64::from(i + 1) / f64::from(STEPS));
    }
    let figure = format!("{} (largest)", crate::comparison::small_number(largest));
    let mut x = left + SCALE + 6.0;
    canvas.text(x, y, &Style::AXIS, &figure);
    x += Style::AXIS.width(&figure) + 24.0;
    let swatch = |x: f64| Area { left: x, right: x + 20.0, top: y - 9.0, bottom: y + 1.0 };
    if cells.iter().any(|part| norm(part) == Some(0.0)) {
        fill(canvas, &swatch(x), 2.0, 0.0);
        canvas.text(x + 26.0, y, &Style::AXIS, "same");
        x += 26.0 + Style::AXIS.width("same") + 24.0;
    }
    let blank: Vec<&DepthChange> = cells.iter().filter(|part| norm(part).is_none()).collect();
    if !blank.is_empty() {
        let words = match blank.iter().all(|part| part.tensors == 0) {
            true => "no weights compared",
            false => "no weights compared, or not known",
        };
        hatch(canvas, &swatch(x));
        canvas.text(x + 26.0, y, &Style::AXIS, words);
    }
}

fn alt(cells: &[DepthChange], largest: f64, place: &str) -> String {
    let figures: Vec<f64> = cells.iter().filter_map(norm).collect();
    let least = figures.iter().copied().fold(f64::INFINITY, f64::min);
    let blank = cells.len() - figures.len();
    let rest = match blank {
        0 => String::new(),
        _ => format!("; {} without compared weights", units::integer(blank as u64)),
    };
    format!(
        "Relative norm of the change of the weights in {} from input to output: from {} to {}, the \
         largest at {place}{rest}.",
        units::counted(cells.len() as u64, "part", "parts"),
        crate::comparison::small_number(least),
        crate::comparison::small_number(largest)
    )
}

#[cfg(test)]
mod tests;
