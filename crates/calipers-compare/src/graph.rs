//! The matched nodes as a list of changes.

use calipers_arch::view::Outline;
use calipers_ir::{Model, NodeId};
use calipers_report::{AddedNode, ChangeKind, ChangedNode, GraphChanges, RemovedNode};
use hashbrown::HashSet;

use crate::align::{Alignment, Differences, Pair, TensorPair, attribute_changes, tensor_change};
use crate::groups;

/// The graph of one model, with the names of its parts.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    /// The model.
    pub model: &'a Model,
    /// The parts of its network.
    pub outline: &'a Outline,
}

impl Graph<'_> {
    /// A node's operator.
    pub(crate) fn op(&self, node: NodeId) -> &str {
        self.model.written_op(node)
    }
}

/// Nodes that differ, by their numbers, in the order of the lists of [`GraphChanges`].
#[derive(Debug, Default)]
pub struct Changes {
    /// Nodes of the first model alone.
    pub removed: Vec<NodeId>,
    /// Nodes of the second model alone.
    pub added: Vec<NodeId>,
    /// Nodes of both that differ, with what differs.
    pub changed: Vec<(NodeId, NodeId, Differences)>,
}

/// The changes between two graphs, and the nodes they are about. `differing` are stored tensors
/// whose elements were read and differ.
pub(crate) fn compare(
    a: Graph<'_>,
    b: Graph<'_>,
    alignment: &Alignment,
    differing: &HashSet<TensorPair>,
) -> (GraphChanges, Changes) {
    let mut changes = Changes {
        removed: alignment.removed.clone(),
        added: alignment.added.clone(),
        changed: Vec::new(),
    };
    let mut graph = GraphChanges::default();
    for pair in &alignment.pairs {
        graph.renamed += u64::from(pair.is_renamed);
        let differences = with_weights(pair, alignment, differing);
        if !differences.any() {
            graph.unchanged += 1;
            continue;
        }
        graph.moved += u64::from(pair.is_moved);
        changes.changed.push((pair.a, pair.b, differences));
        let tensors = alignment.tensors_of(pair);
        graph.changed.push(changed_node(a, b, pair, differences, tensors));
    }
    graph.removed = changes
        .removed
        .iter()
        .map(|node| RemovedNode { a: a.model.node_label(*node), op: a.op(*node).to_owned() })
        .collect();
    graph.added = changes
        .added
        .iter()
        .map(|node| AddedNode { b: b.model.node_label(*node), op: b.op(*node).to_owned() })
        .collect();
    let outputs = &b.model.main().outputs;
    graph.rewired_outputs = alignment
        .rewired_outputs
        .iter()
        .filter_map(|(_, at)| outputs.get(*at))
        .map(|value| b.model.name(b.model.value(*value).name).to_owned())
        .collect();
    graph.groups = groups::group(a, b, alignment, &changes, &graph);
    (graph, changes)
}

/// What differs, with what reading the weights showed.
fn with_weights(
    pair: &Pair,
    alignment: &Alignment,
    differing: &HashSet<TensorPair>,
) -> Differences {
    let mut differences = pair.differences;
    if !differing.is_empty() && !differences.weights {
        let mut tensors = alignment.tensors_of(pair).iter();
        differences.weights = tensors.any(|tensors| differing.contains(tensors));
    }
    differences
}

fn changed_node(
    a: Graph<'_>,
    b: Graph<'_>,
    pair: &Pair,
    differences: Differences,
    tensors: &[TensorPair],
) -> ChangedNode {
    let (op, op_b) = (a.op(pair.a), b.op(pair.b));
    let attributes = match differences.attribute && !differences.operator {
        true => attribute_changes(a.model, pair.a, b.model, pair.b),
        false => Vec::new(),
    };
    ChangedNode {
        a: a.model.node_label(pair.a),
        b: b.model.node_label(pair.b),
        op: op.to_owned(),
        op_b: (op != op_b).then(|| op_b.to_owned()),
        what: kinds(differences),
        attributes,
        tensors: tensors
            .iter()
            .filter_map(|tensors| tensor_change(a.model, tensors.a, b.model, tensors.b))
            .collect(),
        moved: pair.is_moved,
    }
}

/// What differs, by the words of the report.
pub(crate) fn kinds(differences: Differences) -> Vec<ChangeKind> {
    let Differences { operator, attribute, weights, dtype, shape, wiring } = differences;
    let all = [
        (operator, ChangeKind::Operator),
        (attribute, ChangeKind::Attribute),
        (weights, ChangeKind::Weights),
        (dtype, ChangeKind::Type),
        (shape, ChangeKind::Shape),
        (wiring, ChangeKind::Wiring),
    ];
    all.into_iter().filter_map(|(is_there, kind)| is_there.then_some(kind)).collect()
}
