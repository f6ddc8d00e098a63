//! Rooms for what stands beside the network: shapes, masks and positions that are worked out of
//! shapes and constants. Left in the main room, they would hide the network.
//!
//! Nodes are joined when one reads the other and both wait for the same part of the network, so that
//! a room of them never waits for something that waits for it.

use calipers_ir::{NodeId, Producer};
use calipers_report::RoomKind;
use hashbrown::HashMap;

use super::tree::{Draft, Tree};

/// Fewer nodes get no room.
const FEW: usize = 3;

/// Gives nodes that the network leaves out rooms of their own, where they stand in the main room.
pub(super) fn gather(tree: &mut Tree<'_>, is_beside: &[bool]) {
    let model = tree.model;
    let outer = outermost(tree);
    let mut first: HashMap<usize, usize> = HashMap::new();
    for (place, node) in model.main().order.iter().enumerate() {
        if let Some(room) = tree.home[node.index()].map(|room| outer[room]).filter(|it| *it > 0) {
            first.entry(room).or_insert(place + 1);
        }
    }
    let stands_beside = |tree: &Tree<'_>, node: NodeId| {
        is_beside[node.index()] && tree.home[node.index()] == Some(0) && tree.is_drawn(node)
    };
    let nodes: Vec<NodeId> =
        model.main().order.iter().copied().filter(|node| stands_beside(tree, *node)).collect();
    let numbers: HashMap<NodeId, usize> =
        nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect();
    // What each waits for: the place of the latest part before it.
    let mut waits = vec![0_usize; nodes.len()];
    let mut groups: Vec<usize> = (0..nodes.len()).collect();
    for (number, node) in nodes.iter().enumerate() {
        let givers = model.inputs(*node).iter().flatten().filter_map(|value| {
            match model.value(*value).producer {
                Producer::Node { node, .. } => Some(node),
                _ => None,
            }
        });
        let givers: Vec<NodeId> = givers.collect();
        let wait = |giver: &NodeId| match numbers.get(giver) {
            Some(giver) => waits[*giver],
            None => tree.home[giver.index()]
                .and_then(|room| first.get(&outer[room]).copied())
                .unwrap_or(0),
        };
        waits[number] = givers.iter().map(wait).max().unwrap_or(0);
        for giver in givers.iter().filter_map(|giver| numbers.get(giver).copied()) {
            if waits[giver] == waits[number] {
                join(&mut groups, giver, number);
            }
        }
    }
    let mut members: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
    for (number, node) in nodes.iter().enumerate() {
        members[find(&mut groups, number)].push(*node);
    }
    for group in members.into_iter().filter(|group| group.len() >= FEW) {
        let room = tree.rooms.len();
        tree.rooms.push(Draft {
            kind: RoomKind::Block,
            name: "Shapes and masks".to_owned(),
            block: "Preparation".to_owned(),
            parent: Some(0),
            alive: true,
            ..Draft::default()
        });
        for node in group {
            tree.home[node.index()] = Some(room);
        }
    }
}

/// For each room, the one around it that stands in the main room.
fn outermost(tree: &Tree<'_>) -> Vec<usize> {
    let mut outer = vec![0; tree.rooms.len()];
    // Parents have smaller numbers.
    for (number, room) in tree.rooms.iter().enumerate().skip(1) {
        outer[number] = match room.parent {
            Some(0) | None => number,
            Some(parent) => outer[parent],
        };
    }
    outer
}

/// The first member of a group.
fn find(groups: &mut [usize], number: usize) -> usize {
    let mut number = number;
    while groups[number] != number {
        groups[number] = groups[groups[number]];
        number = groups[number];
    }
    number
}

fn join(groups: &mut [usize], one: usize, other: usize) {
    let (one, other) = (find(groups, one), find(groups, other));
    groups[one.max(other)] = one.min(other);
}
