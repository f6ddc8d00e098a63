//! Which nodes of two models are the same.
//!
//! ```text
//! model → network      nodes in an order that neither names nor the file decide
//!       → labels       numbers of each node by itself
//!       → signatures   numbers of what is before, behind and around it
//!       → matcher      pairs of nodes whose numbers occur once in each graph
//!       → gaps         pairs between pairs, by likeness
//!       → repair       other operators in the same place, exchanges that make the edit smaller
//!       → strategy     the smallest of the edits found from several starts
//! ```
//!
//! Names are hints: they decide only between edits of the same size. Graphs inside nodes are
//! matched after the nodes that hold them, functions by what they are called.

mod gaps;
mod hash;
mod labels;
mod matcher;
mod network;
mod operator;
mod repair;
mod score;
mod signatures;
mod strategy;
#[cfg(test)]
mod tests;
mod wiring;

use std::collections::VecDeque;

use calipers_infer::walk::subgraphs;
use calipers_ir::{
    Attribute, AttributeValue, GraphId, GraphKind, Model, NodeId, TensorId, ValueId,
};
use calipers_ops::canonical_domain;
use hashbrown::{HashMap, HashSet};
use labels::Contents;
use matcher::{Matching, Sides};
use network::Network;
pub(crate) use operator::{attribute_changes, tensor_change};
use signatures::Ports;
pub use wiring::Differences;
use wiring::Wiring;

use self::hash::{mix, of_hint, of_text};

/// One of the two models, and what is known of its stored tensors.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The model.
    pub model: &'a Model,
    /// A number that tensors of the same elements share; `None` where weights are not read.
    pub digest: &'a (dyn Fn(TensorId) -> Option<u64> + Sync),
}

impl std::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject")
            .field("model", &self.model.header.file_name)
            .finish_non_exhaustive()
    }
}

/// Which nodes of two models are the same, and which are not.
#[derive(Debug, Default)]
pub struct Alignment {
    /// Nodes of the first model that the second has, with what differs.
    pub pairs: Vec<Pair>,
    /// Nodes of the first model alone, in its canonical order.
    pub removed: Vec<NodeId>,
    /// Nodes of the second model alone, in its canonical order.
    pub added: Vec<NodeId>,
    /// Stored tensors at the same slot of matched nodes, each pair once.
    pub tensors: Vec<TensorPair>,
    /// The same, node by node.
    slots: Vec<TensorPair>,
    /// Outputs of the main graph that come from other nodes: places in the two models.
    pub rewired_outputs: Vec<(usize, usize)>,
    /// Inputs and outputs of the main graph that are the same, by place.
    pub inputs: Vec<(usize, usize)>,
    /// Outputs of the main graph that are the same, by place.
    pub outputs: Vec<(usize, usize)>,
}

/// A node of both models.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// The node of the first model.
    pub a: NodeId,
    /// The node of the second model.
    pub b: NodeId,
    /// What differs between them.
    pub differences: Differences,
    /// Whether its name is another one.
    pub is_renamed: bool,
    /// Whether it moved to another place in the order of execution.
    pub is_moved: bool,
    /// Its stored tensors: from and to a place in the list.
    slots: (u32, u32),
}

impl Pair {
    /// Two nodes that take each other's place, without their stored tensors.
    pub(crate) fn new(a: NodeId, b: NodeId, differences: Differences) -> Self {
        Self { a, b, differences, is_renamed: false, is_moved: false, slots: (0, 0) }
    }
}

/// A stored tensor of both models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorPair {
    /// The tensor of the first model.
    pub a: TensorId,
    /// The tensor of the second model.
    pub b: TensorId,
}

/// Matches the nodes of two models.
pub fn align(first: Subject<'_>, second: Subject<'_>) -> Alignment {
    let (a, b) = (first.model, second.model);
    let mut alignment = Alignment::default();
    let mut values = Values::default();
    let mut left: VecDeque<(GraphId, GraphId)> = VecDeque::from([(a.main_id(), b.main_id())]);
    let (mut done_a, mut done_b) = (HashSet::new(), HashSet::new());
    left.extend(functions(a, b));
    let mut tensors = HashSet::new();
    while let Some((graph_a, graph_b)) = left.pop_front() {
        if done_a.contains(&graph_a) || done_b.contains(&graph_b) {
            continue;
        }
        done_a.insert(graph_a);
        done_b.insert(graph_b);
        let net_a = Network::new(a, graph_a, &Contents { digest: first.digest });
        let net_b = Network::new(b, graph_b, &Contents { digest: second.digest });
        let ports = match_ports(&net_a, &net_b, &values);
        let sides = Sides { a: &net_a, b: &net_b, ports_a: &ports.a, ports_b: &ports.b };
        let matching = strategy::best(sides);
        if graph_a == a.main_id() {
            alignment.rewired_outputs = rewired(sides, &matching, &ports);
            alignment.inputs.clone_from(&ports.inputs);
            alignment.outputs.clone_from(&ports.outputs);
        }
        let shared = shared_values(sides, &matching);
        left.extend(
            matching
                .pairs()
                .flat_map(|(at, there)| inner_graphs(a, net_a.node(at), b, net_b.node(there))),
        );
        collect(sides, &matching, &mut alignment, &mut tensors);
        values.a.extend(shared.a);
        values.b.extend(shared.b);
    }
    // Graphs without a counterpart: all their nodes.
    let rest = |model: &Model, done: &HashSet<GraphId>| -> Vec<NodeId> {
        let graphs = model
            .graphs()
            .filter(|(id, graph)| !done.contains(id) && !matches!(graph.kind, GraphKind::Training));
        graphs.flat_map(|(_, graph)| graph.order.iter().copied()).collect()
    };
    alignment.removed.extend(rest(a, &done_a));
    alignment.added.extend(rest(b, &done_b));
    alignment
}

