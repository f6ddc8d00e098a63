//! The graph to look around in: rooms inside rooms, down to single nodes.
//!
//! ```text
//! parts of the network     [`crate::parts`]
//!   → rooms with homes     [`tree`]: every node of the file stands in one room; [`sides`] what is beside
//!   → arrows               [`arrows`]: at every level, between the boxes of each room
//!   → order, stretches     [`stretches`]: no room holds more than can be laid out
//!   → contents             [`contents`]: what is known of each node and value
//! ```
//!
//! All of it takes time in proportion to nodes and operands: rooms nest to a bounded depth.

mod arrows;
mod attributes;
mod contents;
mod sides;
mod stretches;
mod tree;

use calipers_infer::Typed;
use calipers_infer::walk::Meanings;
use calipers_ir::{Model, NodeId, ValueId};
use calipers_measure::Measured;
use calipers_measure::assume::Sizes;
use calipers_measure::parameters::Owners;
use calipers_report::{GraphView, Memory, Room, RoomEdge, RoomItem};
use tree::Tree;

use crate::net::Net;
use crate::{Recognized, Structure, parts};

/// A box of a room while the rooms are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Thing {
    Room(usize),
    Node(NodeId),
    Input(ValueId),
    Output(ValueId),
    Entry,
    Exit,
}

/// What the view is made of.
struct Seen<'a> {
    pub model: &'a Model,
    pub typed: &'a Typed,
    pub sizes: &'a Sizes,
    pub net: &'a Net<'a>,
    pub structure: &'a Structure,
    pub memory: &'a Memory,
    pub owners: &'a Owners,
}

/// Groups the graph of a recognized model for the viewer. The sizes that a reader can choose are left
/// empty: they need estimates of time.
pub fn describe(
    model: &Model,
    typed: &Typed,
    measured: &Measured,
    recognized: &Recognized<'_>,
) -> GraphView {
    let seen = &Seen {
        model,
        typed,
        sizes: &measured.sizes,
        net: &recognized.net,
        structure: &recognized.structure,
        memory: &measured.memory,
        owners: &measured.owners,
    };
    let meanings = Meanings::find(seen.model);
    let mut tree = Tree::plant(seen.model, parts(seen.net, seen.structure));
    tree.prune();
    let order = stretches::order(&tree, arrows::find(&tree));
    let items = stretches::split(&mut tree, order);
    let (tree, items) = stretches::number(tree, &items);
    let mut contents = contents::Contents::new(seen, &tree, &meanings);
    let mut view = GraphView {
        file: seen.model.header.file_name.clone(),
        nodes: contents.nodes(),
        notes: tree.notes.clone(),
        ..GraphView::default()
    };
    view.rooms = rooms(&tree, items, &mut contents);
    view.values = contents.values();
    contents::add_up(&mut view);
    view
}

/// Values that an arrow names; it counts them all.
const NAMED: usize = 4;

/// The rooms with their boxes and arrows.
fn rooms(
    tree: &Tree<'_>,
    items: Vec<Vec<Thing>>,
    contents: &mut contents::Contents<'_>,
) -> Vec<Room> {
    let mut arrows = arrows::find(tree).into_iter().peekable();
    let mut rooms = Vec::with_capacity(items.len());
    for (number, mut things) in items.into_iter().enumerate() {
        let mut places: hashbrown::HashMap<Thing, usize> =
            things.iter().enumerate().map(|(place, thing)| (*thing, place)).collect();
        let mut edges: Vec<RoomEdge> = Vec::new();
        while let Some(arrow) = arrows.next_if(|arrow| arrow.room == number) {
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
                None => edges.push(RoomEdge { from, to, values: vec![value], count: 1 }),
            }
        }
        let item = |thing: &Thing| match thing {
            Thing::Room(room) => RoomItem::Room(*room),
            Thing::Node(node) => RoomItem::Node(contents.number(*node)),
            Thing::Input(value) => RoomItem::Input(contents.value(*value)),
            Thing::Output(value) => RoomItem::Output(contents.value(*value)),
            Thing::Entry => RoomItem::Entry,
            Thing::Exit => RoomItem::Exit,
        };
        let room = &tree.rooms[number];
        rooms.push(Room {
            kind: room.kind,
            name: room.name.clone(),
            detail: room.detail.clone(),
            block: room.block.clone(),
            times: room.times,
            parent: room.parent.or_else(|| tree.home[room.holder?.index()]),
            items: things.iter().map(item).collect(),
            edges,
            ..Room::default()
        });
    }
    rooms
}
