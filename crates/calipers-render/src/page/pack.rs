//! The graph as columns, so that the data of a hundred thousand nodes stay small: each text once, figures in
//! lists. `assets/types.d.ts` declares the same columns for the scripts.

use std::cell::RefCell;
use std::collections::HashMap;

use calipers_report::{
    GraphGroup, GraphView, GroupItem, PartKind, TensorRange, ViewNode, ViewValue, Weights,
};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::graph::groups::{LaidOut, lay_out_group};
use crate::graph::labels;
use crate::text::{self, Charset};

/// Figures beyond this are written as text: the page's numbers are floats.
const EXACT: u64 = 1 << 53;

/// A list that is written element by element: no copy of it is held.
pub(crate) struct List<F>(pub F);

impl<F, I> Serialize for List<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Entries by number, written one by one.
struct ByNumber<F>(F);

impl<F, I, T> Serialize for ByNumber<F>
where
    F: Fn() -> I,
    I: Iterator<Item = (usize, T)>,
    T: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map((self.0)())
    }
}

/// Texts, each once.
#[derive(Default)]
struct Texts {
    all: RefCell<Vec<String>>,
    numbers: RefCell<HashMap<String, usize>>,
}

impl Texts {
    fn number(&self, raw: &str) -> usize {
        let mut numbers = self.numbers.borrow_mut();
        if let Some(number) = numbers.get(raw) {
            return *number;
        }
        let mut all = self.all.borrow_mut();
        let number = all.len();
        all.push(text::name(raw, Charset::Unicode));
        numbers.insert(raw.to_owned(), number);
        number
    }
}

/// A figure; `null` when it is unknown.
pub(super) struct Figure(pub Option<u64>);

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(value) if value >= EXACT => serializer.collect_str(&value),
            Some(value) => serializer.serialize_u64(value),
            None => serializer.serialize_none(),
        }
    }
}

/// A name, fit to be shown.
pub(crate) fn name(raw: &str) -> String {
    text::name(raw, Charset::Unicode)
}

/// The graph for the page. It is written in one pass: a copy of a graph of a million nodes would take
/// gigabytes.
pub(crate) struct Graph<'a> {
    /// Statistics of the weights, where they were read.
    pub weights: Option<&'a Weights>,
    pub view: &'a GraphView,
}

impl Serialize for Graph<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { weights, view } = *self;
        let texts = &Texts::default();
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("nodes", &Nodes { view, texts })?;
        fields.serialize_entry("values", &Values { weights, view, texts })?;
        let groups = || view.groups.iter().map(|group| group_data(view, group, texts));
        fields.serialize_entry("groups", &List(groups))?;
        let notes = || view.notes.iter().map(|note| text::prose(note, Charset::Unicode));
        fields.serialize_entry("notes", &List(notes))?;
        // Last: by now every text has its number.
        fields.serialize_entry("texts", &*texts.all.borrow())?;
        fields.end()
    }
}

struct Nodes<'a> {
    view: &'a GraphView,
    texts: &'a Texts,
}

impl Nodes<'_> {
    /// A column: one property of every node.
    fn column<'s, T: Serialize>(
        &'s self,
        pick: impl Fn(&'s ViewNode) -> T + Copy + 's,
    ) -> impl Serialize + 's {
        List(move || self.view.nodes.iter().map(pick))
    }

    /// A property that few nodes have, by number.
    fn by_number<'s, T: Serialize>(
        &'s self,
        pick: impl Fn(&'s ViewNode) -> Option<T> + Copy + 's,
    ) -> impl Serialize + 's {
        ByNumber(move || {
            let nodes = self.view.nodes.iter().enumerate();
            nodes.filter_map(move |(number, node)| Some((number, pick(node)?)))
        })
    }

    fn pairs(&self, list: &[(String, String)]) -> Vec<usize> {
        let number = |text: &String| self.texts.number(text);
        list.iter().flat_map(|(name, text)| [number(name), number(text)]).collect()
    }
}

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = self.texts;
        // Nodes of one operator mostly omit the same attributes.
        let mut default_lists: Vec<Vec<usize>> = Vec::new();
        let mut default_numbers: HashMap<Vec<usize>, usize> = HashMap::new();
        let mut defaults: Vec<usize> = Vec::with_capacity(self.view.nodes.len());
        for node in &self.view.nodes {
            let omitted = self.pairs(&node.defaults);
            let number = default_numbers.get(&omitted).copied().unwrap_or_else(|| {
                default_lists.push(omitted.clone());
                default_numbers.insert(omitted, default_lists.len() - 1);
                default_lists.len() - 1
            });
            defaults.push(number);
        }
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("name", &self.column(|node| name(&node.name)))?;
        fields.serialize_entry("op", &self.column(|node| texts.number(&node.op)))?;
        fields.serialize_entry("domain", &self.column(|node| texts.number(&node.domain)))?;
        fields.serialize_entry("scope", &self.column(|node| texts.number(&node.scope)))?;
        let class = self.column(|node| texts.number(node.class.display_name()));
        fields.serialize_entry("class", &class)?;
        fields.serialize_entry("group", &self.column(|node| node.group))?;
        fields.serialize_entry("drawn", &self.column(|node| u8::from(node.drawn)))?;
        fields.serialize_entry("inputs", &self.column(|node| &node.inputs))?;
        fields.serialize_entry("outputs", &self.column(|node| &node.outputs))?;
        fields.serialize_entry("parameters", &self.column(|node| Figure(node.parameters)))?;
        fields.serialize_entry("macs", &self.column(|node| Figure(node.cost.macs)))?;
        fields.serialize_entry("percent", &self.column(|node| node.cost.macs_percent))?;
        fields.serialize_entry("other", &self.column(|node| Figure(node.cost.other_flops)))?;
        fields.serialize_entry("bytes", &self.column(|node| Figure(node.cost.bytes_moved)))?;
        fields.serialize_entry("alive", &self.column(|node| Figure(node.alive_bytes)))?;
        let attributes = self.column(|node| self.pairs(&node.attributes));
        fields.serialize_entry("attributes", &attributes)?;
        fields.serialize_entry("defaults", &defaults)?;
        fields.serialize_entry("default_lists", &default_lists)?;
        let groups = self.by_number(|node| (!node.groups.is_empty()).then_some(&node.groups));
        fields.serialize_entry("groups", &groups)?;
        let formulas = self.by_number(|node| {
            let parts = node.cost.formula.iter();
            let parts = parts.map(|(field, text)| (texts.number(field), texts.number(text)));
            Some(parts.collect::<Vec<_>>()).filter(|parts| !parts.is_empty())
        });
        fields.serialize_entry("formulas", &formulas)?;
        let reasons =
            self.by_number(|node| node.reason.as_deref().map(|reason| texts.number(reason)));
        fields.serialize_entry("reasons", &reasons)?;
        fields.end()
    }
}

