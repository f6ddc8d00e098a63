//! The graph as columns, so that the data of a hundred thousand nodes stay small: each text once, figures in
//! lists. `assets/types.d.ts` declares the same columns for the scripts.

use std::collections::HashMap;

use calipers_report::{GraphGroup, GraphView, GroupItem, PartKind, Report, TensorRange, ViewNode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::graph::groups::{LaidOut, lay_out_groups};
use crate::graph::labels;
use crate::text::{self, Charset};

/// Figures beyond this are written as text: the page's numbers are floats.
const EXACT: u64 = 1 << 53;

/// Texts, each once.
#[derive(Default)]
struct Texts {
    all: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Texts {
    fn number(&mut self, raw: &str) -> usize {
        if let Some(number) = self.numbers.get(raw) {
            return *number;
        }
        let number = self.all.len();
        self.all.push(text::name(raw, Charset::Unicode));
        self.numbers.insert(raw.to_owned(), number);
        number
    }
}

/// A figure; `null` when it is unknown.
pub(super) fn figure(value: Option<u64>) -> Value {
    match value {
        Some(value) if value >= EXACT => Value::String(value.to_string()),
        Some(value) => Value::from(value),
        None => Value::Null,
    }
}

/// The graph for the page.
pub(super) fn graph(report: &Report, view: &GraphView) -> Value {
    let mut texts = Texts::default();
    let nodes = nodes(view, &mut texts);
    let mut values = values(view, &mut texts);
    values["statistics"] = statistics(report, view);
    let laid_out = lay_out_groups(view);
    let notes: Vec<String> =
        view.notes.iter().map(|note| text::prose(note, Charset::Unicode)).collect();
    let groups: Vec<Value> = (0..view.groups.len())
        .map(|number| group(view, number, &laid_out[number], &mut texts))
        .collect();
    json!({ "nodes": nodes, "values": values, "groups": groups, "notes": notes, "texts": texts.all })
}

fn nodes(view: &GraphView, texts: &mut Texts) -> Value {
    let column = |pick: &dyn Fn(&ViewNode) -> Value| -> Value {
        Value::Array(view.nodes.iter().map(pick).collect())
    };
    let mut word = |pick: &dyn Fn(&ViewNode) -> &str| -> Value {
        Value::Array(view.nodes.iter().map(|node| texts.number(pick(node)).into()).collect())
    };
    let (op, domain, scope) =
        (word(&|node| &node.op), word(&|node| &node.domain), word(&|node| &node.scope));
    let class = word(&|node| node.class.display_name());
    let names = column(&|node| Value::String(text::name(&node.name, Charset::Unicode)));
    // Few nodes have these, so they are kept by number.
    let (mut groups, mut formulas, mut reasons) =
        (serde_json::Map::new(), serde_json::Map::new(), serde_json::Map::new());
    let mut attributes: Vec<Value> = Vec::new();
    // Nodes of one operator mostly omit the same attributes.
    let (mut defaults, mut default_lists): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    for (number, node) in view.nodes.iter().enumerate() {
        let key = number.to_string();
        if !node.groups.is_empty() {
            groups.insert(key.clone(), json!(node.groups));
        }
        if !node.cost.formula.is_empty() {
            let parts = node.cost.formula.iter();
            let parts: Vec<(usize, usize)> =
                parts.map(|(field, text)| (texts.number(field), texts.number(text))).collect();
            formulas.insert(key.clone(), json!(parts));
        }
        if let Some(reason) = &node.reason {
            reasons.insert(key, texts.number(reason).into());
        }
        let mut pairs = |list: &[(String, String)]| -> Vec<usize> {
            list.iter().flat_map(|(name, text)| [texts.number(name), texts.number(text)]).collect()
        };
        attributes.push(json!(pairs(&node.attributes)));
        let omitted = pairs(&node.defaults);
        defaults.push(default_lists.iter().position(|it| *it == omitted).unwrap_or_else(|| {
            default_lists.push(omitted);
            default_lists.len() - 1
        }));
    }
    json!({
        "name": names, "op": op, "domain": domain, "scope": scope, "class": class,
        "group": column(&|node| node.group.into()),
        "drawn": column(&|node| u8::from(node.drawn).into()),
        "inputs": column(&|node| json!(node.inputs)),
        "outputs": column(&|node| json!(node.outputs)),
        "parameters": column(&|node| figure(node.parameters)),
        "macs": column(&|node| figure(node.cost.macs)),
        "percent": column(&|node| json!(node.cost.macs_percent)),
        "other": column(&|node| figure(node.cost.other_flops)),
        "bytes": column(&|node| figure(node.cost.bytes_moved)),
        "alive": column(&|node| figure(node.alive_bytes)),
        "attributes": attributes, "defaults": defaults, "default_lists": default_lists, "groups": groups, "formulas": formulas, "reasons": reasons,
    })
}

fn values(view: &GraphView, texts: &mut Texts) -> Value {
    let (mut dtypes, mut shapes) = (Vec::new(), Vec::new());
    for value in &view.values {
        let kind = value.value.kind.unwrap_or_default().id();
        let dtype = value.value.dtype.map(|dtype| dtype.to_string());
        dtypes.push(texts.number(dtype.as_deref().unwrap_or(kind)));
        let shape = match &value.value.shape {
            Some(_) => labels::shape(&value.value),
            None => "unknown shape".to_owned(),
        };
        shapes.push(texts.number(&shape));
    }
    let names = view.values.iter().map(|value| text::name(&value.name, Charset::Unicode));
    let stored = view.values.iter().map(|value| u8::from(value.stored));
    json!({
        "name": names.collect::<Vec<_>>(), "dtype": dtypes, "shape": shapes,
        "stored": stored.collect::<Vec<_>>(),
    })
}

/// Statistics of stored tensors by the number of their value, where the weights were read.
fn statistics(report: &Report, view: &GraphView) -> Value {
    let ranges = report.weights.iter().flat_map(|weights| &weights.ranges);
    let ranges: HashMap<&str, &TensorRange> =
        ranges.map(|range| (range.name.as_str(), range)).collect();
    let mut found = serde_json::Map::new();
    for (number, value) in view.values.iter().enumerate().filter(|(_, value)| value.stored) {
        if let Some(it) = ranges.get(value.name.as_str()) {
            let figures = json!([it.min, it.max, it.mean, it.std, it.sparsity_percent]);
            found.insert(number.to_string(), figures);
        }
    }
    Value::Object(found)
}

/// The boxes of a group, a column for each property.
#[derive(Default, Serialize)]
struct Items {
    kind: Vec<&'static str>,
    /// The number of the group, node or value; 0 where a kind needs none.
    id: Vec<usize>,
    rank: Vec<usize>,
    /// The middle, in pixels.
    x: Vec<f64>,
    width: Vec<f64>,
    height: Vec<f64>,
    /// Numbers of texts.
    title: Vec<usize>,
    note: Vec<usize>,
}

/// The arrows of a group, a column for each property.
#[derive(Default, Serialize)]
struct Edges<'a> {
    /// Places among the items.
    from: Vec<usize>,
    to: Vec<usize>,
    /// How many values go along the arrow, and the first of them.
    count: Vec<u64>,
    values: Vec<&'a [usize]>,
    /// Ranks that the arrow passes, each with the place where it does, in pixels.
    bends: Vec<&'a [(usize, f64)]>,
}

fn items(group: &GraphGroup, laid_out: &LaidOut, texts: &mut Texts) -> Items {
    let mut items = Items::default();
    let drawn = group.items.iter().zip(&laid_out.labels).zip(&laid_out.sheet.boxes);
    for ((item, label), place) in drawn {
        let (kind, id) = match item {
            GroupItem::GraphGroup(id) => ("group", *id),
            GroupItem::Node(id) => ("node", *id),
            GroupItem::Input(id) => ("input", *id),
            GroupItem::Output(id) => ("output", *id),
            GroupItem::Entry => ("entry", 0),
            GroupItem::Exit => ("exit", 0),
        };
        items.kind.push(kind);
        items.id.push(id);
        items.rank.push(place.rank);
        items.x.push(place.x);
        items.width.push(place.width);
        items.height.push(place.height);
        items.title.push(texts.number(&label.title));
        items.note.push(texts.number(&label.note));
    }
    items
}

fn group(view: &GraphView, number: usize, laid_out: &LaidOut, texts: &mut Texts) -> Value {
    let group = &view.groups[number];
    let mut edges = Edges::default();
    for (edge, bends) in group.edges.iter().zip(&laid_out.sheet.bends) {
        edges.from.push(edge.from);
        edges.to.push(edge.to);
        edges.count.push(edge.count);
        edges.values.push(&edge.values);
        edges.bends.push(bends);
    }
    let bands: Vec<f64> = laid_out.sheet.bands.iter().map(|band| band.height).collect();
    json!({
        "kind": labels::kind_word(group.kind),
        "name": text::name(&group.name, Charset::Unicode),
        "detail": text::name(&group.detail, Charset::Unicode),
        "block": text::name(group.block.as_ref().map_or("", PartKind::id), Charset::Unicode),
        "parent": group.parent, "count": group.nodes,
        "times": group.times,
        "parameters": figure(group.parameters), "macs": figure(group.macs),
        "bytes": figure(group.bytes_moved), "alive": figure(group.alive_bytes),
        "unknown": group.unknown, "items": items(group, laid_out, texts), "edges": edges,
        "bands": bands,
    })
}
