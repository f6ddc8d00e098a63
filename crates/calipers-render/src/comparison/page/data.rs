//! The data that the scripts read: both graphs as columns, and what differs between them.
//! `assets/types.d.ts` declares the same.

use std::collections::BTreeMap;

use calipers_report::{
    ChangeGroup, ChangeKind, ChangedNode, Comparison, ComparisonView, GraphChanges, GraphView,
    NodeStatus,
};
use serde::Serialize;

use crate::page::pack::{Graph, name};
use crate::text::{self, Charset};

/// Characters kept of a value: an attribute may hold a whole table.
const CHARACTERS: usize = 2_000;

/// See the module.
#[derive(Serialize)]
pub(super) struct Data<'a> {
    labels: [String; 2],
    graphs: [Graph<'a>; 2],
    /// A letter for each node of each graph.
    status: [String; 2],
    /// Matched nodes: places in the first graph, then the places in the second one.
    pairs: [Vec<usize>; 2],
    removed: Vec<Option<usize>>,
    added: Vec<Option<usize>>,
    changed: Changed,
    /// Operator and name of changes that a graph has no place for, by their number: removed nodes
    /// come first, then added ones, then changed ones.
    unplaced: BTreeMap<usize, (String, String)>,
    groups: Vec<Group<'a>>,
    /// Kinds of change by their ids, with their names for people.
    kinds: Vec<[&'static str; 2]>,
}

/// Changed nodes, a column for each property.
#[derive(Serialize)]
struct Changed {
    a: Vec<Option<usize>>,
    b: Vec<Option<usize>>,
    what: Vec<Vec<&'static str>>,
    /// By place: the attributes that differ.
    attributes: BTreeMap<usize, Vec<Attribute>>,
    /// By place: what differs in stored tensors.
    tensors: BTreeMap<usize, Vec<String>>,
    /// Places of nodes that moved in the order of execution.
    moved: Vec<usize>,
}

/// An attribute that differs: name, old value, new value.
type Attribute = (String, Option<String>, Option<String>);

/// Changes that belong together.
#[derive(Serialize)]
struct Group<'a> {
    text: String,
    kind: &'static str,
    removed: &'a [usize],
    added: &'a [usize],
    changed: &'a [usize],
}

impl<'a> Data<'a> {
    pub(super) fn new(
        comparison: &Comparison,
        changes: &'a GraphChanges,
        view: &'a ComparisonView,
    ) -> Self {
        let letters = |list: &[NodeStatus]| list.iter().map(|status| letter(*status)).collect();
        let pairs = view.pairs.iter();
        Self {
            labels: [name(&comparison.a.label), name(&comparison.b.label)],
            graphs: [&view.a, &view.b].map(|view| Graph { weights: None, view }),
            status: [letters(&view.status_a), letters(&view.status_b)],
            pairs: [pairs.clone().map(|(a, _)| *a).collect(), pairs.map(|(_, b)| *b).collect()],
            removed: places(&view.removed, &view.a),
            added: places(&view.added, &view.b),
            changed: changed(&changes.changed, view),
            unplaced: unplaced(changes, view),
            groups: changes.groups.iter().map(group).collect(),
            kinds: ChangeKind::ALL.iter().map(|kind| [kind.id(), kind.display_name()]).collect(),
        }
    }
}

fn letter(status: NodeStatus) -> char {
    match status {
        NodeStatus::Added => 'a',
        NodeStatus::Changed => 'c',
        NodeStatus::Removed => 'r',
        _ => 's',
    }
}

/// The place of a node; `None` where the graph leaves it out, as it does with deeply nested ones.
fn place(place: usize, view: &GraphView) -> Option<usize> {
    (place < view.nodes.len()).then_some(place)
}

fn places(list: &[usize], view: &GraphView) -> Vec<Option<usize>> {
    list.iter().map(|it| place(*it, view)).collect()
}

fn unplaced(changes: &GraphChanges, view: &ComparisonView) -> BTreeMap<usize, (String, String)> {
    let removed = changes.removed.iter().zip(&view.removed);
    let removed = removed.map(|(node, at)| (place(*at, &view.a), &node.op, &node.a));
    let added = changes.added.iter().zip(&view.added);
    let added = added.map(|(node, at)| (place(*at, &view.b), &node.op, &node.b));
    let changed = changes.changed.iter().zip(&view.changed);
    let changed = changed.map(|(node, (a, b))| {
        (place(*b, &view.b).or_else(|| place(*a, &view.a)), &node.op, &node.b)
    });
    let all = removed.chain(added).chain(changed).enumerate();
    all.filter(|(_, (place, ..))| place.is_none())
        .map(|(number, (_, op, node))| (number, (name(op), name(node))))
        .collect()
}

fn changed(nodes: &[ChangedNode], view: &ComparisonView) -> Changed {
    let listed = || nodes.iter().enumerate();
    let value = |text: &Option<String>| text.as_deref().map(shortened);
    let attributes = listed().filter(|(_, node)| !node.attributes.is_empty());
    let tensors = listed().filter(|(_, node)| !node.tensors.is_empty());
    Changed {
        a: view.changed.iter().map(|(a, _)| place(*a, &view.a)).collect(),
        b: view.changed.iter().map(|(_, b)| place(*b, &view.b)).collect(),
        what: nodes.iter().map(|node| node.what.iter().map(|kind| kind.id()).collect()).collect(),
        attributes: attributes
            .map(|(place, node)| {
                let list = node.attributes.iter();
                (place, list.map(|it| (name(&it.name), value(&it.a), value(&it.b))).collect())
            })
            .collect(),
        tensors: tensors
            .map(|(place, node)| (place, node.tensors.iter().map(|it| shortened(it)).collect()))
            .collect(),
        moved: listed().filter(|(_, node)| node.moved).map(|(place, _)| place).collect(),
    }
}

fn group(group: &ChangeGroup) -> Group<'_> {
    Group {
        text: text::prose(&group.text, Charset::Unicode),
        kind: group.kind.display_name(),
        removed: &group.removed,
        added: &group.added,
        changed: &group.changed,
    }
}

/// A text out of a model, fit to be shown and not too long.
fn shortened(raw: &str) -> String {
    match raw.char_indices().nth(CHARACTERS) {
        Some((end, _)) => name(&raw[..end]) + "…",
        None => name(raw),
    }
}
