//! Putting the nodes of each graph into an order of execution.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{GraphId, Issue, Model, NodeId, Producer};

/// Fills `order`, `stored_in_order` and `cyclic` of every graph.
pub(crate) fn order_all(model: &mut Model, issues: &mut Vec<Issue>) {
    for index in 0..model.graphs.len() {
        let Some(id) = GraphId::new(index) else { return };
        if runs_as_stored(model, id) {
            let nodes = model.graphs[index].nodes.nodes().collect();
            model.graphs[index].order = nodes;
            continue;
        }
        let (order, cyclic) = sort(model, id);
        issues.push(if cyclic.is_empty() {
            Issue::OutOfOrder { graph: id }
        } else {
            Issue::Cycle { graph: id }
        });
        let graph = &mut model.graphs[index];
        graph.stored_in_order = false;
        graph.order = order;
        graph.cyclic = cyclic;
    }
}

/// The nodes of the same graph whose results a node, or a subgraph inside it, reads.
fn needs(model: &Model, graph: GraphId, node: NodeId) -> impl Iterator<Item = NodeId> {
    let read = model.inputs(node).iter().flatten().copied().chain(model.captures(node));
    read.filter_map(move |value| match model.value(value).producer {
        Producer::Node { node, .. } if model.node(node).graph == graph => Some(node),
        _ => None,
    })
}

fn runs_as_stored(model: &Model, graph: GraphId) -> bool {
    model
        .graph(graph)
        .nodes
        .nodes()
        .all(|node| needs(model, graph, node).all(|needed| needed < node))
}

/// Kahn's algorithm; among nodes that are ready, the one stored first runs first.
fn sort(model: &Model, graph: GraphId) -> (Vec<NodeId>, Vec<NodeId>) {
    let nodes = model.graph(graph).nodes;
    let place = |node: NodeId| node.index() - nodes.indices().start;
    let mut waiting = vec![0_usize; nodes.len()];
    let mut unlocks = vec![Vec::new(); nodes.len()];
    for node in nodes.nodes() {
        for needed in needs(model, graph, node) {
            waiting[place(node)] += 1;
            unlocks[place(needed)].push(node);
        }
    }
    let mut ready: BinaryHeap<_> =
        nodes.nodes().filter(|node| waiting[place(*node)] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for next in &unlocks[place(node)] {
            waiting[place(*next)] -= 1;
            if waiting[place(*next)] == 0 {
                ready.push(Reverse(*next));
            }
        }
    }
    let cyclic: Vec<_> = nodes.nodes().filter(|node| waiting[place(*node)] > 0).collect();
    order.extend(&cyclic);
    (order, cyclic)
}
