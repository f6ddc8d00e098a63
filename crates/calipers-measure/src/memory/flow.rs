//! Where an input's elements go: through operators that move or join tensors without computing.

use std::cell::Cell;
use std::collections::VecDeque;

use calipers_ir::{Consumer, Model, NodeId, Producer, ValueId};
use calipers_ops::canonical_domain;
use hashbrown::{HashMap, HashSet};

use super::liveness;
use calipers_infer::walk::{MeaningKind, Meanings, subgraphs};

/// Values looked at from one input. A cache is a few nodes away from where it is used.
const MAX_VALUES: usize = 4_096;

/// Operators whose outputs hold elements of their first input and nothing else, sorted.
const MOVES: &[&str] = &[
    "Cast",
    "CastLike",
    "DequantizeLinear",
    "Expand",
    "Flatten",
    "Gather",
    "Identity",
    "QuantizeLinear",
    "Reshape",
    "Slice",
    "Split",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
];

/// Operators that change elements one by one, or put them beside others, on the way to a product,
/// sorted.
const ON_THE_WAY: &[&str] = &["Add", "Concat", "Div", "Mul", "Neg", "Sub", "Tile", "Where"];

/// Operators that write into a copy of their first input, each with what it writes, sorted.
const WRITERS: &[(&str, usize)] =
    &[("Scatter", 2), ("ScatterElements", 2), ("ScatterND", 2), ("TensorScatter", 1)];

/// Values looked at for a softmax around a product: scaling, a mask and a change of type.
const AROUND: usize = 64;

/// An operator that takes caches and gives them back grown: its domain and name, and for each cache
/// the slots of input and output.
type Grower = (&'static str, &'static str, &'static [(u32, usize)]);

/// All such operators.
const GROWERS: &[Grower] = &[
    (calipers_ops::ONNX, "Attention", &[(4, 1), (5, 2)]),
    (calipers_ops::MICROSOFT, "Attention", &[(4, 1)]),
    (calipers_ops::MICROSOFT, "DecoderAttention", &[(6, 1), (7, 2)]),
    (calipers_ops::MICROSOFT, "DecoderMaskedMultiHeadAttention", &[(5, 1), (6, 2)]),
    (calipers_ops::MICROSOFT, "DecoderMaskedSelfAttention", &[(4, 1)]),
    (calipers_ops::MICROSOFT, "GroupQueryAttention", &[(3, 1), (4, 2)]),
    (calipers_ops::MICROSOFT, "MultiHeadAttention", &[(6, 1), (7, 2)]),
    (calipers_ops::MICROSOFT, "SparseAttention", &[(3, 1), (4, 2)]),
];

/// How a cache grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grown {
    /// `Concat` put new elements beside it.
    Joined(NodeId),
    /// An operator that keeps a cache did it.
    Inside(NodeId),
    /// New elements were written into it; it keeps its length.
    Written(NodeId),
}

/// An output of the model that an input's elements reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) output: ValueId,
    pub(super) grown: Grown,
}

impl Reached {
    /// The node at which the cache grew.
    pub(super) fn node(self) -> NodeId {
        let (Grown::Joined(node) | Grown::Inside(node) | Grown::Written(node)) = self.grown;
        node
    }
}

