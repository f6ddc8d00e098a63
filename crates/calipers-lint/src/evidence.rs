//! Facts about the whole model that several rules need.

use calipers_arch::network::Origin;
use calipers_infer::Typed;
use calipers_infer::walk::subgraphs;
use calipers_ir::{FunctionId, GraphKind, Model, NodeId, Producer, ValueId};
use calipers_ops::{Operator, canonical_domain};
use hashbrown::{HashMap, HashSet};

/// Returns the nodes that inference executes: main graph, subgraphs and function bodies, without
/// training graphs.
pub(super) fn running(model: &Model) -> Vec<NodeId> {
    // A parent comes before its subgraphs, so one pass is enough.
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

/// Returns the operator of a node in the standard domain.
pub(super) fn standard_op(model: &Model, node: NodeId) -> Option<&str> {
    let node = model.node(node);
    (canonical_domain(model.name(node.domain)) == calipers_ops::ONNX).then(|| model.name(node.op))
}

/// Returns the table row of a node's operator, if it is known.
pub(super) fn operator(model: &Model, node: NodeId) -> Option<&'static Operator> {
    let node = model.node(node);
    calipers_ops::find(model.name(node.domain), model.name(node.op))
}

/// Returns the operator of a node with its domain.
pub(super) fn full_op(model: &Model, node: NodeId) -> String {
    let (domain, op) = (canonical_domain(model.written_domain(node)), model.written_op(node));
    match model.header.format.domain() == domain {
        true => op.to_owned(),
        false => format!("{domain}.{op}"),
    }
}

/// The opset versions that apply to each node.
pub(super) struct Imports<'a> {
    /// The enclosing function of each graph.
    functions: Vec<Option<FunctionId>>,
    /// Versions by function (`None` is the model) and domain.
    versions: HashMap<(Option<FunctionId>, &'a str), i64>,
}

impl<'a> Imports<'a> {
    /// Collects the imports of the model and its functions.
    pub(super) fn from_model(model: &'a Model) -> Self {
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

    /// Returns the imported version of a node's domain.
    pub(super) fn version(&self, model: &Model, node: NodeId) -> Option<i64> {
        let node = model.node(node);
        let domain = canonical_domain(model.name(node.domain));
        self.versions.get(&(self.functions[node.graph.index()], domain)).copied()
    }
}

/// Returns the node that computes a value, with its standard operator.
pub(super) fn producer(model: &Model, value: ValueId) -> Option<(NodeId, &str)> {
    match model.value(value).producer {
        Producer::Node { node, .. } => Some((node, standard_op(model, node)?)),
        _ => None,
    }
}

/// The outputs of all graphs.
pub(super) struct Outputs(HashSet<ValueId>);

impl Outputs {
    /// Collects the outputs of all graphs.
    pub(super) fn from_model(model: &Model) -> Self {
        Self(model.graphs().flat_map(|(_, graph)| graph.outputs.iter().copied()).collect())
    }

    /// Whether a value is an output of a graph.
    pub(super) fn has(&self, value: ValueId) -> bool {
        self.0.contains(&value)
    }

    /// Returns the only consumer of a value, unless the value is a graph output.
    pub(super) fn only_reader(&self, model: &Model, value: ValueId) -> Option<NodeId> {
        match model.consumers(value) {
            [one] if !self.has(value) => Some(one.node),
            _ => None,
        }
    }
}

/// Returns an input of a node, if it is present.
pub(super) fn input(model: &Model, node: NodeId, slot: usize) -> Option<ValueId> {
    model.inputs(node).get(slot).copied().flatten()
}

/// Returns the first output of a node.
pub(super) fn output(model: &Model, node: NodeId) -> Option<ValueId> {
    model.outputs(node).first().copied().flatten()
}

/// Returns the bytes of a value with a static shape.
pub(super) fn bytes(typed: &Typed, value: ValueId) -> Option<u64> {
    let tensor = typed.fact(value).as_tensor()?;
    tensor.dtype.bytes(tensor.constant_count()? as u64)
}

/// Returns what the outputs of each node in the main graph depend on. Nodes of other graphs, and those
/// on a cycle, count as dependent on data.
pub(super) fn origins(model: &Model) -> Vec<Origin> {
    let mut of_node = vec![Origin::Data; model.nodes().len()];
    for node in &model.main().order {
        let of_value = |value: ValueId| {
            let held = model.value(value);
            match held.producer {
                Producer::Node { node, .. } => of_node[node.index()],
                Producer::Initializer => Origin::Constant,
                // A weight that a caller may override counts as a constant.
                Producer::Input if held.initializer.is_some() => Origin::Constant,
                Producer::Input | Producer::Nobody => Origin::Data,
            }
        };
        let inputs = model.inputs(*node).iter().flatten().copied().chain(model.captures(*node));
        let most = inputs.map(of_value).max().unwrap_or(Origin::Constant);
        let held = model.node(*node);
        let traits = operator(model, *node).map(|row| &row.traits);
        of_node[node.index()] = match standard_op(model, *node) {
            // Every run returns different numbers.
            _ if traits.is_some_and(|traits| traits.is_random) => Origin::Data,
            _ if traits.is_some_and(|traits| traits.reads_shape) => most.min(Origin::Shape),
            Some(_) if subgraphs(model, *node).next().is_none() => most,
            // The result of a function or custom operator without data inputs is unknown.
            None if model.name(held.op).is_empty() || most == Origin::Constant => Origin::Data,
            _ => most,
        };
    }
    of_node
}
