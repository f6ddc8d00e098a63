//! Questions about the whole model that several rules ask.

use calipers_arch::network::Origin;
use calipers_infer::Typed;
use calipers_infer::walk::subgraphs;
use calipers_ir::{FunctionId, GraphKind, Model, NodeId, Producer, ValueId};
use calipers_ops::{Operator, canonical_domain};
use hashbrown::{HashMap, HashSet};

/// Nodes of a run: of the main graph, of subgraphs and of functions' bodies, not of training.
pub(super) fn running(model: &Model) -> Vec<NodeId> {
    // A parent always is before its subgraphs, so one pass settles who is inside what.
    let mut training = vec![false; model.graphs().len()];
    let mut nodes = Vec::with_capacity(model.nodes().len());
    for (id, graph) in model.graphs() {
        let inside = graph.parent.is_some_and(|parent| training[parent.index()]);
        training[id.index()] = inside || graph.kind == GraphKind::Training;
        if !training[id.index()] {
            nodes.extend(graph.nodes.nodes());
        }
    }
    nodes
}

/// The operator of a node, if it is one of the standard domain.
pub(super) fn standard_op(model: &Model, node: NodeId) -> Option<&str> {
    let node = model.node(node);
    (canonical_domain(model.name(node.domain)) == calipers_ops::ONNX).then(|| model.name(node.op))
}

/// The row of a node's operator, where that is known.
pub(super) fn operator(model: &Model, node: NodeId) -> Option<&'static Operator> {
    let node = model.node(node);
    calipers_ops::find(model.name(node.domain), model.name(node.op))
}

/// The operator of a node with its domain.
pub(super) fn full_op(model: &Model, node: NodeId) -> String {
    let node = model.node(node);
    format!("{}.{}", canonical_domain(model.name(node.domain)), model.name(node.op))
}

/// Which version of its domain counts for a node.
pub(super) struct Imports<'a> {
    /// For each graph, the function that it is in.
    functions: Vec<Option<FunctionId>>,
    /// Versions by function, or of the model, and by domain.
    versions: HashMap<(Option<FunctionId>, &'a str), i64>,
}

impl<'a> Imports<'a> {
    pub(super) fn of(model: &'a Model) -> Self {
        let mut functions: Vec<Option<FunctionId>> = Vec::with_capacity(model.graphs().len());
        for (_, graph) in model.graphs() {
            functions.push(match (graph.kind, graph.parent) {
                (GraphKind::Function(id), _) => Some(id),
                (_, Some(parent)) => functions[parent.index()],
                _ => None,
            });
        }
        let of_functions = model.functions().map(|(id, function)| (Some(id), &function.opsets));
        let mut versions = HashMap::new();
        for (function, sets) in of_functions.chain([(None, &model.header.opsets)]) {
            for set in sets {
                let domain = canonical_domain(model.name(set.domain));
                let version = versions.entry((function, domain)).or_insert(set.version);
                *version = set.version.max(*version);
            }
        }
        Self { functions, versions }
    }

    /// The version of a node's domain, where it is imported.
    pub(super) fn version(&self, model: &Model, node: NodeId) -> Option<i64> {
        let node = model.node(node);
        let domain = canonical_domain(model.name(node.domain));
        self.versions.get(&(self.functions[node.graph.index()], domain)).copied()
    }
}

/// The node that gives a value, with its operator of the standard domain.
pub(super) fn producer(model: &Model, value: ValueId) -> Option<(NodeId, &str)> {
    match model.value(value).producer {
        Producer::Node { node, .. } => Some((node, standard_op(model, node)?)),
        _ => None,
    }
}

/// Values that graphs give out.
pub(super) struct Outputs(HashSet<ValueId>);

impl Outputs {
    pub(super) fn of(model: &Model) -> Self {
        Self(model.graphs().flat_map(|(_, graph)| graph.outputs.iter().copied()).collect())
    }

    pub(super) fn has(&self, value: ValueId) -> bool {
        self.0.contains(&value)
    }

    /// The one node that reads a value, when there is one and no graph gives the value out.
    pub(super) fn only_reader(&self, model: &Model, value: ValueId) -> Option<NodeId> {
        match model.consumers(value) {
            [one] if !self.has(value) => Some(one.node),
            _ => None,
        }
    }
}

/// An input of a node that is there.
pub(super) fn input(model: &Model, node: NodeId, slot: usize) -> Option<ValueId> {
    model.inputs(node).get(slot).copied().flatten()
}

/// The first output of a node.
pub(super) fn output(model: &Model, node: NodeId) -> Option<ValueId> {
    model.outputs(node).first().copied().flatten()
}

/// Bytes of a value whose dimensions are all numbers.
pub(super) fn bytes(typed: &Typed, value: ValueId) -> Option<u64> {
    let tensor = typed.fact(value).as_tensor()?;
    tensor.dtype.bytes(tensor.constant_count()? as u64)
}

/// What the outputs of each node of the main graph follow from. Nodes of other graphs, and those
/// that wait for each other, count as following from data.
pub(super) fn origins(model: &Model) -> Vec<Origin> {
    let mut of_node = vec![Origin::Data; model.nodes().len()];
    for node in &model.main().order {
        let of_value = |value: ValueId| {
            let held = model.value(value);
            match held.producer {
                Producer::Node { node, .. } => of_node[node.index()],
                Producer::Initializer => Origin::Constant,
                // A weight that a caller may override is a constant for all that matters here.
                Producer::Input if held.initializer.is_some() => Origin::Constant,
                Producer::Input | Producer::Nobody => Origin::Data,
            }
        };
        let inputs = model.inputs(*node).iter().flatten().copied().chain(model.captures(*node));
        let most = inputs.map(of_value).max().unwrap_or(Origin::Constant);
        let held = model.node(*node);
        let traits = operator(model, *node).map(|row| &row.traits);
        of_node[node.index()] = match standard_op(model, *node) {
            // Every run gives other numbers.
            _ if traits.is_some_and(|traits| traits.is_random) => Origin::Data,
            _ if traits.is_some_and(|traits| traits.reads_shape) => most.min(Origin::Shape),
            Some(_) if subgraphs(model, *node).next().is_none() => most,
            // What a function or a foreign operator does with nothing is its own affair.
            None if model.name(held.op).is_empty() || most == Origin::Constant => Origin::Data,
            _ => most,
        };
    }
    of_node
}