/// Adds what a matching of two graphs says.
fn collect(
    sides: Sides<'_>,
    matching: &Matching,
    alignment: &mut Alignment,
    tensors: &mut HashSet<TensorPair>,
) {
    let Sides { a: net_a, b: net_b, .. } = sides;
    let wiring = Wiring { sides, matching };
    let still = matched_in_order(matching);
    for (a, b) in matching.pairs() {
        let is_renamed = net_a.labels.name[a as usize] != net_b.labels.name[b as usize];
        let differences = wiring.differences(a, b);
        let first_slot = alignment.slots.len();
        for pair in wiring.tensors(a, b) {
            alignment.slots.push(pair);
            if tensors.insert(pair) {
                alignment.tensors.push(pair);
            }
        }
        let place = |slot: usize| u32::try_from(slot).unwrap_or(u32::MAX);
        alignment.pairs.push(Pair {
            a: net_a.node(a),
            b: net_b.node(b),
            differences,
            is_renamed,
            is_moved: differences.wiring && !still.contains(&a),
            slots: (place(first_slot), place(alignment.slots.len())),
        });
    }
    alignment.removed.extend(matching.free_a().map(|a| net_a.node(a)));
    alignment.added.extend(matching.free_b().map(|b| net_b.node(b)));
}

/// Matched nodes of the first graph that come in the same order in the second one.
fn matched_in_order(matching: &Matching) -> HashSet<u32> {
    let pairs: Vec<(u32, u32)> = matching.pairs().collect();
    gaps::rising(&pairs).into_iter().map(|(a, _)| a).collect()
}

/// Graphs inside two matched nodes, by the attributes that hold them.
fn inner_graphs(a: &Model, node_a: NodeId, b: &Model, node_b: NodeId) -> Vec<(GraphId, GraphId)> {
    let mut graphs = Vec::new();
    if subgraphs(a, node_a).next().is_none() {
        return graphs;
    }
    let held = |value: &AttributeValue| match value {
        AttributeValue::Graph(graph) => vec![*graph],
        AttributeValue::Graphs(graphs) => graphs.clone(),
        _ => Vec::new(),
    };
    for attribute in a.attributes(node_a) {
        let is_same = |other: &&Attribute| a.hint(attribute.name).same(b.hint(other.name));
        if let Some(other) = b.attributes(node_b).iter().find(is_same) {
            graphs.extend(held(&attribute.value).into_iter().zip(held(&other.value)));
        }
    }
    graphs
}

/// Bodies of functions of one domain, name and overload.
fn functions(a: &Model, b: &Model) -> Vec<(GraphId, GraphId)> {
    let key = |model: &Model, function: &calipers_ir::Function| {
        let domain = of_text(canonical_domain(model.name(function.domain)));
        let name = of_hint(model.hint(function.name));
        mix(mix(domain, name), of_hint(model.hint(function.overload)))
    };
    let of_b: HashMap<u64, GraphId> =
        b.functions().map(|(_, function)| (key(b, function), function.body)).collect();
    let pairs = a
        .functions()
        .filter_map(|(_, function)| Some((function.body, *of_b.get(&key(a, function))?)));
    pairs.collect()
}

/// Outputs whose values come from other nodes.
fn rewired(sides: Sides<'_>, matching: &Matching, ports: &PortPairs<'_>) -> Vec<(usize, usize)> {
    let wiring = Wiring { sides, matching };
    let pairs = ports.outputs.iter().filter(|(a, b)| {
        let (Some(left), Some(right)) = (sides.a.outputs.get(*a), sides.b.outputs.get(*b)) else {
            return false;
        };
        !wiring.agree(*left, *right)
    });
    pairs.copied().collect()
}

