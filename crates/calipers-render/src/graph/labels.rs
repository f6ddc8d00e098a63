//! What is in a box, and how much group that takes.

use calipers_report::{Dimension, GraphView, GroupItem, GroupKind, ValueShape};

use crate::text::{self, Charset};
use crate::units;

/// The two lines of a box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// What it is.
    pub title: String,
    /// A second line: figures; may be empty.
    pub note: String,
}

/// Characters of a title.
const TITLE: usize = 34;

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
            let note = match node.cost.macs.filter(|macs| *macs > 0) {
                Some(macs) => units::operations(macs, "MACs"),
                None if !node.groups.is_empty() => "opens".to_owned(),
                None => String::new(),
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
        let text = width(&label.title, 13.0).max(width(&label.note, 11.0));
        ((text + edge).clamp(least, most) / 2.0).ceil() * 2.0
    };
    let tall = if label.note.is_empty() { 30.0 } else { 44.0 };
    match item {
        GroupItem::GraphGroup(_) => (wide(112.0, 300.0, 44.0), 48.0),
        GroupItem::Node(_) => (wide(64.0, 240.0, 24.0), tall),
        GroupItem::Input(_) | GroupItem::Output(_) => (wide(64.0, 260.0, 28.0), tall),
        GroupItem::Entry | GroupItem::Exit => (8.0, 8.0),
    }
}

/// About how wide a text is in a system font of this size.
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
    em * size
}

/// A word for the kind of a group.
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
