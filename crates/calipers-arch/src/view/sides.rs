//! Groups of nodes outside the network: shapes, masks and positions that are computed from
//! shapes and constants. Left among the parts of the network, they would hide it.
//!
//! Nodes are joined when one consumes the other and both depend on the same part of the group they are
//! in, so that a group of them never depends on something that depends on it.

use calipers_ir::{NodeId, Producer};
use calipers_report::{CompositeKind, GroupKind};
use hashbrown::HashMap;

use super::tree::{Draft, Tree};

/// Fewer nodes get no group.
const FEW: usize = 4;

/// Groups the nodes outside the network, inside the groups that they are in.
pub(super) fn gather(tree: &mut Tree<'_>, is_next_to: &[bool]) {
    let order = &tree.model.main().order;
    let is_side = |node: &NodeId| is_next_to[node.index()] && tree.is_drawn(*node);
    let nodes: Vec<NodeId> = order.iter().copied().filter(is_side).collect();
    let mut sides = Sides::new(tree, &nodes);
    for (number, node) in nodes.iter().enumerate() {
        sides.weigh(number, *node);
    }
    for connected in sides.groups(&nodes) {
        let around = connected.first().and_then(|node| tree.home[node.index()]);
        let group = tree.groups.len();
        tree.groups.push(Draft {
            kind: GroupKind::Block,
            name: "Shapes and masks".to_owned(),
            block: Some(CompositeKind::Preparation.into()),
            parent: Some(around.unwrap_or(0)),
            alive: true,
            ..Draft::default()
        });
        for node in connected {
            tree.home[node.index()] = Some(group);
        }
    }
}

struct Sides<'a> {
    tree: &'a Tree<'a>,
    numbers: HashMap<NodeId, usize>,
    /// The position of each node of the main graph, and of the first node of each group.
    places: HashMap<NodeId, usize>,
    first: Vec<usize>,
    /// The part that each side node depends on: the position of the latest one before it in its group.
    waits: Vec<usize>,
    /// Side nodes that are joined: each with an earlier one, or with itself.
    joined: Vec<usize>,
}

impl<'a> Sides<'a> {
    fn new(tree: &'a Tree<'a>, nodes: &[NodeId]) -> Self {
        let order = &tree.model.main().order;
        let mut first = vec![usize::MAX; tree.groups.len()];
        for (place, node) in order.iter().enumerate() {
            let mut group = tree.home[node.index()];
            while let Some(number) = group.filter(|number| first[*number] > place) {
                first[number] = place;
                group = tree.groups[number].parent;
            }
        }
        Self {
            tree,
            numbers: nodes.iter().enumerate().map(|(number, node)| (*node, number)).collect(),
            places: order.iter().enumerate().map(|(place, node)| (*node, place)).collect(),
            first,
            waits: vec![0; nodes.len()],
            joined: (0..nodes.len()).collect(),
        }
    }

    /// Finds the part that a side node depends on, and joins it with earlier ones of the same part.
    fn weigh(&mut self, number: usize, node: NodeId) {
        let model = self.tree.model;
        let givers = model.inputs(node).iter().flatten().filter_map(|value| {
            match model.value(*value).producer {
                Producer::Node { node, .. } => Some(node),
                _ => None,
            }
        });
        // Constants depend on nothing.
        let givers: Vec<NodeId> = givers.filter(|giver| self.tree.is_drawn(*giver)).collect();
        let Some(group) = self.tree.home[node.index()] else { return };
        self.waits[number] = givers.iter().map(|giver| self.wait(group, *giver)).max().unwrap_or(0);
        for giver in givers {
            let Some(other) = self.numbers.get(&giver).copied() else { continue };
            let is_same_group = self.tree.home[giver.index()] == Some(group);
            if is_same_group && self.waits[other] == self.waits[number] {
                let (one, other) = (self.leader(number), self.leader(other));
                self.joined[one.max(other)] = one.min(other);
            }
        }
    }

    /// The position in a group of the producer of a value, counted from 1; 0 when it is outside.
    fn wait(&self, group: usize, giver: NodeId) -> usize {
        let Some(home) = self.tree.home[giver.index()] else { return 0 };
        if home == group {
            return match self.numbers.get(&giver) {
                Some(number) => self.waits[*number],
                None => self.places.get(&giver).map_or(0, |place| place + 1),
            };
        }
        // The box of the group that it is in.
        let mut inner = home;
        while let Some(parent) = self.tree.groups[inner].parent {
            if parent == group {
                return self.first[inner].saturating_add(1);
            }
            inner = parent;
        }
        0
    }

    fn leader(&mut self, number: usize) -> usize {
        let mut number = number;
        while self.joined[number] != number {
            self.joined[number] = self.joined[self.joined[number]];
            number = self.joined[number];
        }
        number
    }

    /// Side nodes that are joined, where they are more than a few.
    fn groups(mut self, nodes: &[NodeId]) -> Vec<Vec<NodeId>> {
        let mut groups: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
        for (number, node) in nodes.iter().enumerate() {
            groups[self.leader(number)].push(*node);
        }
        groups.retain(|group| group.len() >= FEW);
        groups
    }
}