/// Numbers of values that the two models share, for graphs inside their nodes.
#[derive(Debug, Default)]
struct Values {
    a: HashMap<ValueId, u64>,
    b: HashMap<ValueId, u64>,
}

/// Numbers of the values of two graphs, where a graph inside a node can read them.
fn shared_values(sides: Sides<'_>, matching: &Matching) -> Values {
    let Sides { a, b, ports_a, ports_b } = sides;
    let mut values = Values::default();
    if a.model.graphs().len() == 1 {
        return values;
    }
    for (place, other) in matching.pairs() {
        let twins = b.model.outputs(b.node(other));
        for (slot, output) in a.model.outputs(a.node(place)).iter().enumerate() {
            let number = mix(mix(u64::from(place), 23), mix(slot as u64, a.graph.index() as u64));
            values.a.extend(output.map(|value| (value, number)));
            values.b.extend(twins.get(slot).copied().flatten().map(|value| (value, number)));
        }
    }
    let inputs = |net: &Network<'_>, ports: &Ports<'_>| -> Vec<(ValueId, u64)> {
        net.model.graph(net.graph).inputs.iter().copied().zip(ports.inputs.clone()).collect()
    };
    values.a.extend(inputs(a, ports_a));
    values.b.extend(inputs(b, ports_b));
    values
}

/// Inputs and outputs of two graphs that are the same.
struct PortPairs<'v> {
    a: Ports<'v>,
    b: Ports<'v>,
    inputs: Vec<(usize, usize)>,
    outputs: Vec<(usize, usize)>,
}

fn match_ports<'v>(a: &Network<'_>, b: &Network<'_>, values: &'v Values) -> PortPairs<'v> {
    let (graph_a, graph_b) = (a.model.graph(a.graph), b.model.graph(b.graph));
    let inputs = match_values(a.model, &graph_a.inputs, b.model, &graph_b.inputs);
    let outputs = match_values(a.model, &graph_a.outputs, b.model, &graph_b.outputs);
    let numbers = |count: usize, pairs: &[(usize, usize)], salt: u64, is_first: bool| {
        let mut numbers: Vec<u64> =
            (0..count).map(|at| mix(at as u64, salt + 100 + u64::from(is_first))).collect();
        for (left, right) in pairs {
            numbers[if is_first { *left } else { *right }] = mix(*left as u64, salt);
        }
        numbers
    };
    let ports_a = Ports {
        inputs: numbers(graph_a.inputs.len(), &inputs, 31, true),
        outputs: numbers(graph_a.outputs.len(), &outputs, 37, true),
        outer: &values.a,
    };
    let ports_b = Ports {
        inputs: numbers(graph_b.inputs.len(), &inputs, 31, false),
        outputs: numbers(graph_b.outputs.len(), &outputs, 37, false),
        outer: &values.b,
    };
    PortPairs { a: ports_a, b: ports_b, inputs, outputs }
}

/// Pairs of two lists of values: those of one name, then the rest of one type in order.
fn match_values(
    a: &Model,
    values_a: &[ValueId],
    b: &Model,
    values_b: &[ValueId],
) -> Vec<(usize, usize)> {
    let names: HashMap<u64, usize> = values_b
        .iter()
        .enumerate()
        .rev()
        .map(|(at, value)| (of_hint(b.hint(b.value(*value).name)), at))
        .collect();
    let mut is_taken = vec![false; values_b.len()];
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut rest = Vec::new();
    for (at, value) in values_a.iter().enumerate() {
        match names.get(&of_hint(a.hint(a.value(*value).name))) {
            Some(other) if !std::mem::replace(&mut is_taken[*other], true) => {
                pairs.push((at, *other));
            }
            _ => rest.push(at),
        }
    }
    let dtype = |model: &Model, value: ValueId| {
        let ty = model.value(value).ty?;
        Some(model.value_type(ty).tensor()?.dtype)
    };
    let mut free: VecDeque<usize> = (0..values_b.len()).filter(|at| !is_taken[*at]).collect();
    for at in rest {
        let wanted = dtype(a, values_a[at]);
        let is_same = |other: &usize| dtype(b, values_b[*other]) == wanted;
        // A renamed input is mostly at its old place.
        let found = free
            .iter()
            .position(|other| *other == at && is_same(other))
            .or_else(|| free.iter().position(is_same))
            .or_else(|| free.iter().position(|other| *other == at));
        if let Some(other) = found.and_then(|found| free.remove(found)) {
            pairs.push((at, other));
        }
    }
    pairs.sort_unstable();
    pairs
}

impl Alignment {
    /// Stored tensors at the same slots of a pair of nodes.
    pub fn tensors_of(&self, pair: &Pair) -> &[TensorPair] {
        let (from, to) = pair.slots;
        self.slots.get(from as usize..to as usize).unwrap_or_default()
    }
}