/// The ways through a model.
pub(super) struct Flow<'a> {
    model: &'a Model,
    meanings: Meanings,
    /// Values that are the same value in another graph: a branch's output is the `If`'s.
    same: HashMap<ValueId, Vec<ValueId>>,
    outputs: HashSet<ValueId>,
    /// Uses that may still be looked at, so that a hostile file does not take forever.
    looks_left: Cell<usize>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let meanings = Meanings::find(model);
        let mut same: HashMap<ValueId, Vec<ValueId>> = HashMap::new();
        let mut link = |from: &[Option<ValueId>], to: &[Option<ValueId>]| {
            for (from, to) in from.iter().zip(to) {
                if let (Some(from), Some(to)) = (from, to) {
                    same.entry(*from).or_default().push(*to);
                }
            }
        };
        let all = |values: &[ValueId]| values.iter().copied().map(Some).collect::<Vec<_>>();
        for (id, node) in model.nodes() {
            match meanings.of(id).kind {
                MeaningKind::Call(function) => {
                    let body = model.graph(model.function(function).body);
                    link(model.inputs(id), &all(&body.inputs));
                    link(&all(&body.outputs), model.outputs(id));
                }
                _ if model.name(node.op) == "If" => {
                    for branch in subgraphs(model, id) {
                        link(&all(&model.graph(branch).outputs), model.outputs(id));
                    }
                }
                _ => {}
            }
        }
        let outputs = model.main().outputs.iter().copied().collect();
        let looks_left = Cell::new(model.nodes().len().saturating_mul(64).saturating_add(100_000));
        Self { model, meanings, same, outputs, looks_left }
    }

    /// Which values depend on an input.
    pub(super) fn depends(&self) -> Vec<bool> {
        liveness::depends(self.model, &self.meanings)
    }

    /// Outputs of the model that hold an input's elements and more, nearest first.
    pub(super) fn grown_outputs(&self, input: ValueId) -> Vec<Reached> {
        let mut reached = Vec::new();
        let mut seen: HashSet<(ValueId, bool)> = HashSet::from([(input, false)]);
        let mut queue: VecDeque<(ValueId, Option<Grown>)> = VecDeque::from([(input, None)]);
        while let Some((value, grown)) = queue.pop_front() {
            if let Some(grown) = grown.filter(|_| self.outputs.contains(&value)) {
                reached.push(Reached { output: value, grown });
            }
            let mut go = |next: ValueId, grown: Option<Grown>| {
                if seen.len() < MAX_VALUES && seen.insert((next, grown.is_some())) {
                    queue.push_back((next, grown));
                }
            };
            for next in self.same.get(&value).into_iter().flatten() {
                go(*next, grown);
            }
            for consumer in self.consumers(value) {
                let node = consumer.node;
                let outputs = self.model.outputs(node);
                let output = |slot: usize| outputs.get(slot).copied().flatten();
                if let Some(slot) = self.grower_slot(node, consumer.slot) {
                    if let Some(next) = output(slot) {
                        go(next, Some(Grown::Inside(node)));
                    }
                } else if self.is_standard(node, &["Concat"]) {
                    if let Some(next) = output(0) {
                        go(next, grown.or(Some(Grown::Joined(node))));
                    }
                } else if consumer.slot == 0 && self.written(node).is_some() {
                    if let Some(next) = output(0) {
                        go(next, grown.or(Some(Grown::Written(node))));
                    }
                } else if consumer.slot == 0 && self.is_standard(node, MOVES) {
                    outputs.iter().flatten().for_each(|next| go(*next, grown));
                }
            }
        }
        reached
    }

    /// What a node writes into a copy of its first input, if it is a node that does.
    pub(super) fn written(&self, node: NodeId) -> Option<ValueId> {
        let (_, slot) = WRITERS.iter().find(|(name, _)| self.is_standard(node, &[name]))?;
        self.model.inputs(node).get(*slot).copied().flatten()
    }

    /// Whether a value, moved and changed element by element at most, is multiplied or attended to.
    pub(super) fn is_attended(&self, value: ValueId) -> bool {
        self.is_multiplied(value, &HashSet::new(), |_, _| true)
    }

    /// The same, as keys or values that are not put into a cache: a query stands first, and
    /// `growing` are the nodes at which caches grow.
    pub(super) fn is_attended_as_it_is(&self, value: ValueId, growing: &HashSet<NodeId>) -> bool {
        self.is_multiplied(value, growing, |_, slot| slot > 0)
    }

    /// The same, and a softmax stands before or after the product.
    pub(super) fn is_attended_with_softmax(&self, value: ValueId) -> bool {
        self.is_multiplied(value, &HashSet::new(), |product, _| {
            if self.model.name(self.model.node(product).op).contains("Attention") {
                return true;
            }
            let operands: Vec<ValueId> =
                self.model.inputs(product).iter().flatten().copied().collect();
            let results = self.model.outputs(product).iter().flatten().copied().collect();
            self.softmax_before(operands) || self.softmax_after(results)
        })
    }

    /// Whether one of these values came from a softmax.
    fn softmax_before(&self, mut values: Vec<ValueId>) -> bool {
        let mut at = 0;
        while let Some(value) = values.get(at).copied().filter(|_| at < AROUND) {
            at += 1;
            let Producer::Node { node, .. } = self.model.value(value).producer else { continue };
            if self.is_standard(node, &["Softmax"]) {
                return true;
            }
            if self.is_standard(node, MOVES) || self.is_standard(node, ON_THE_WAY) {
                values.extend(self.model.inputs(node).iter().flatten());
            }
        }
        false
    }

    /// Whether a softmax is taken of one of these values.
    fn softmax_after(&self, mut values: Vec<ValueId>) -> bool {
        let mut at = 0;
        while let Some(value) = values.get(at).copied().filter(|_| at < AROUND) {
            at += 1;
            for consumer in self.consumers(value) {
                let node = consumer.node;
                if self.is_standard(node, &["Softmax"]) {
                    return true;
                }
                if self.is_standard(node, MOVES) || self.is_standard(node, ON_THE_WAY) {
                    values.extend(self.model.outputs(node).iter().flatten());
                }
            }
        }
        false
    }

    /// Whether a value, moved and changed element by element at most, comes to a slot of an attention
    /// or of a product that is good enough, on a way around some nodes.
    fn is_multiplied(
        &self,
        value: ValueId,
        around: &HashSet<NodeId>,
        is_good: impl Fn(NodeId, u32) -> bool,
    ) -> bool {
        let mut seen: HashSet<ValueId> = HashSet::from([value]);
        let mut queue = VecDeque::from([value]);
        while let Some(value) = queue.pop_front() {
            let mut go = |next: ValueId| {
                if seen.len() < MAX_VALUES && seen.insert(next) {
                    queue.push_back(next);
                }
            };
            self.same.get(&value).into_iter().flatten().for_each(|next| go(*next));
            for consumer in self.consumers(value) {
                let node = consumer.node;
                let op = self.model.name(self.model.node(node).op);
                if around.contains(&node) {
                    continue;
                }
                let attends = op.contains("MatMul") || op.contains("Attention") || op == "Einsum";
                if attends && is_good(node, consumer.slot) {
                    return true;
                }
                let moved = consumer.slot == 0 && self.is_standard(node, MOVES);
                if moved || self.is_standard(node, ON_THE_WAY) {
                    self.model.outputs(node).iter().flatten().for_each(|next| go(*next));
                }
            }
        }
        false
    }

    /// Whether something was left out because the model has too many ways.
    pub(super) fn gave_up(&self) -> bool {
        self.looks_left.get() == 0
    }

    fn consumers(&self, value: ValueId) -> impl Iterator<Item = &Consumer> {
        self.model.consumers(value).iter().take_while(|_| {
            self.looks_left.set(self.looks_left.get().saturating_sub(1));
            !self.gave_up()
        })
    }

    fn is_standard(&self, node: NodeId, names: &[&str]) -> bool {
        match self.meanings.of(node).kind {
            MeaningKind::Operator(operator) => {
                operator.domain == calipers_ops::ONNX && names.binary_search(&operator.name).is_ok()
            }
            _ => false,
        }
    }

    /// The output that gives back, grown, the cache in an input.
    fn grower_slot(&self, node: NodeId, slot: u32) -> Option<usize> {
        let node = self.model.node(node);
        let domain = canonical_domain(self.model.name(node.domain));
        let op = self.model.name(node.op);
        let row = GROWERS.iter().find(|row| row.0 == domain && row.1 == op)?;
        row.2.iter().find(|pair| pair.0 == slot).map(|pair| pair.1)
    }
}

#[cfg(test)]
mod tests {
    use super::{GROWERS, MOVES, ON_THE_WAY, WRITERS};

    #[test]
    fn the_tables_are_sorted_and_of_known_operators() {
        assert!(MOVES.is_sorted() && ON_THE_WAY.is_sorted());
        let writers = WRITERS.iter().map(|(name, _)| name);
        for name in MOVES.iter().chain(ON_THE_WAY).chain(writers) {
            assert!(calipers_ops::find(calipers_ops::ONNX, name).is_some(), "{name}");
        }
        for (domain, name, _) in GROWERS {
            assert!(calipers_ops::find(domain, name).is_some(), "{domain} {name}");
        }
    }
}
