//! The graph as columns, so that the data of a hundred thousand nodes stay small: each text once, figures in
//! lists. `assets/types.d.ts` declares the same columns for the scripts.

use std::collections::HashMap;

use calipers_report::{GraphView, PartKind, Room, RoomItem, ViewNode};
use serde::Serialize;
use serde_json::{Value, json};

use crate::graph::labels;
use crate::graph::rooms::{LaidOut, lay_out_rooms};
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

/// A figure; `null` when it is not known.
pub(super) fn figure(value: Option<u64>) -> Value {
    match value {
        Some(value) if value >= EXACT => Value::String(value.to_string()),
        Some(value) => Value::from(value),
        None => Value::Null,
    }
}

/// The graph for the page.
pub(super) fn graph(view: &GraphView) -> Value {
    let mut texts = Texts::default();
    let nodes = nodes(view, &mut texts);
    let values = values(view, &mut texts);
    let laid_out = lay_out_rooms(view);
    let notes: Vec<String> =
        view.notes.iter().map(|note| text::prose(note, Charset::Unicode)).collect();
    let rooms: Vec<Value> = (0..view.rooms.len())
        .map(|number| room(view, number, &laid_out[number], &mut texts))
        .collect();
    json!({ "nodes": nodes, "values": values, "rooms": rooms, "notes": notes, "texts": texts.all })
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
    let names = column(&|node| Value::String(text::name(&node.name, Charset::Unicode)));
    // Few nodes have these, so they are kept by number.
    let (mut rooms, mut formulas, mut reasons) =
        (serde_json::Map::new(), serde_json::Map::new(), serde_json::Map::new());
    let mut attributes: Vec<Value> = Vec::new();
    for (number, node) in view.nodes.iter().enumerate() {
        let key = number.to_string();
        if !node.rooms.is_empty() {
            rooms.insert(key.clone(), json!(node.rooms));
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
        let pairs: Vec<usize> = node
            .attributes
            .iter()
            .flat_map(|(name, text)| [texts.number(name), texts.number(text)])
            .collect();
        attributes.push(json!(pairs));
    }
    json!({
        "name": names, "op": op, "domain": domain, "scope": scope,
        "room": column(&|node| node.room.into()),
        "drawn": column(&|node| u8::from(node.drawn).into()),
        "inputs": column(&|node| json!(node.inputs)),
        "outputs": column(&|node| json!(node.outputs)),
        "parameters": column(&|node| figure(node.parameters)),
        "macs": column(&|node| figure(node.cost.macs)),
        "percent": column(&|node| json!(node.cost.macs_percent)),
        "other": column(&|node| figure(node.cost.other_flops)),
        "bytes": column(&|node| figure(node.cost.bytes_moved)),
        "alive": column(&|node| figure(node.alive_bytes)),
        "attributes": attributes, "rooms": rooms, "formulas": formulas, "reasons": reasons,
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

/// What is drawn in a room, a column for each property.
#[derive(Default, Serialize)]
struct Items {
    kind: Vec<&'static str>,
    /// The number of the room, node or value; 0 where a kind needs none.
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

/// The arrows of a room, a column for each property.
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

fn items(room: &Room, laid_out: &LaidOut, texts: &mut Texts) -> Items {
    let mut items = Items::default();
    let drawn = room.items.iter().zip(&laid_out.labels).zip(&laid_out.sheet.boxes);
    for ((item, label), place) in drawn {
        let (kind, id) = match item {
            RoomItem::Room(id) => ("room", *id),
            RoomItem::Node(id) => ("node", *id),
            RoomItem::Input(id) => ("input", *id),
            RoomItem::Output(id) => ("output", *id),
            RoomItem::Entry => ("entry", 0),
            RoomItem::Exit => ("exit", 0),
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

fn room(view: &GraphView, number: usize, laid_out: &LaidOut, texts: &mut Texts) -> Value {
    let room = &view.rooms[number];
    let mut edges = Edges::default();
    for (edge, bends) in room.edges.iter().zip(&laid_out.sheet.bends) {
        edges.from.push(edge.from);
        edges.to.push(edge.to);
        edges.count.push(edge.count);
        edges.values.push(&edge.values);
        edges.bends.push(bends);
    }
    let bands: Vec<f64> = laid_out.sheet.bands.iter().map(|band| band.height).collect();
    json!({
        "kind": labels::kind_word(room.kind),
        "name": text::name(&room.name, Charset::Unicode),
        "detail": text::name(&room.detail, Charset::Unicode),
        "block": text::name(room.block.as_ref().map_or("", PartKind::id), Charset::Unicode),
        "parent": room.parent, "count": room.nodes,
        "parameters": figure(room.parameters), "macs": figure(room.macs),
        "bytes": figure(room.bytes_moved), "alive": figure(room.alive_bytes),
        "unknown": room.unknown, "items": items(room, laid_out, texts), "edges": edges,
        "bands": bands,
    })
}
