//! The parts of a network by name, without the boxes and arrows of the view.

use calipers_ir::{Model, NodeId};
use calipers_report::{GroupKind, PartKind};

use super::tree::Tree;
use crate::{Recognized, parts};

/// The parts of a network, and the innermost part that each node is in.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// The parts; 0 is the main graph, and a part comes after the one around it.
    pub groups: Vec<OutlineGroup>,
    /// The part of each node, by the node's number.
    homes: Vec<Option<usize>>,
}

/// A part of a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutlineGroup {
    /// Its name, such as `Encoder layer 3`.
    pub name: String,
    /// Where it comes from.
    pub kind: GroupKind,
    /// What it is; `None` for graphs and functions.
    pub part: Option<PartKind>,
    /// The part around it.
    pub parent: Option<usize>,
    /// Nodes in it, and in the parts inside it.
    pub nodes: usize,
}

impl Outline {
    /// The innermost part that a node is in; the main graph where none is known.
    pub fn home(&self, node: NodeId) -> usize {
        self.homes.get(node.index()).copied().flatten().unwrap_or(0)
    }

    /// The part and those around it, from the inside out.
    pub fn around(&self, group: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(group), |inner| self.groups.get(*inner)?.parent)
    }
}

/// Finds the parts of a recognized model.
pub fn outline(model: &Model, recognized: &Recognized<'_>) -> Outline {
    let tree = Tree::plant(model, parts(&recognized.net, &recognized.structure));
    let mut groups: Vec<OutlineGroup> = tree
        .groups
        .into_iter()
        .map(|draft| OutlineGroup {
            name: draft.name,
            kind: draft.kind,
            part: draft.block,
            parent: draft.parent,
            nodes: 0,
        })
        .collect();
    for home in tree.home.iter().flatten() {
        groups[*home].nodes += 1;
    }
    for group in (1..groups.len()).rev() {
        let nodes = groups[group].nodes;
        if let Some(parent) = groups[group].parent {
            groups[parent].nodes += nodes;
        }
    }
    Outline { groups, homes: tree.home }
}
