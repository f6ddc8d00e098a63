//! Arrows between the boxes of each group: every value that goes from one box to another, at every
//! level at which it crosses the border of a group.

use calipers_ir::{GraphId, Producer, ValueId};
use hashbrown::HashMap;

use super::Thing;
use super::tree::Tree;

/// A value that passes through a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    pub(super) group: usize,
    pub(super) from: Thing,
    pub(super) to: Thing,
    pub(super) value: ValueId,
}

/// All arrows, by group, each once.
pub(super) fn find(tree: &Tree<'_>) -> Vec<Arrow> {
    let mut finder = Finder {
        tree,
        depth: depths(tree),
        ports: tree.ports.iter().copied().collect(),
        arrows: Vec::new(),
    };
    for (id, _) in tree.model.graphs() {
        if tree.of_graph.contains_key(&id) {
            finder.graph(id);
        }
    }
    let mut arrows = finder.arrows;
    arrows.sort_unstable();
    arrows.dedup();
    arrows
}

fn depths(tree: &Tree<'_>) -> Vec<usize> {
    let mut depths = vec![usize::MAX; tree.groups.len()];
    for number in 0..tree.groups.len() {
        // Parents may be behind their children here, so each chain is followed up to what is known.
        let mut chain = vec![number];
        while let Some(parent) = chain.last().and_then(|last| tree.groups[*last].parent)
            && depths[parent] == usize::MAX
        {
            chain.push(parent);
        }
        for group in chain.into_iter().rev() {
            depths[group] = tree.groups[group].parent.map_or(0, |parent| depths[parent] + 1);
        }
    }
    depths
}

struct Finder<'a> {
    tree: &'a Tree<'a>,
    depth: Vec<usize>,
    ports: HashMap<Thing, usize>,
    arrows: Vec<Arrow>,
}

impl Finder<'_> {
    fn graph(&mut self, id: GraphId) {
        let model = self.tree.model;
        let graph = model.graph(id);
        for node in &graph.order {
            let Some(home) = self.tree.home[node.index()] else { continue };
            if !self.tree.is_drawn(*node) {
                continue;
            }
            let reads = model.inputs(*node).iter().flatten().copied().chain(model.captures(*node));
            for value in reads {
                self.carry(id, value, (Thing::Node(*node), home));
            }
        }
        for output in &graph.outputs {
            let thing = Thing::Output(*output);
            if let Some(home) = self.ports.get(&thing).copied() {
                self.carry(id, *output, (thing, home));
            }
        }
    }

    /// Leads a value of a graph, or of an outer one, to its consumers.
    fn carry(&mut self, graph: GraphId, value: ValueId, to: (Thing, usize)) {
        let model = self.tree.model;
        let from = match model.value(value).producer {
            Producer::Node { node, .. } if !self.tree.is_drawn(node) => return,
            Producer::Node { node, .. } if model.node(node).graph == graph => {
                self.tree.home[node.index()].map(|home| (Thing::Node(node), home))
            }
            Producer::Input if model.value(value).graph == graph => {
                let thing = Thing::Input(value);
                // Without a port it is a weight that a caller may override.
                let Some(home) = self.ports.get(&thing) else { return };
                Some((thing, *home))
            }
            Producer::Initializer | Producer::Nobody => return,
            // It comes from an outer graph.
            _ => None,
        };
        match from {
            Some(from) => self.between(from, to, value),
            None => self.enter_graph(to, value),
        }
    }

    fn between(&mut self, from: (Thing, usize), to: (Thing, usize), value: ValueId) {
        let ((mut from, mut left), (mut to, mut right)) = (from, to);
        while left != right {
            let deeper_left = self.depth[left] >= self.depth[right];
            let deeper_right = self.depth[right] >= self.depth[left];
            if deeper_left {
                self.arrows.push(Arrow { group: left, from, to: Thing::Exit, value });
                from = Thing::GraphGroup(left);
                let Some(parent) = self.tree.groups[left].parent else { return };
                left = parent;
            }
            if deeper_right {
                self.arrows.push(Arrow { group: right, from: Thing::Entry, to, value });
                to = Thing::GraphGroup(right);
                let Some(parent) = self.tree.groups[right].parent else { return };
                right = parent;
            }
        }
        // The contents of an expanded group have been drawn inside it.
        if from != to {
            self.arrows.push(Arrow { group: left, from, to, value });
        }
    }

    fn enter_graph(&mut self, to: (Thing, usize), value: ValueId) {
        let (mut to, mut group) = to;
        loop {
            self.arrows.push(Arrow { group, from: Thing::Entry, to, value });
            to = Thing::GraphGroup(group);
            let Some(parent) = self.tree.groups[group].parent else { return };
            group = parent;
        }
    }
}
