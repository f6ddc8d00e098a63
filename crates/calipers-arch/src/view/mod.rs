//! The graph view: groups inside groups, down to single nodes.
//!
//! ```text
//! parts of the network     [`crate::parts`]
//!   → groups               [`tree`]: every node of the file is in one; [`sides`]: nodes outside the network
//!   → arrows               [`arrows`]: at every level, between the boxes of each group
//!   → order, segments      [`segments`]: no group holds more than can be laid out
//!   → contents             [`contents`]: properties of each node and value
//! ```
//!
//! The time is in proportion to nodes and operands: groups nest to a bounded depth.

mod arrows;
mod contents;
mod outline;
mod segments;
mod sides;
mod tree;

use calipers_infer::Typed;
use calipers_infer::walk::ResolvedOps;
use calipers_ir::{Model, NodeId, ValueId};
use calipers_measure::Measured;
use calipers_measure::assume::Sizes;
use calipers_measure::parameters::Owners;
use calipers_report::{GraphGroup, GraphView, GroupEdge, GroupItem, Memory};
pub use outline::{Outline, OutlineGroup, outline};
use tree::Tree;

use crate::network::Network;
use crate::{Recognized, Structure, parts};

/// A box of a group while the groups are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    GraphGroup(usize),
    Node(NodeId),
    Input(ValueId),
    Output(ValueId),
    Entry,
    Exit,
}

/// The results that the view is built from.
struct Seen<'a> {
    pub model: &'a Model,
    pub typed: &'a Typed,
    pub sizes: &'a Sizes,
    pub net: &'a Network<'a>,
    pub structure: &'a Structure,
    pub memory: &'a Memory,
    pub owners: &'a Owners,
}

/// Groups the graph of a recognized model for the viewer, and returns the nodes in the order of its
/// list. The size controls are left empty: they need estimates of time.
pub fn describe(
    model: &Model,
    typed: &Typed,
    measured: &Measured,
    recognized: &Recognized<'_>,
) -> (GraphView, Vec<NodeId>) {
    let seen = &Seen {
        model,
        typed,
        sizes: &measured.sizes,
        net: &recognized.net,
        structure: &recognized.structure,
        memory: &measured.memory,
        owners: &measured.owners,
    };
    let resolved = ResolvedOps::find(seen.model);
    let mut tree = Tree::plant(seen.model, parts(seen.net, seen.structure));
    tree.prune();
    let order = segments::order(&tree, arrows::find(&tree));
    let items = segments::split(&mut tree, order);
    let (tree, items) = segments::number(tree, &items);
    let mut contents = contents::Contents::new(seen, &tree, &resolved);
    let mut view = GraphView {
        file: seen.model.header.file_name.clone(),
        nodes: contents.nodes(),
        notes: tree.notes.clone(),
        ..GraphView::default()
    };
    view.groups = groups(&tree, items, &mut contents);
    view.values = contents.values();
    contents::add_up(&mut view);
    (view, contents.into_order())
}

/// Values that an arrow names; it counts them all.
const NAMED: usize = 4;

/// The groups with their boxes and arrows.
fn groups(
    tree: &Tree<'_>,
    items: Vec<Vec<Thing>>,
    contents: &mut contents::Contents<'_>,
) -> Vec<GraphGroup> {
    let mut arrows = arrows::find(tree).into_iter().peekable();
    let mut groups = Vec::with_capacity(items.len());
    for (number, mut things) in items.into_iter().enumerate() {
        let mut places: hashbrown::HashMap<Thing, usize> =
            things.iter().enumerate().map(|(place, thing)| (*thing, place)).collect();
        let mut edges: Vec<GroupEdge> = Vec::new();
        while let Some(arrow) = arrows.next_if(|arrow| arrow.group == number) {
            let mut place = |thing: Thing| {
                *places.entry(thing).or_insert_with(|| {
                    things.push(thing);
                    things.len() - 1
                })
            };
            let (from, to) = (place(arrow.from), place(arrow.to));
            let value = contents.value(arrow.value);
            match edges.last_mut().filter(|edge| (edge.from, edge.to) == (from, to)) {
                Some(edge) => {
                    edge.count += 1;
                    if edge.values.len() < NAMED {
                        edge.values.push(value);
                    }
                }
                None => edges.push(GroupEdge { from, to, values: vec![value], count: 1 }),
            }
        }
        let item = |thing: &Thing| match thing {
            Thing::GraphGroup(group) => GroupItem::GraphGroup(*group),
            Thing::Node(node) => GroupItem::Node(contents.number(*node)),
            Thing::Input(value) => GroupItem::Input(contents.value(*value)),
            Thing::Output(value) => GroupItem::Output(contents.value(*value)),
            Thing::Entry => GroupItem::Entry,
            Thing::Exit => GroupItem::Exit,
        };
        let group = &tree.groups[number];
        groups.push(GraphGroup {
            kind: group.kind,
            name: group.name.clone(),
            detail: group.detail.clone(),
            block: group.block.clone(),
            times: group.times,
            parent: group.parent.or_else(|| tree.home[group.holder?.index()]),
            items: things.iter().map(item).collect(),
            edges,
            ..GraphGroup::default()
        });
    }
    groups
}
