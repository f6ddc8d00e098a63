//! The network as boxes and arrows, in SVG.

use std::fmt::Write as _;

use calipers_report::{Arrow, BoxKind, Diagram, DiagramBox};
use maud::{Markup, html};

use crate::graph::labels::width;
use crate::graph::{Place, Sheet, Task, lay_out};
use crate::page::untrusted::Untrusted;
use crate::text::{self, Charset};

/// Boxes that a diagram shows; of more, the first.
const MOST_BOXES: usize = 120;

/// Arrows that may have a label; more labels could not be read.
const MOST_LABELS: usize = 400;

/// Space around the diagram, in pixels.
const MARGIN: f64 = 8.0;

/// Sizes of letters, in pixels: of a box's title, of the note below it, and of an arrow's label.
const TITLE_LETTERS: f64 = 14.0;
const NOTE_LETTERS: f64 = 12.0;
const LABEL_LETTERS: f64 = 12.0;

/// The diagram, or a note that there is none.
pub(super) fn diagram(diagram: &Diagram) -> Markup {
    let boxes = &diagram.boxes[..diagram.boxes.len().min(MOST_BOXES)];
    if boxes.is_empty() {
        return html! { p.note { "The diagram is empty." } };
    }
    let arrows = diagram.arrows.iter().filter(|it| it.from < boxes.len() && it.to < boxes.len());
    let arrows: Vec<&Arrow> = arrows.collect();
    let sheet = lay_out(&Task {
        sizes: boxes.iter().map(size).collect(),
        arrows: arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect(),
        order: (0..boxes.len()).collect(),
        ..Task::default()
    });
    // Labels are to the right of arrows, and may reach beyond the boxes.
    let reach = arrows.iter().filter_map(|arrow| {
        let (from, to) = (sheet.boxes.get(arrow.from)?, sheet.boxes.get(arrow.to)?);
        let x = if fan_out(&arrows, arrow.from) > 1 { to.x } else { from.x };
        Some(x + 10.0 + width(&label(arrow), LABEL_LETTERS + 0.5))
    });
    let width = whole(reach.fold(sheet.width, f64::max) + 2.0 * MARGIN);
    let height = whole(sheet.height + 2.0 * MARGIN);
    html! {
        svg.net viewBox={ "-8 -8 " (width) " " (height) } width=(width) height=(height)
            role="img" aria-label="Architecture diagram" {
            (draw_arrows(&arrows, &sheet))
            @for (it, place) in boxes.iter().zip(&sheet.boxes) { (draw_box(it, place)) }
        }
        @if diagram.boxes.len() > boxes.len() {
            p.note { "The first " (boxes.len()) " of " (diagram.boxes.len()) " parts." }
        }
    }
}

fn title(it: &DiagramBox) -> String {
    let times = if it.times > 1 { format!("{} × ", it.times) } else { String::new() };
    let label = text::name(&it.label, Charset::Unicode);
    text::truncate(&format!("{times}{label}"), 40, Charset::Unicode)
}

fn note(it: &DiagramBox) -> String {
    text::truncate(&text::name(&it.detail, Charset::Unicode), 48, Charset::Unicode)
}

fn label(arrow: &Arrow) -> String {
    text::truncate(&text::name(&arrow.label, Charset::Unicode), 40, Charset::Unicode)
}

/// The width and the height of a box, in pixels.
fn size(it: &DiagramBox) -> (f64, f64) {
    let text = width(&title(it), TITLE_LETTERS).max(width(&note(it), NOTE_LETTERS)) + 28.0;
    ((text.clamp(80.0, 380.0) / 2.0).ceil() * 2.0, if it.detail.is_empty() { 32.0 } else { 48.0 })
}

fn draw_box(it: &DiagramBox, place: &Place) -> Markup {
    let class = match it.kind {
        BoxKind::Input | BoxKind::Output => "port",
        _ if it.times > 1 => "many",
        _ => "part",
    };
    let has_note = !it.detail.is_empty();
    let middle = place.y + place.height / 2.0;
    let baseline = if has_note { middle - 3.0 } else { middle + 4.5 };
    html! {
        g class=(class) {
            title { (Untrusted(&format!("{} {}", title(it), it.detail))) }
            rect x=(whole(place.x - place.width / 2.0)) y=(whole(place.y))
                width=(whole(place.width)) height=(whole(place.height)) rx="6" {}
            text x=(whole(place.x)) y=(tenths(baseline)) { (Untrusted(&title(it))) }
            @if has_note {
                text.n x=(whole(place.x)) y=(tenths(middle + 13.0)) { (Untrusted(&note(it))) }
            }
        }
    }
}

