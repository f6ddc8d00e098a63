//! A graph as a standalone SVG file: no script, light and dark.

use std::fmt::Write as _;

use calipers_report::{GraphView, GroupItem};

use super::scene::{self, Scene, SceneBox, SceneLine};
use crate::page::untrusted::escape;

/// Space around the diagram.
const MARGIN: f64 = 24.0;

const STYLE: &str = "\
text{font:14px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1c2430}\
.n{font-size:12px;fill:#5a6675}.l{font-size:12px;fill:#5a6675}\
.paper{fill:#fff}.node{fill:#fff;stroke:#9aa5b4}.group{fill:#e9f0fb;stroke:#5b7fb5}\
.open{fill:#5b7fb5;fill-opacity:.07;stroke:#5b7fb5;stroke-opacity:.6}\
.port{fill:#edf5ee;stroke:#5f9469}.door{fill:#9aa5b4}\
.line{fill:none;stroke:#8a95a5}.tip{fill:#8a95a5}\
@media(prefers-color-scheme:dark){text{fill:#e6eaf0}.n,.l{fill:#a4afbd}.paper{fill:#14181e}\
.node{fill:#1e242d;stroke:#5d6876}.group{fill:#202c3f;stroke:#6d92cc}.open{stroke:#6d92cc}\
.port{fill:#1d2b21;stroke:#6aa777}.door{fill:#5d6876}.line{stroke:#6e7a89}.tip{fill:#6e7a89}}";

/// The graph, expanded down to a depth, as SVG.
pub fn svg(view: &GraphView, depth: usize) -> String {
    let scene = scene::open(view, depth);
    let (width, height) = (scene.width + 2.0 * MARGIN, scene.height + 2.0 * MARGIN);
    let mut svg = String::new();
    _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\"><title>{}</title>\
         <style>{STYLE}</style><rect class=\"paper\" width=\"100%\" height=\"100%\"/>\
         <g transform=\"translate({MARGIN:.0} {MARGIN:.0})\">",
        escape(&view.file)
    );
    write_scene(&scene, &mut svg);
    svg.push_str("</g></svg>\n");
    svg
}

/// Boxes and lines as elements.
fn write_scene(scene: &Scene, svg: &mut String) {
    for shown in &scene.boxes {
        write_box(shown, svg);
    }
    for line in &scene.lines {
        write_line(line, svg);
    }
}

fn write_box(shown: &SceneBox, svg: &mut String) {
    let (x, y, width, height) = shown.area;
    let (class, round) = match shown.item {
        GroupItem::GraphGroup(_) if shown.open => ("open", 8.0),
        GroupItem::GraphGroup(_) => ("group", 8.0),
        GroupItem::Node(_) => ("node", 4.0),
        GroupItem::Input(_) | GroupItem::Output(_) => ("port", height / 2.0),
        GroupItem::Entry | GroupItem::Exit => ("door", height / 2.0),
    };
    _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" rx=\"{round:.0}\"/>"
    );
    let label = &shown.label;
    if label.title.is_empty() {
        return;
    }
    let middle = x + width / 2.0;
    let (first, second) = match (shown.open, label.note.is_empty()) {
        (true, _) => (y + 20.0, None),
        (false, true) => (y + height / 2.0 + 4.5, None),
        (false, false) => (y + height / 2.0 - 3.0, Some(y + height / 2.0 + 13.0)),
    };
    _ = write!(
        svg,
        "<text x=\"{middle:.0}\" y=\"{first:.1}\" text-anchor=\"middle\">{}</text>",
        escape(&label.title)
    );
    if let Some(y) = second {
        _ = write!(
            svg,
            "<text class=\"n\" x=\"{middle:.0}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
            escape(&label.note)
        );
    }
}

fn write_line(line: &SceneLine, svg: &mut String) {
    let Some((first, rest)) = line.points.split_first() else { return };
    let mut path = format!("M{:.0} {:.0}", first.0, first.1);
    let mut last = *first;
    for point in rest {
        if (point.0 - last.0).abs() < 0.5 {
            _ = write!(path, "L{:.0} {:.0}", point.0, point.1);
        } else {
            let middle = (last.1 + point.1) / 2.0;
            _ = write!(
                path,
                "C{:.0} {middle:.0} {:.0} {middle:.0} {:.0} {:.0}",
                last.0, point.0, point.0, point.1
            );
        }
        last = *point;
    }
    let down = rest.len().checked_sub(2).map_or(first.1, |at| rest[at].1) <= last.1;
    let back = if down { -6.0 } else { 6.0 };
    _ = write!(
        svg,
        "<path class=\"line\" d=\"{path}\"/><path class=\"tip\" d=\"M{:.0} {:.0}l-3.5 {back}h7z\"/>",
        last.0, last.1
    );
    if !line.label.is_empty() && line.points.len() == 2 {
        let (x, y) = ((first.0 + last.0) / 2.0 + 5.0, (first.1 + last.1) / 2.0 + 3.0);
        _ = write!(
            svg,
            "<text class=\"l\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>",
            escape(&line.label)
        );
    }
}
