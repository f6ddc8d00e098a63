//! The text of a box, and its size.

use calipers_report::{Dimension, GraphView, GroupItem, GroupKind, ValueShape, ViewNode};

use crate::text::{self, Charset};
use crate::units;

/// The two lines of a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The name of what it represents.
    pub title: String,
    /// A second line: weights and kernel of a node, figures of a group; may be empty.
    pub note: String,
}

/// Characters of a title.
const TITLE: usize = 34;
/// Characters of a note.
const NOTE: usize = 44;
/// Font sizes of titles and notes, in pixels.
pub(crate) const TITLE_SIZE: f64 = 14.0;
pub(crate) const NOTE_SIZE: f64 = 12.0;

/// The label of a box.
pub fn label(view: &GraphView, item: GroupItem) -> Label {
    match item {
        GroupItem::GraphGroup(number) => {
            let Some(group) = view.groups.get(number) else { return Label::default() };
            let mut note = units::counted(group.nodes, "node", "nodes");
            if let Some(macs) = group.macs.filter(|macs| *macs > 0) {
                note = format!("{note} · {}", units::operations(macs, "MACs"));
            }
            Label { title: short(&group.name), note }
        }
        GroupItem::Node(number) => {
            let Some(node) = view.nodes.get(number) else { return Label::default() };
            let note = match node_note(view, node) {
                note if note.is_empty() && !node.groups.is_empty() => "subgraph".to_owned(),
                note => note,
            };
            Label { title: short(&node.op), note }
        }
        GroupItem::Input(value) | GroupItem::Output(value) => {
            let Some(value) = view.values.get(value) else { return Label::default() };
            Label { title: short(&value.name), note: shape(&value.value) }
        }
        GroupItem::Entry | GroupItem::Exit => Label::default(),
    }
}

/// Shape of a node's first weight, then its kernel, stride and groups: `64×3×7×7, stride 2`.
fn node_note(view: &GraphView, node: &ViewNode) -> String {
    let values = node.inputs.iter().flatten().filter_map(|value| view.values.get(*value));
    let is_weight = |value: &&calipers_report::ViewValue| {
        value.stored && value.value.shape.as_ref().is_some_and(|dims| dims.len() > 1)
    };
    let weight = values.filter(is_weight).map(|value| shape(&value.value)).next();
    let attribute = |name: &str| {
        let found = node.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.as_str())
    };
    let window = |text: &str| text.split(", ").collect::<Vec<_>>().join("×");
    let mut parts = Vec::new();
    match (weight, attribute("kernel_shape")) {
        (Some(weight), _) => parts.push(weight),
        (None, Some(kernel)) => parts.push(window(kernel)),
        (None, None) => {}
    }
    if let Some(strides) = attribute("strides") {
        let mut sides = strides.split(", ");
        let first = sides.next().unwrap_or("1");
        match sides.all(|side| side == first) {
            true if first == "1" => {}
            true => parts.push(format!("stride {first}")),
            false => parts.push(format!("stride {}", window(strides))),
        }
    }
    if let Some(group) = attribute("group").filter(|group| *group != "1") {
        parts.push(format!("groups {group}"));
    }
    text::truncate(&text::name(&parts.join(", "), Charset::Unicode), NOTE, Charset::Unicode)
}

fn short(name: &str) -> String {
    text::truncate(&text::name(name, Charset::Unicode), TITLE, Charset::Unicode)
}

/// A shape in few letters: `1×64×56×56`, `batch×197×768`.
pub fn shape(value: &ValueShape) -> String {
    let Some(dims) = &value.shape else { return String::new() };
    if dims.is_empty() {
        return "scalar".to_owned();
    }
    let dims: Vec<String> = dims
        .iter()
        .map(|dim| match dim {
            Dimension::Size(size) => size.to_string(),
            Dimension::Symbol(name) => {
                let name = text::name(name, Charset::Unicode);
                let name = if name.contains(' ') { format!("({name})") } else { name };
                text::truncate(&name, 18, Charset::Unicode)
            }
            Dimension::Unknown => "?".to_owned(),
        })
        .collect();
    text::truncate(&dims.join("×"), 48, Charset::Unicode)
}

/// Width and height of a closed box. Even numbers, so that its middle is a whole one.
pub fn size(item: GroupItem, label: &Label) -> (f64, f64) {
    let wide = |least: f64, most: f64, edge: f64| {
        let text = width(&label.title, TITLE_SIZE).max(width(&label.note, NOTE_SIZE));
        ((text + edge).clamp(least, most) / 2.0).ceil() * 2.0
    };
    let tall = if label.note.is_empty() { 32.0 } else { 48.0 };
    match item {
        GroupItem::GraphGroup(_) => (wide(120.0, 340.0, 44.0), 52.0),
        GroupItem::Node(_) => (wide(64.0, 320.0, 24.0), tall),
        GroupItem::Input(_) | GroupItem::Output(_) => (wide(64.0, 320.0, 28.0), tall),
        GroupItem::Entry | GroupItem::Exit => (8.0, 8.0),
    }
}

/// The approximate width of a text in a system font of this size; the wider fonts of browsers count.
pub fn width(text: &str, size: f64) -> f64 {
    let em: f64 = text
        .chars()
        .map(|c| match c {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.29,
            'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.37,
            'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.89,
            c if c.is_ascii_uppercase() => 0.69,
            c if c.is_ascii() || u32::from(c) < 0x300 => 0.56,
            '·' | '…' => 0.6,
            _ => 1.0,
        })
        .sum();
    em * size * 1.08
}

/// The id of a kind of group.
pub fn kind_word(kind: GroupKind) -> &'static str {
    match kind {
        GroupKind::Graph => "graph",
        GroupKind::Block => "block",
        GroupKind::Repeat => "repeat",
        GroupKind::Segment => "segment",
        GroupKind::Subgraph => "subgraph",
        GroupKind::Function => "function",
    }
}
