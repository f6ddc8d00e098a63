//! Where an input's elements go: through operators that move or join tensors without computing.

use std::cell::Cell;
use std::collections::VecDeque;

use calipers_infer::walk::{ResolvedKind, ResolvedOps, subgraphs};
use calipers_ir::{Consumer, Model, NodeId, Producer, ValueId};
use calipers_ops::{Class, InputRole, KernelClass, Movement, Operator};
use hashbrown::{HashMap, HashSet};

use super::liveness;

/// Values looked at from one input. A cache is a few nodes away from where it is used.
const MAX_VALUES: usize = 4_096;

/// Values looked at for a softmax around a product: scaling, a mask and a change of type.
const AROUND: usize = 64;

/// How a cache grew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grown {
    /// `Concat` put new elements next to it.
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
    resolved: ResolvedOps,
    /// Values that are the same value in another graph: a branch's output is the `If`'s.
    same: HashMap<ValueId, Vec<ValueId>>,
    outputs: HashSet<ValueId>,
    /// Uses that may still be looked at, so that a hostile file does not take forever.
    looks_left: Cell<usize>,
}

impl<'a> Flow<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let resolved = ResolvedOps::find(model);
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
            match resolved.get(id).kind {
                ResolvedKind::Call(function) => {
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
        Self { model, resolved, same, outputs, looks_left }
    }

    /// Which values depend on an input.
    pub(super) fn depends(&self) -> Vec<bool> {
        liveness::depends(self.model, &self.resolved)
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
                } else if self.is_movement(node, Movement::Join) {
                    if let Some(next) = output(0) {
                        go(next, grown.or(Some(Grown::Joined(node))));
                    }
                } else if consumer.slot == 0 && self.written(node).is_some() {
                    if let Some(next) = output(0) {
                        go(next, grown.or(Some(Grown::Written(node))));
                    }
                } else if consumer.slot == 0 && self.moves(node) {
                    outputs.iter().flatten().for_each(|next| go(*next, grown));
                }
            }
        }
        reached
    }

    /// What a node writes into a copy of its first input, if it is a node that does.
    pub(super) fn written(&self, node: NodeId) -> Option<ValueId> {
        let Some(Movement::Scatter { updates }) = self.operator(node)?.traits.movement else {
            return None;
        };
        self.model.inputs(node).get(updates).copied().flatten()
    }

    /// Whether a value, moved and changed element by element at most, is multiplied or attended to.
    pub(super) fn is_attended(&self, value: ValueId) -> bool {
        self.is_multiplied(value, &HashSet::new(), |_, _| true)
    }

    /// The same, as keys or values that are not put into a cache: a query is first, and
    /// `growing` are the nodes at which caches grow.
    pub(super) fn is_attended_as_it_is(&self, value: ValueId, growing: &HashSet<NodeId>) -> bool {
        self.is_multiplied(value, growing, |_, slot| slot > 0)
    }

    /// The same, and a softmax is before or after the product.
    pub(super) fn is_attended_with_softmax(&self, value: ValueId) -> bool {
        self.is_multiplied(value, &HashSet::new(), |product, _| {
            if self.is_attention(product) {
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
            if self.is_softmax(node) {
                return true;
            }
            let inputs = self.model.inputs(node).iter();
            let passed = inputs.enumerate().filter(|(slot, _)| self.passes(node, *slot));
            values.extend(passed.filter_map(|(_, input)| *input));
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
                if self.is_softmax(node) {
                    return true;
                }
                if self.passes(node, consumer.slot as usize) {
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
                if around.contains(&node) {
                    continue;
                }
                if self.multiplies(node) && is_good(node, consumer.slot) {
                    return true;
                }
                if self.passes(node, consumer.slot as usize) {
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

    fn is_softmax(&self, node: NodeId) -> bool {
        self.operator(node).is_some_and(|operator| operator.traits.class == Class::Softmax)
    }

    fn is_movement(&self, node: NodeId, movement: Movement) -> bool {
        self.operator(node).is_some_and(|operator| operator.traits.movement == Some(movement))
    }

    /// Whether a node attends: by its row, or by its name where it has none.
    fn is_attention(&self, node: NodeId) -> bool {
        match self.operator(node) {
            Some(operator) => operator.traits.class == Class::Attention,
            None => self.model.name(self.model.node(node).op).contains("Attention"),
        }
    }

    /// Whether a node attends, or is a matrix product.
    fn multiplies(&self, node: NodeId) -> bool {
        let is_product = |operator: &Operator| {
            operator.traits.kernel == KernelClass::Gemm && !operator.traits.convolves
        };
        self.is_attention(node) || self.operator(node).is_some_and(is_product)
    }

    /// Whether the elements of an input reach the outputs moved, joined with others, or changed one
    /// by one.
    fn passes(&self, node: NodeId, slot: usize) -> bool {
        let Some(operator) = self.operator(node) else { return false };
        let arithmetic = match operator.role(slot) {
            InputRole::Added
            | InputRole::Divided
            | InputRole::Joined
            | InputRole::Moved
            | InputRole::Multiplied
            | InputRole::Subtracted => operator.traits.is_elementwise(),
            _ => false,
        };
        let joined = self.is_movement(node, Movement::Join);
        let repeated = slot == 0 && self.is_movement(node, Movement::Repeat);
        arithmetic || joined || repeated || slot == 0 && self.moves(node)
    }

    /// The operator of a node, unless it calls a function of the model.
    fn operator(&self, node: NodeId) -> Option<&'static Operator> {
        match self.resolved.get(node).kind {
            ResolvedKind::Operator(operator) => Some(operator),
            _ => None,
        }
    }

    /// Whether the outputs of a node hold elements of its first input and nothing else.
    fn moves(&self, node: NodeId) -> bool {
        let movement = self.operator(node).and_then(|operator| operator.traits.movement);
        movement.is_some_and(Movement::keeps_elements)
    }

    /// The output that gives back, grown, the cache in an input.
    fn grower_slot(&self, node: NodeId, slot: u32) -> Option<usize> {
        let caches = self.operator(node)?.traits.caches;
        let cache = caches.iter().find(|(input, _)| u32::try_from(*input) == Ok(slot))?;
        Some(cache.1)
    }
}
