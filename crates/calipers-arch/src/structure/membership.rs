//! Which nodes of the file belong to a part of the network.
//!
//! A part's nodes are those that its operations come from, and those that only they need: constants,
//! casts, and the computation of shapes. A node that several parts need belongs to the smallest part
//! around them. Repeats, the tree of blocks and the groups of the graph view all count so.
//!
//! Operations are numbered in the order of the structure, down to the leaves of blocks, so that every
//! part is a span of numbers. A node has the span of the operations that it comes from or is read by.

use calipers_ir::{GraphKind, Model, NodeId, Producer};

use super::{Structure, narrow};
use crate::network::{Network, NetworkOp};

/// Subgraphs nested deeper than this are left out.
const MAX_NESTING: usize = 24;

/// Numbers of leaf operations, `from..to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) from: u32,
    pub(crate) to: u32,
}

impl Span {
    fn hull(self, other: Self) -> Self {
        Self { from: self.from.min(other.from), to: self.to.max(other.to) }
    }
}

/// The spans of a network's nodes.
#[derive(Debug, Default)]
pub(crate) struct Membership {
    /// The number of the first leaf of each operation: those at the side, then the main ones.
    starts: Vec<u32>,
    /// Operations at the side.
    side: usize,
    /// The span of every node, by where it begins.
    nodes: Vec<Span>,
}

impl Membership {
    /// Finds the span of every node.
    pub(super) fn find(net: &Network<'_>, structure: &Structure) -> Self {
        let model = net.model;
        let mut starts = Vec::with_capacity(structure.side.len() + structure.main.len() + 1);
        let mut spans: Vec<Option<Span>> = vec![None; model.nodes().len()];
        let mut nodes = Vec::new();
        let mut next = 0_u32;
        for id in structure.side.iter().chain(&structure.main) {
            starts.push(next);
            let mut last = None;
            for leaf in leaves(net.unit(*id)) {
                let span = Span { from: next, to: next.saturating_add(1) };
                match in_main(model, leaf.node) {
                    Some(node) => {
                        spans[node.index()].get_or_insert(span);
                    }
                    // Calls share the body of a function, and each counts it.
                    None if last != Some(leaf.node) => nodes.push(span),
                    None => {}
                }
                last = Some(leaf.node);
                next = next.saturating_add(1);
            }
        }
        starts.push(next);
        place_the_rest(model, &mut spans, Span { from: 0, to: next });
        nodes.extend(model.main().order.iter().filter_map(|node| spans[node.index()]));
        nodes.sort_unstable();
        Self { starts, side: structure.side.len(), nodes }
    }

    /// The span of the operations at the side.
    pub(crate) fn side(&self) -> Span {
        Span { from: 0, to: self.starts.get(self.side).copied().unwrap_or(0) }
    }

    /// The span of the main operations at some places of the order.
    pub(crate) fn places(&self, from: usize, to: usize) -> Span {
        let start = |place: usize| self.starts.get(self.side + place).copied().unwrap_or(0);
        Span { from: start(from), to: start(to) }
    }

    /// How many nodes of the file belong to a span.
    pub(crate) fn count(&self, span: Span) -> u64 {
        let first = self.nodes.partition_point(|node| node.from < span.from);
        let within = self.nodes[first..].iter().take_while(|node| node.from < span.to);
        within.filter(|node| node.to <= span.to).count() as u64
    }
}

/// How many leaves there are in an operation.
pub(crate) fn leaf_count(unit: &NetworkOp) -> u32 {
    narrow(leaves(unit).count())
}

fn leaves(unit: &NetworkOp) -> impl Iterator<Item = &NetworkOp> {
    unit.walk().filter(|part| part.parts.is_empty())
}

/// Gives the nodes that the network leaves out the span of what reads them, else of what they read.
fn place_the_rest(model: &Model, spans: &mut [Option<Span>], whole: Span) {
    for node in model.main().order.iter().rev() {
        if spans[node.index()].is_some() {
            continue;
        }
        let outputs = model.outputs(*node).iter().flatten();
        let readers = outputs.flat_map(|value| model.consumers(*value));
        let readers = readers.filter_map(|reader| in_main(model, reader.node));
        let read_by = readers.filter_map(|reader| spans[reader.index()]).reduce(Span::hull);
        let reads = || {
            let inputs = model.inputs(*node).iter().flatten();
            let givers = inputs.filter_map(|value| match model.value(*value).producer {
                Producer::Node { node, .. } => spans[node.index()],
                _ => None,
            });
            givers.reduce(Span::hull)
        };
        spans[node.index()] = Some(read_by.or_else(reads).unwrap_or(whole));
    }
}

/// The node of the main graph that a node is or is inside; `None` for nodes of functions.
fn in_main(model: &Model, node: NodeId) -> Option<NodeId> {
    let mut node = node;
    for _ in 0..=MAX_NESTING {
        match model.graph(model.node(node).graph).kind {
            GraphKind::Main => return Some(node),
            GraphKind::Subgraph { node: holder, .. } => node = holder,
            GraphKind::Function(_) | GraphKind::Training => return None,
        }
    }
    None
}