struct Values<'a> {
    weights: Option<&'a Weights>,
    view: &'a GraphView,
    texts: &'a Texts,
}

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = || self.view.values.iter();
        let mut fields = serializer.serialize_map(None)?;
        fields.serialize_entry("name", &List(|| values().map(|value| name(&value.name))))?;
        let dtype = |value: &ViewValue| match value.value.dtype {
            Some(dtype) => self.texts.number(&dtype.to_string()),
            None => self.texts.number(value.value.kind.unwrap_or_default().id()),
        };
        fields.serialize_entry("dtype", &List(|| values().map(dtype)))?;
        let shape = |value: &ViewValue| match &value.value.shape {
            Some(_) => self.texts.number(&labels::shape(&value.value)),
            None => self.texts.number("unknown shape"),
        };
        fields.serialize_entry("shape", &List(|| values().map(shape)))?;
        let stored = || values().map(|value| u8::from(value.stored));
        fields.serialize_entry("stored", &List(stored))?;
        // Statistics of stored tensors, where the weights were read.
        let ranges = self.weights.iter().flat_map(|weights| &weights.ranges);
        let ranges: HashMap<&str, &TensorRange> =
            ranges.map(|range| (range.name.as_str(), range)).collect();
        let statistics = || {
            let stored = values().enumerate().filter(|(_, value)| value.stored);
            stored.filter_map(|(number, value)| {
                let it = ranges.get(value.name.as_str())?;
                Some((number, (it.min, it.max, it.mean, it.std, it.sparsity_percent)))
            })
        };
        fields.serialize_entry("statistics", &ByNumber(statistics))?;
        fields.end()
    }
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
struct Edges {
    /// Places among the items.
    from: Vec<usize>,
    to: Vec<usize>,
    /// How many values go along the arrow, and the first of them.
    count: Vec<u64>,
    values: Vec<Vec<usize>>,
    /// Ranks that the arrow passes, each with the place where it does, in pixels.
    bends: Vec<Vec<(usize, f64)>>,
}

fn items(group: &GraphGroup, laid_out: &LaidOut, texts: &Texts) -> Items {
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

/// A group with its layout.
#[derive(Serialize)]
struct Group {
    kind: &'static str,
    name: String,
    detail: String,
    block: String,
    parent: Option<usize>,
    count: u64,
    times: Option<u64>,
    parameters: Figure,
    macs: Figure,
    bytes: Figure,
    alive: Figure,
    unknown: u64,
    items: Items,
    edges: Edges,
    bands: Vec<f64>,
}

fn group_data(view: &GraphView, group: &GraphGroup, texts: &Texts) -> Group {
    let laid_out = lay_out_group(view, group);
    let items = items(group, &laid_out, texts);
    let mut edges = Edges::default();
    for (edge, bends) in group.edges.iter().zip(laid_out.sheet.bends) {
        edges.from.push(edge.from);
        edges.to.push(edge.to);
        edges.count.push(edge.count);
        edges.values.push(edge.values.clone());
        edges.bends.push(bends);
    }
    Group {
        kind: labels::kind_word(group.kind),
        name: name(&group.name),
        detail: name(&group.detail),
        block: name(group.block.as_ref().map_or("", PartKind::id)),
        parent: group.parent,
        count: group.nodes,
        times: group.times,
        parameters: Figure(group.parameters),
        macs: Figure(group.work.macs),
        bytes: Figure(group.work.bytes_moved),
        alive: Figure(group.alive_bytes),
        unknown: group.unknown,
        items,
        edges,
        bands: laid_out.sheet.bands.iter().map(|band| band.height).collect(),
    }
}
