//! A graph for Graphviz: groups as clusters, expanded down to a depth.

use std::fmt::Write as _;

use calipers_report::{GraphView, GroupItem};

use super::labels;
use super::scene::edge_label;
use crate::text;

/// The graph in DOT.
pub fn dot(view: &GraphView, depth: usize) -> String {
    let mut dot = String::from(
        "digraph model {\n  compound=true;\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n",
    );
    let mut writer = Writer { view, depth, lines: Vec::new() };
    writer.group(0, 1, &mut dot);
    for line in &writer.lines {
        dot.push_str(line);
    }
    dot.push_str("}\n");
    dot
}

struct Writer<'a> {
    view: &'a GraphView,
    depth: usize,
    /// Arrows, which are behind all boxes.
    lines: Vec<String>,
}

impl Writer<'_> {
    /// Groups nest to a bounded depth.
    fn group(&mut self, number: usize, level: usize, dot: &mut String) {
        let Some(group) = self.view.groups.get(number) else { return };
        let indent = "  ".repeat(level);
        for (place, item) in group.items.iter().enumerate() {
            let label = labels::label(self.view, *item);
            let mut words = label.title;
            if !label.note.is_empty() {
                words = format!("{words}\n{}", label.note);
            }
            match item {
                GroupItem::GraphGroup(inner) if level < self.depth && *inner > number => {
                    _ = writeln!(dot, "{indent}subgraph cluster_{inner} {{");
                    _ = writeln!(dot, "{indent}  label={};", quoted(&words));
                    // An end for arrows that lead to the cluster.
                    let end = "shape=point, style=invis";
                    _ = writeln!(dot, "{indent}  r{number}_{place} [{end}];");
                    self.group(*inner, level + 1, dot);
                    _ = writeln!(dot, "{indent}}}");
                }
                GroupItem::Entry | GroupItem::Exit => {
                    _ = writeln!(dot, "{indent}r{number}_{place} [shape=point];");
                }
                _ => _ = writeln!(dot, "{indent}r{number}_{place} [label={}];", quoted(&words)),
            }
        }
        for edge in &group.edges {
            let cluster = |place: usize, key: &str| match group.items.get(place) {
                Some(GroupItem::GraphGroup(inner)) if level < self.depth && *inner > number => {
                    format!(", {key}=cluster_{inner}")
                }
                _ => String::new(),
            };
            self.lines.push(format!(
                "  r{number}_{} -> r{number}_{} [label={}{}{}];\n",
                edge.from,
                edge.to,
                quoted(&edge_label(self.view, edge)),
                cluster(edge.from, "ltail"),
                cluster(edge.to, "lhead"),
            ));
        }
    }
}

/// Escapes a text for DOT.
fn quoted(words: &str) -> String {
    let lines: Vec<String> = words
        .split('\n')
        .map(|line| text::whole(line).replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
