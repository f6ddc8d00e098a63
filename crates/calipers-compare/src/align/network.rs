//! A graph as the alignment sees it: nodes in an order that only the structure decides, and where
//! each of their inputs comes from.

use calipers_ir::{GraphId, Model, NameId, NodeId, Producer, SparseId, TensorId, ValueId};

use super::labels::{Contents, Labels};

/// The place of what has none.
pub(crate) const NONE: u32 = u32::MAX;

/// Where an input of a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An optional input that is left out.
    Absent,
    /// An output of a node of the same graph.
    Node {
        /// The place of that node.
        place: u32,
        /// Which of its outputs.
        slot: u32,
    },
    /// An input of the graph, by its place.
    Input(u32),
    /// A stored tensor.
    Stored(TensorId),
    /// A stored sparse tensor.
    Sparse(SparseId),
    /// A value of a graph around this one.
    Outer(ValueId),
    /// A name that nothing defines.
    Undefined(NameId),
}

/// A use of a node's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reader {
    /// The node that reads it, or [`NONE`] for an output of the graph.
    pub(crate) place: u32,
    /// Which of its inputs, or which output of the graph; [`NONE`] for a graph inside the node.
    pub(crate) slot: u32,
    /// Which output it reads.
    pub(crate) output: u32,
}

/// One of the two graphs.
#[derive(Debug)]
pub(crate) struct Network<'m> {
    pub(crate) model: &'m Model,
    pub(crate) graph: GraphId,
    /// Nodes in canonical order: what they read is before them, and neither names nor the order in
    /// the file count.
    pub(crate) nodes: Vec<NodeId>,
    sources: Vec<Source>,
    source_starts: Vec<u32>,
    readers: Vec<Reader>,
    reader_starts: Vec<u32>,
    /// Where the outputs of the graph come from.
    pub(crate) outputs: Vec<Source>,
    pub(crate) labels: Labels,
    commutes: Vec<bool>,
}

impl<'m> Network<'m> {
    pub(crate) fn new(model: &'m Model, graph: GraphId, contents: &Contents<'_>) -> Self {
        let nodes = canonical_order(model, graph);
        let mut places = Places::new(model, graph, &nodes);
        let mut sources = Vec::new();
        let mut source_starts = vec![0];
        for node in &nodes {
            let inputs = model.inputs(*node).iter();
            sources
                .extend(inputs.map(|input| input.map_or(Source::Absent, |id| places.source(id))));
            source_starts.push(count(sources.len()));
        }
        let outputs: Vec<Source> =
            model.graph(graph).outputs.iter().map(|output| places.source(*output)).collect();
        let (readers, reader_starts) =
            readers(model, &nodes, &sources, &source_starts, &outputs, &mut places);
        let commutes: Vec<bool> = nodes.iter().map(|node| is_commutative(model, *node)).collect();
        let labels = Labels::new(model, &nodes, &sources, &source_starts, &commutes, contents);
        Self {
            model,
            graph,
            nodes,
            sources,
            source_starts,
            readers,
            reader_starts,
            outputs,
            labels,
            commutes,
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The places of all nodes.
    pub(crate) fn places(&self) -> std::ops::Range<u32> {
        0..count(self.nodes.len())
    }

    /// The node at a place.
    pub(crate) fn node(&self, place: u32) -> NodeId {
        self.nodes[place as usize]
    }

    /// Whether the inputs of a node may change places.
    pub(crate) fn commutes(&self, place: u32) -> bool {
        self.commutes[place as usize]
    }

    /// Where the inputs of a node come from.
    pub(crate) fn inputs(&self, place: u32) -> &[Source] {
        let at = place as usize;
        &self.sources[self.source_starts[at] as usize..self.source_starts[at + 1] as usize]
    }

    /// What reads the outputs of a node.
    pub(crate) fn readers(&self, place: u32) -> &[Reader] {
        let at = place as usize;
        &self.readers[self.reader_starts[at] as usize..self.reader_starts[at + 1] as usize]
    }

    /// Where an input of a node comes from; inputs that are not given are absent.
    pub(crate) fn input(&self, place: u32, slot: usize) -> Source {
        self.inputs(place).get(slot).copied().unwrap_or(Source::Absent)
    }
}

fn is_commutative(model: &Model, id: NodeId) -> bool {
    let node = model.node(id);
    calipers_ops::find(model.name(node.domain), model.name(node.op))
        .is_some_and(|operator| operator.traits.is_commutative)
}

/// A place as the arrays count it. A model has less than 2^24 nodes and operands of 32 bits.
pub(crate) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(NONE)
}

/// Places of the nodes and inputs of one graph.
struct Places<'m> {
    model: &'m Model,
    graph: GraphId,
    /// By the position of a node in its graph.
    of_node: Vec<u32>,
    first: usize,
    inputs: hashbrown::HashMap<ValueId, u32>,
}

