//! How the network is built: the drawing, its facts, what repeats.

use std::fmt::Write as _;

use calipers_report::{Confidence, Drawing, Family, ModelKind, Repeat, Report, Style};
use serde_json::Value;

use crate::graph::labels::width;
use crate::graph::{Task, lay_out};
use crate::page::html::escape;
use crate::text::{self, Charset};
use crate::units;

/// Boxes that a drawing shows; of more, the first.
const MOST_BOXES: usize = 120;

/// The part of the page.
pub(super) fn architecture(report: &Report) -> String {
    let architecture = &report.architecture;
    let mut html = String::from(
        "<section id=\"architecture\" aria-labelledby=\"architecture-title\">\
         <h2 id=\"architecture-title\">Architecture</h2><div class=\"split\"><div>",
    );
    html.push_str("<dl class=\"facts\">");
    let mut tell = |name: &str, value: &str| {
        if !value.is_empty() {
            _ = write!(html, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
        }
    };
    let sure = match architecture.confidence {
        Confidence::High => "",
        Confidence::Medium => " (likely)",
        Confidence::Low => " (a guess)",
    };
    tell("kind", architecture.kind.map_or("not known", ModelKind::id));
    let sure = if architecture.family.is_some() { sure } else { "" };
    tell("family", &format!("{}{sure}", architecture.family.map_or("not known", Family::id)));
    tell("style", architecture.style.map_or("", Style::id));
    tell("task", report.task.kind.id());
    tell("quantisation", &report.quantization.scheme.id());
    if let Ok(Value::Object(facts)) = serde_json::to_value(&architecture.facts) {
        for (name, value) in &facts {
            tell(&name.replace('_', " "), &plain(value));
        }
    }
    html.push_str("</dl>");
    if !architecture.repeats.is_empty() {
        html.push_str("<h3>What repeats</h3>");
        repeats(&architecture.repeats, &mut html, 0);
    }
    if !architecture.evidence.is_empty() {
        html.push_str("<details><summary>What this rests on</summary><ul>");
        for line in architecture.evidence.iter().chain(&report.task.evidence) {
            _ = write!(html, "<li>{}</li>", escape(line));
        }
        html.push_str("</ul></details>");
    }
    html.push_str("</div><div class=\"drawing\" tabindex=\"0\" role=\"region\" aria-label=\"Drawing of the network\">");
    html.push_str(&drawing(&architecture.drawing));
    html.push_str("</div></div></section>\n");
    html
}

fn plain(value: &Value) -> String {
    match value {
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.as_u64().map_or_else(|| number.to_string(), units::integer),
        Value::Array(list) => list.iter().map(plain).collect::<Vec<_>>().join(", "),
        Value::Object(map) => {
            let parts = map.iter().map(|(name, value)| format!("{} {name}", plain(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        Value::Null => String::new(),
    }
}

fn repeats(list: &[Repeat], html: &mut String, depth: usize) {
    html.push_str("<ul>");
    for repeat in list {
        _ = write!(
            html,
            "<li>{} × {} <span class=\"note\">{} each</span>",
            units::integer(repeat.times),
            escape(&repeat.name),
            units::counted(repeat.nodes, "node", "nodes")
        );
        if !repeat.differs.is_empty() {
            _ = write!(
                html,
                "<br><span class=\"note\">differ in {}</span>",
                escape(&repeat.differs.join(", "))
            );
        }
        if !repeat.inside.is_empty() && depth < 6 {
            repeats(&repeat.inside, html, depth + 1);
        }
        html.push_str("</li>");
    }
    html.push_str("</ul>");
}

/// The network as boxes and arrows.
fn drawing(drawing: &Drawing) -> String {
    let boxes = &drawing.boxes[..drawing.boxes.len().min(MOST_BOXES)];
    if boxes.is_empty() {
        return "<p class=\"note\">There is nothing to draw.</p>".to_owned();
    }
    let title = |it: &calipers_report::DrawnBox| {
        let times = if it.times > 1 { format!("{} × ", it.times) } else { String::new() };
        let label = text::name(&it.label, Charset::Unicode);
        text::truncate(&format!("{times}{label}"), 40, Charset::Unicode)
    };
    let note = |it: &calipers_report::DrawnBox| {
        text::truncate(&text::name(&it.detail, Charset::Unicode), 48, Charset::Unicode)
    };
    let size = |it: &calipers_report::DrawnBox| {
        let text = width(&title(it), 13.0).max(width(&note(it), 11.0)) + 28.0;
        (
            (text.clamp(80.0, 320.0) / 2.0).ceil() * 2.0,
            if it.detail.is_empty() { 30.0 } else { 44.0 },
        )
    };
    let arrows = drawing.arrows.iter().filter(|it| it.from < boxes.len() && it.to < boxes.len());
    let arrows: Vec<_> = arrows.collect();
    let sheet = lay_out(&Task {
        sizes: boxes.iter().map(size).collect(),
        arrows: arrows.iter().map(|arrow| (arrow.from, arrow.to)).collect(),
        order: (0..boxes.len()).collect(),
        ..Task::default()
    });
    // Labels stand to the right of arrows, and may reach beyond the boxes.
    let label = |arrow: &calipers_report::Arrow| {
        text::truncate(&text::name(&arrow.label, Charset::Unicode), 40, Charset::Unicode)
    };
    let reach = arrows.iter().filter_map(|arrow| {
        let (from, to) = (sheet.boxes.get(arrow.from)?, sheet.boxes.get(arrow.to)?);
        Some((from.x + to.x) / 2.0 + 10.0 + width(&label(arrow), 11.5))
    });
    let reach = reach.fold(sheet.width, f64::max);
    let mut svg = format!(
        "<svg class=\"net\" viewBox=\"-8 -8 {0:.0} {1:.0}\" width=\"{0:.0}\" height=\"{1:.0}\" role=\"img\" \
         aria-label=\"The network as boxes and arrows\">",
        reach + 16.0,
        sheet.height + 16.0
    );
    let mut taken = Vec::new();
    for ((arrow, bends), number) in arrows.iter().zip(&sheet.bends).zip(0..) {
        let (from, to) = (sheet.boxes[arrow.from], sheet.boxes[arrow.to]);
        let mut points = vec![(from.x, from.y + from.height)];
        for (rank, x) in bends {
            let band = sheet.bands[*rank];
            points.extend([(*x, band.y), (*x, band.y + band.height)]);
        }
        points.push((to.x, to.y));
        line(&points, &mut svg);
        if bends.is_empty() && !arrow.label.is_empty() && number < 400 {
            let (x, y) = ((from.x + to.x) / 2.0 + 6.0, (from.y + from.height + to.y) / 2.0 + 4.0);
            if let Some(y) = free(&mut taken, x, y, width(&label(arrow), 11.0)) {
                let words = escape(&label(arrow));
                _ = write!(svg, "<text class=\"l\" x=\"{x:.0}\" y=\"{y:.0}\">{words}</text>");
            }
        }
    }
    for (it, place) in boxes.iter().zip(&sheet.boxes) {
        let class = match it.kind.as_str() {
            "input" | "output" => "port",
            _ if it.times > 1 => "many",
            _ => "part",
        };
        let (x, middle) = (place.x - place.width / 2.0, place.y + place.height / 2.0);
        _ = write!(
            svg,
            "<g class=\"{class}\"><title>{}</title><rect x=\"{x:.0}\" y=\"{:.0}\" width=\"{:.0}\" \
             height=\"{:.0}\" rx=\"6\"/><text x=\"{:.0}\" y=\"{:.1}\">{}</text>",
            escape(&format!("{} {}", title(it), it.detail)),
            place.y,
            place.width,
            place.height,
            place.x,
            if it.detail.is_empty() { middle + 4.5 } else { middle - 3.0 },
            escape(&title(it))
        );
        if !it.detail.is_empty() {
            _ = write!(
                svg,
                "<text class=\"n\" x=\"{:.0}\" y=\"{:.1}\">{}</text>",
                place.x,
                middle + 13.0,
                escape(&note(it))
            );
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    if drawing.boxes.len() > boxes.len() {
        _ = write!(
            svg,
            "<p class=\"note\">The first {} parts of {}.</p>",
            boxes.len(),
            drawing.boxes.len()
        );
    }
    svg
}

/// A height near the wanted one at which a label of this width covers no other; none where all is taken.
fn free(taken: &mut Vec<[f64; 3]>, x: f64, y: f64, width: f64) -> Option<f64> {
    const LINE: f64 = 11.0;
    let covers = |at: f64, [left, right, line]: &[f64; 3]| {
        (at - line).abs() < LINE && x < *right && *left < x + width
    };
    let heights = [y, y + LINE, y - LINE];
    let at = heights.into_iter().find(|at| !taken.iter().any(|other| covers(*at, other)))?;
    taken.push([x, x + width, at]);
    Some(at)
}

fn line(points: &[(f64, f64)], svg: &mut String) {
    let Some(((x, y), rest)) = points.split_first() else { return };
    _ = write!(svg, "<path class=\"line\" d=\"M{x:.0} {y:.0}");
    let mut last = (*x, *y);
    for (x, y) in rest {
        let middle = (last.1 + y) / 2.0;
        _ = write!(svg, "C{:.0} {middle:.0} {x:.0} {middle:.0} {x:.0} {y:.0}", last.0);
        last = (*x, *y);
    }
    _ = write!(svg, "\"/><path class=\"tip\" d=\"M{:.0} {:.0}l-3.5 -6h7z\"/>", last.0, last.1);
}
