//! Changes that belong together, in words.
//!
//! ```text
//! layers        whole parts of the network that were added or removed
//! quantization  nodes that convert between floats and integers, around operators that stay
//! regions       nodes next to each other that were replaced, inserted or removed, alike ones counted
//! single        attributes, weights, types, shapes and wiring of nodes that stay
//! ```
//!
//! Each change is in one group, the first that takes it.

mod layers;
mod places;
mod quantization;
mod regions;
mod single;

use calipers_ir::{Model, NodeId, Producer};
use calipers_report::{ChangeGroup, GraphChanges};
use hashbrown::HashMap;

use crate::align::Alignment;
use crate::graph::{Changes, Graph};

/// Groups that are listed; the rest are counted in the last one.
const MAX_GROUPS: usize = 200;

/// What the rules look at, and what they have not taken yet.
pub(crate) struct Left<'a> {
    a: Graph<'a>,
    b: Graph<'a>,
    changes: &'a Changes,
    graph: &'a GraphChanges,
    /// Nodes of the second model, by those of the first.
    to_b: HashMap<NodeId, NodeId>,
    to_a: HashMap<NodeId, NodeId>,
    /// Places of removed, added and changed nodes in their lists.
    removed_at: HashMap<NodeId, usize>,
    added_at: HashMap<NodeId, usize>,
    /// Whether a change has its group.
    removed: Vec<bool>,
    added: Vec<bool>,
    changed: Vec<bool>,
}

/// Puts every change in a group.
pub(crate) fn group(
    a: Graph<'_>,
    b: Graph<'_>,
    alignment: &Alignment,
    changes: &Changes,
    graph: &GraphChanges,
) -> Vec<ChangeGroup> {
    if changes.removed.is_empty() && changes.added.is_empty() && changes.changed.is_empty() {
        return Vec::new();
    }
    let places = |nodes: &mut dyn Iterator<Item = NodeId>| -> HashMap<NodeId, usize> {
        nodes.enumerate().map(|(at, node)| (node, at)).collect()
    };
    let mut left = Left {
        a,
        b,
        changes,
        graph,
        to_b: alignment.pairs.iter().map(|pair| (pair.a, pair.b)).collect(),
        to_a: alignment.pairs.iter().map(|pair| (pair.b, pair.a)).collect(),
        removed_at: places(&mut changes.removed.iter().copied()),
        added_at: places(&mut changes.added.iter().copied()),
        removed: vec![false; changes.removed.len()],
        added: vec![false; changes.added.len()],
        changed: vec![false; changes.changed.len()],
    };
    let mut groups = layers::group(&mut left);
    groups.extend(quantization::group(&mut left));
    groups.extend(regions::group(&mut left));
    groups.extend(single::group(&mut left));
    groups.sort_by_key(|group| std::cmp::Reverse(size(group)));
    if groups.len() > MAX_GROUPS {
        let rest = groups.split_off(MAX_GROUPS - 1);
        groups.push(merged(rest));
    }
    groups
}

/// Changes in a group.
fn size(group: &ChangeGroup) -> usize {
    group.added.len() + group.removed.len() + group.changed.len()
}

/// Groups as one.
fn merged(groups: Vec<ChangeGroup>) -> ChangeGroup {
    let count = groups.len();
    let mut all = ChangeGroup::default();
    for group in groups {
        all.added.extend(group.added);
        all.removed.extend(group.removed);
        all.changed.extend(group.changed);
    }
    let nodes = calipers_report::units::counted(size(&all) as u64, "node", "nodes");
    all.text = format!("{count} smaller changes ({nodes})");
    all
}

/// Nodes that compute what a node reads.
pub(super) fn producers(model: &Model, node: NodeId) -> impl Iterator<Item = NodeId> {
    let inputs = model.inputs(node).iter().flatten();
    inputs.filter_map(|value| match model.value(*value).producer {
        Producer::Node { node, .. } => Some(node),
        _ => None,
    })
}

/// Nodes that read what a node computes.
pub(super) fn readers(model: &Model, node: NodeId) -> impl Iterator<Item = NodeId> {
    let outputs = model.outputs(node).iter().flatten();
    outputs.flat_map(|value| model.consumers(*value)).map(|reader| reader.node)
}