impl<'m> Places<'m> {
    fn new(model: &'m Model, graph: GraphId, nodes: &[NodeId]) -> Self {
        let numbers = || nodes.iter().map(|node| node.index());
        let (first, last) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        let mut of_node = vec![NONE; last - first + 1];
        for (place, node) in (0..).zip(nodes) {
            of_node[node.index() - first] = place;
        }
        let inputs = (0..).zip(&model.graph(graph).inputs).map(|(place, input)| (*input, place));
        Self { model, graph, of_node, first, inputs: inputs.collect() }
    }

    fn place(&self, node: NodeId) -> Option<u32> {
        let place = self.of_node.get(node.index().checked_sub(self.first)?)?;
        (self.model.node(node).graph == self.graph && *place != NONE).then_some(*place)
    }

    fn source(&mut self, id: ValueId) -> Source {
        let value = self.model.value(id);
        match (value.producer, value.initializer, value.sparse_initializer) {
            (Producer::Nobody, None, None) => Source::Undefined(value.name),
            // Constants of a graph around it are as good as its own.
            (Producer::Initializer, Some(tensor), _) => Source::Stored(tensor),
            (Producer::Initializer, None, Some(tensor)) => Source::Sparse(tensor),
            _ if value.graph != self.graph => Source::Outer(id),
            (Producer::Node { node, slot }, ..) => match self.place(node) {
                Some(place) => Source::Node { place, slot },
                None => Source::Outer(id),
            },
            // An initializer that a caller may override is a default, and a stored tensor.
            (_, Some(tensor), _) => Source::Stored(tensor),
            (_, None, Some(tensor)) => Source::Sparse(tensor),
            (_, None, None) => match self.inputs.get(&id) {
                Some(place) => Source::Input(*place),
                None => Source::Undefined(value.name),
            },
        }
    }
}

/// Readers of every node, in the order of the nodes.
fn readers(
    model: &Model,
    nodes: &[NodeId],
    sources: &[Source],
    starts: &[u32],
    outputs: &[Source],
    places: &mut Places<'_>,
) -> (Vec<Reader>, Vec<u32>) {
    let mut all: Vec<(u32, Reader)> = Vec::new();
    for (place, node) in (0..).zip(nodes) {
        let at = place as usize;
        let inputs = &sources[starts[at] as usize..starts[at + 1] as usize];
        for (slot, source) in (0..).zip(inputs) {
            if let Source::Node { place: from, slot: output } = *source {
                all.push((from, Reader { place, slot, output }));
            }
        }
        for captured in model.captures(*node) {
            if let Source::Node { place: from, slot: output } = places.source(captured) {
                all.push((from, Reader { place, slot: NONE, output }));
            }
        }
    }
    for (slot, source) in (0..).zip(outputs) {
        if let Source::Node { place: from, slot: output } = *source {
            all.push((from, Reader { place: NONE, slot, output }));
        }
    }
    // Stable: readers of a node stay in the order of their places.
    all.sort_by_key(|(from, _)| *from);
    let mut reader_starts = vec![0; nodes.len() + 1];
    for (from, _) in &all {
        reader_starts[*from as usize + 1] += 1;
    }
    for at in 0..nodes.len() {
        reader_starts[at + 1] += reader_starts[at];
    }
    (all.into_iter().map(|(_, reader)| reader).collect(), reader_starts)
}

/// Nodes in the order in which they are finished when the graph is walked from its outputs along the
/// inputs. What nothing reads is last, as stored.
fn canonical_order(model: &Model, graph: GraphId) -> Vec<NodeId> {
    let graph_nodes = &model.graph(graph).order;
    let first = graph_nodes.iter().map(|node| node.index()).min().unwrap_or(0);
    let mut is_seen = vec![false; graph_nodes.len()];
    let mut order = Vec::with_capacity(graph_nodes.len());
    let producer = |value: ValueId| match model.value(value).producer {
        Producer::Node { node, .. } if model.node(node).graph == graph => Some(node),
        _ => None,
    };
    let outputs = model.graph(graph).outputs.iter().filter_map(|output| producer(*output));
    // A walk begins at outputs, then at the last of the nodes that were not reached: a sink.
    let rest = graph_nodes.iter().rev().copied();
    let mut dead = Vec::new();
    // Nodes on the way from an output, each with what it reads and has not been visited.
    let mut stack: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
    let reads = |node: NodeId| -> Vec<NodeId> {
        let inputs = model.inputs(node).iter().flatten().copied();
        let mut reads: Vec<NodeId> =
            inputs.chain(model.captures(node)).filter_map(producer).collect();
        reads.reverse();
        reads
    };
    let roots: Vec<(NodeId, bool)> =
        outputs.map(|node| (node, true)).chain(rest.map(|node| (node, false))).collect();
    for (root, is_read) in roots {
        if std::mem::replace(&mut is_seen[root.index() - first], true) {
            continue;
        }
        let from = order.len();
        stack.push((root, reads(root)));
        while let Some((node, left)) = stack.last_mut() {
            match left.pop() {
                Some(read) if !std::mem::replace(&mut is_seen[read.index() - first], true) => {
                    stack.push((read, reads(read)));
                }
                Some(_) => {}
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        if !is_read {
            dead.push(order.split_off(from));
        }
    }
    order.extend(dead.into_iter().rev().flatten());
    order
}
