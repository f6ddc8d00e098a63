//! Nodes that convert between floats and integers, around operators that stay.

use calipers_ir::{Model, NodeId};
use calipers_ops::{Class, Traits};
use calipers_report::units::counted;
use calipers_report::{ChangeGroup, GroupedChange};
use hashbrown::{HashMap, HashSet};

use super::{Left, producers, readers};
use crate::graph::Graph;

/// Whether a node converts between floats and integers of few bits.
pub(super) fn converts(graph: Graph<'_>, node: NodeId) -> bool {
    traits(graph.model, node).is_some_and(|traits| traits.class == Class::Quantization)
}

fn traits(model: &Model, node: NodeId) -> Option<&'static Traits> {
    let node = model.node(node);
    let operator = calipers_ops::find(model.name(node.domain), model.name(node.op));
    operator.map(|operator| &operator.traits)
}

/// Takes nodes that quantize and dequantize.
pub(super) fn group(left: &mut Left<'_>) -> Vec<ChangeGroup> {
    let mut groups = Vec::new();
    let removed = conversions(left.a, &left.changes.removed, &left.removed);
    if let Some(text) = described(left.a, &left.changes.removed, &removed, &left.to_b, "removed") {
        removed.iter().for_each(|at| left.removed[*at] = true);
        let kind = GroupedChange::Quantization;
        groups.push(ChangeGroup { text, kind, removed, ..ChangeGroup::default() });
    }
    let added = conversions(left.b, &left.changes.added, &left.added);
    if let Some(text) = described(left.b, &left.changes.added, &added, &left.to_a, "inserted") {
        added.iter().for_each(|at| left.added[*at] = true);
        let kind = GroupedChange::Quantization;
        groups.push(ChangeGroup { text, kind, added, ..ChangeGroup::default() });
    }
    groups
}

/// Places of nodes that convert, and of constants that only these read.
fn conversions(graph: Graph<'_>, nodes: &[NodeId], is_taken: &[bool]) -> Vec<usize> {
    let free = || nodes.iter().enumerate().filter(|(at, _)| !is_taken[*at]);
    let found: HashSet<NodeId> =
        free().map(|(_, node)| *node).filter(|node| converts(graph, *node)).collect();
    let is_part = |node: NodeId| {
        let is_constant = graph.model.inputs(node).is_empty();
        let mut after = readers(graph.model, node).peekable();
        is_constant && after.peek().is_some() && after.all(|reader| found.contains(&reader))
    };
    free().filter(|(_, node)| found.contains(*node) || is_part(**node)).map(|(at, _)| at).collect()
}

/// What the nodes are around: operators of both models that read them.
fn described(
    graph: Graph<'_>,
    nodes: &[NodeId],
    places: &[usize],
    stays: &HashMap<NodeId, NodeId>,
    verb: &str,
) -> Option<String> {
    if places.is_empty() {
        return None;
    }
    let mut ops: Vec<&str> = Vec::new();
    let mut around: HashSet<NodeId> = HashSet::new();
    for node in places.iter().map(|at| nodes[*at]).filter(|node| converts(graph, *node)) {
        let op = graph.op(node);
        if !ops.contains(&op) {
            ops.push(op);
        }
        around.extend(readers(graph.model, node).filter(|reader| stays.contains_key(reader)));
        around.extend(producers(graph.model, node).filter(|before| stays.contains_key(before)));
    }
    ops.sort_unstable_by_key(|op| std::cmp::Reverse(*op));
    let total = counted(places.len() as u64, "node", "nodes");
    let (mut convolutions, mut products) = (0_u64, 0_u64);
    for node in &around {
        match traits(graph.model, *node) {
            Some(traits) if traits.convolves => convolutions += 1,
            Some(traits) if traits.class == Class::Contraction => products += 1,
            _ => {}
        }
    }
    let mut what = Vec::new();
    if convolutions > 0 {
        what.push(counted(convolutions, "convolution", "convolutions"));
    }
    if products > 0 {
        what.push(counted(products, "matrix product", "matrix products"));
    }
    if what.is_empty() && !around.is_empty() {
        what.push(counted(around.len() as u64, "node", "nodes"));
    }
    let ops = ops.join("/");
    Some(match what.is_empty() {
        true => format!("{ops} {verb} ({total})"),
        false => format!("{ops} {verb} around {} ({total})", what.join(" and ")),
    })
}
