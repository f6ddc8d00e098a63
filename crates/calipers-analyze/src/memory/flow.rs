//! Where an input's elements go: through operators that move or join tensors without computing.

use std::cell::Cell;
use std::collections::VecDeque;

use calipers_ir::{Consumer, Model, NodeId, ValueId};
use calipers_ops::canonical_domain;
use hashbrown::{HashMap, HashSet};

use crate::walk::{MeaningKind, Meanings, subgraphs};

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

/// An operator that takes caches and gives them back grown: its domain and name, and for each cache
/// the slots of input and output.
type Grower = (&'static str, &'static str, &'static [(u32, usize)]);

/// All such operators.
const GROWERS: &[Grower] = &[
    (calipers_ops::ONNX, "Attention", &[(4, 1), (5, 2)]),
    (calipers_ops::ONNX, "TensorScatter", &[(0, 0)]),
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
}

/// An output of the model that an input's elements reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) output: ValueId,
    pub(super) grown: Grown,
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
                } else if consumer.slot == 0 && self.is_standard(node, MOVES) {
                    outputs.iter().flatten().for_each(|next| go(*next, grown));
                }
            }
        }
        reached
    }

    /// Whether a value, moved and changed element by element at most, is multiplied or attended to.
    pub(super) fn is_attended(&self, value: ValueId) -> bool {
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
                if op.contains("MatMul") || op.contains("Attention") || op == "Einsum" {
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
    use super::{GROWERS, MOVES, ON_THE_WAY};

    #[test]
    fn the_tables_are_sorted_and_of_known_operators() {
        assert!(MOVES.is_sorted() && ON_THE_WAY.is_sorted());
        for name in MOVES.iter().chain(ON_THE_WAY) {
            assert!(calipers_ops::find(calipers_ops::ONNX, name).is_some(), "{name}");
        }
        for (domain, name, _) in GROWERS {
            assert!(calipers_ops::find(domain, name).is_some(), "{domain} {name}");
        }
    }
}