/// Arrows, with labels on those that are straight, where there is space for them.
fn draw_arrows(arrows: &[&Arrow], sheet: &Sheet) -> Markup {
    let mut taken = Vec::new();
    html! {
        @for ((arrow, bends), number) in arrows.iter().zip(&sheet.bends).zip(0..) {
            (line(&points(arrow, bends, sheet)))
            @if !arrow.label.is_empty() && number < MOST_LABELS {
                // Arrows from one box part at its end, so their labels are where they arrive.
                (draw_label(arrow, sheet, fan_out(arrows, arrow.from) > 1, &mut taken))
            }
        }
    }
}

/// Arrows that start at a box.
fn fan_out(arrows: &[&Arrow], from: usize) -> usize {
    arrows.iter().filter(|arrow| arrow.from == from).count()
}

fn points(arrow: &Arrow, bends: &[(usize, f64)], sheet: &Sheet) -> Vec<(f64, f64)> {
    let (from, to) = (sheet.boxes[arrow.from], sheet.boxes[arrow.to]);
    let mut points = vec![(from.x, from.y + from.height)];
    for (rank, x) in bends {
        let band = sheet.bands[*rank];
        points.extend([(*x, band.y), (*x, band.y + band.height)]);
    }
    points.push((to.x, to.y));
    points
}

fn draw_label(arrow: &Arrow, sheet: &Sheet, arrives: bool, taken: &mut Vec<[f64; 3]>) -> Markup {
    let (from, to) = (sheet.boxes[arrow.from], sheet.boxes[arrow.to]);
    let is_straight = (from.x - to.x).abs() < 1.0;
    let (x, y) = match arrives {
        _ if is_straight => (from.x, (from.y + from.height + to.y) / 2.0 + 4.0),
        true => (to.x, to.y - 10.0),
        false => (from.x, from.y + from.height + 16.0),
    };
    let label = label(arrow);
    html! {
        @if let Some(y) = free(taken, &sheet.boxes, x + 6.0, y, width(&label, LABEL_LETTERS)) {
            text.l x=(whole(x + 6.0)) y=(whole(y)) { (Untrusted(&label)) }
        }
    }
}

/// A height near the wanted one at which a label of this width covers no label and no box; none where
/// all are taken.
fn free(taken: &mut Vec<[f64; 3]>, boxes: &[Place], x: f64, y: f64, width: f64) -> Option<f64> {
    const LINE: f64 = 14.0;
    let covers = |at: f64, [left, right, line]: &[f64; 3]| {
        (at - line).abs() < LINE && x < *right && *left < x + width
    };
    let heights = [y, y + LINE, y - LINE];
    let hides = |at: f64, place: &Place| {
        let (left, right) = (place.x - place.width / 2.0, place.x + place.width / 2.0);
        x < right && left < x + width && at - LINE < place.y + place.height && place.y < at + 3.0
    };
    let at = heights.into_iter().find(|at| {
        !taken.iter().any(|other| covers(*at, other)) && !boxes.iter().any(|it| hides(*at, it))
    })?;
    taken.push([x, x + width, at]);
    Some(at)
}

fn line(points: &[(f64, f64)]) -> Markup {
    let Some(((x, y), rest)) = points.split_first() else { return Markup::default() };
    let mut path = format!("M{x:.0} {y:.0}");
    let mut last = (*x, *y);
    for (x, y) in rest {
        let middle = (last.1 + y) / 2.0;
        _ = write!(path, "C{:.0} {middle:.0} {x:.0} {middle:.0} {x:.0} {y:.0}", last.0);
        last = (*x, *y);
    }
    html! {
        path.line d=(path) {}
        path.tip d={ "M" (whole(last.0)) " " (whole(last.1)) "l-3.5 -6h7z" } {}
    }
}

fn whole(pixels: f64) -> String {
    format!("{pixels:.0}")
}

fn tenths(pixels: f64) -> String {
    format!("{pixels:.1}")
}
