//! Tokens that a router sends to each expert.
//!
//! Exporters write a mixture of experts out: `TopK` chooses experts for every token, and `NonZero`
//! finds the tokens of each expert. How many an expert gets depends on the data, so it is a dimension
//! without a size. But all experts of a layer together get `k` times the tokens, and an expert gets a
//! token once at most.
//!
//! | mask of an expert | written by |
//! |---|---|
//! | `OneHot` of the chosen experts, `Transpose`, `Gather` or `Slice` of one expert | PyTorch's `one_hot` (Mixtral, Qwen) |
//! | `Equal` with all numbers of experts, then the same | the same, decomposed |
//! | `Equal` with the number of one expert | `torch.where(chosen == expert)` (DeepSeek) |

use std::collections::BTreeMap;

use calipers_infer::{CostTotal, Typed};
use calipers_ir::{AttributeValue, List, Model, NodeId, Producer, ValueId};
use calipers_ops::{Elem, Movement, Operator, canonical_domain};
use calipers_sym::{Expr, Symbol};

use crate::assume::{self, Assumed, Role, Sizes};

/// Nodes between a mask and the choice of experts.
const MAX_STEPS: usize = 16;

/// What is known of the counts of all experts.
#[derive(Debug, Default)]
pub struct Experts {
    /// The count of a layer's last expert, by those of the others.
    replacements: BTreeMap<Symbol, Expr>,
    /// The most tokens that each expert may get.
    most: BTreeMap<String, Expr>,
}

/// The tokens of one expert: the choice that they come from, and the number of the expert.
struct Share {
    chosen: NodeId,
    expert: i64,
}

impl Experts {
    /// Finds the experts of every layer of the main graph.
    pub fn find(model: &Model, typed: &Typed) -> Self {
        let mut layers: BTreeMap<NodeId, BTreeMap<i64, Symbol>> = BTreeMap::new();
        for node in &model.main().order {
            if operator(model, *node).is_none_or(|row| row.name != "NonZero") {
                continue;
            }
            let count = model.outputs(*node).first().copied().flatten().and_then(|output| {
                let dims = typed.fact(output).as_tensor()?.dims()?;
                dims.get(1)?.as_symbol().cloned()
            });
            let share = model.inputs(*node).first().copied().flatten();
            if let Some(count) = count
                && let Some(share) = share.and_then(|mask| share_of_mask(model, typed, mask))
            {
                layers.entry(share.chosen).or_default().insert(share.expert, count);
            }
        }
        let mut found = Self::default();
        for (chosen, counts) in layers {
            found.add_layer(model, typed, chosen, counts);
        }
        found
    }

    fn add_layer(
        &mut self,
        model: &Model,
        typed: &Typed,
        chosen: NodeId,
        counts: BTreeMap<i64, Symbol>,
    ) {
        let Some((experts, choices, tokens)) = choice(model, typed, chosen) else { return };
        for count in counts.values() {
            self.most.insert(count.name().to_owned(), tokens.clone());
        }
        // A token that goes to an expert without a mask is in none of the counts.
        if !counts.keys().copied().eq(0..experts) {
            return;
        }
        let mut counts: Vec<Symbol> = counts.into_values().collect();
        let Some(last) = counts.pop() else { return };
        let others: Expr = counts.iter().map(Expr::symbol).sum();
        self.replacements.insert(last, choices - others);
    }

    /// Whether no count is known to be that of an expert.
    pub fn is_empty(&self) -> bool {
        self.most.is_empty()
    }

    /// Returns a cost with the counts of each layer added up. Where all experts of a layer cost the
    /// same for a token, none of the counts is left.
    pub fn add_up(&self, cost: &CostTotal) -> CostTotal {
        let settle = |expr: &Expr| expr.substitute(&self.replacements);
        CostTotal {
            macs: settle(&cost.macs),
            other_flops: settle(&cost.other_flops),
            bytes_moved: settle(&cost.bytes_moved),
        }
    }

    /// Returns the sizes with every expert at the most tokens that it may get; `None` where there
    /// are not experts.
    pub fn largest_sizes(&self, sizes: &Sizes) -> Option<Sizes> {
        let mut largest = sizes.clone();
        for (name, most) in &self.most {
            let size = assume::evaluate(most, sizes)?;
            let why = "the most tokens that a router can send to an expert";
            largest.insert(name.clone(), Assumed { size, why, role: Role::Other });
        }
        (!self.is_empty()).then_some(largest)
    }
}

/// What `TopK` chooses from and how often: experts, all choices, and tokens.
fn choice(model: &Model, typed: &Typed, node: NodeId) -> Option<(i64, Expr, Expr)> {
    let dims = |value: ValueId| typed.fact(value).as_tensor()?.dims();
    let scores = dims(model.inputs(node).first().copied().flatten()?)?;
    let chosen = dims(model.outputs(node).get(1).copied().flatten()?)?;
    let axis = match model.attribute(node, "axis") {
        Some(AttributeValue::Int(axis)) => from_front(*axis, scores.len())?,
        _ => scores.len().checked_sub(1)?,
    };
    let tokens = chosen.iter().enumerate().filter(|(at, _)| *at != axis);
    let tokens = tokens.fold(Expr::from(1), |product, (_, dim)| &product * dim);
    Some((scores.get(axis)?.as_const()?, &tokens * chosen.get(axis)?, tokens))
}

/// The expert that a mask of `[…]` choices is for.
fn share_of_mask(model: &Model, typed: &Typed, mask: ValueId) -> Option<Share> {
    let mut value = mask;
    for _ in 0..MAX_STEPS {
        let (row, node) = producer(model, value)?;
        let inputs = model.inputs(node);
        let first = inputs.first().copied().flatten()?;
        match row.name {
            "Equal" => {
                let (chosen, number) = [(0, 1), (1, 0)].into_iter().find_map(|(a, b)| {
                    let numbers = numbers(typed, inputs.get(b).copied().flatten()?)?;
                    Some((inputs.get(a).copied().flatten()?, numbers))
                })?;
                let [expert] = number[..] else { return None };
                return Some(Share { chosen: choice_behind(model, chosen)?, expert });
            }
            "Gather" => {
                let at = numbers(typed, inputs.get(1).copied().flatten()?)?;
                let [expert] = at[..] else { return None };
                let rank = typed.fact(first).as_tensor()?.dims()?.len();
                let axis = from_front(int(model, node, "axis").unwrap_or(0), rank)?;
                return one_hot(model, typed, first, axis).map(|chosen| Share { chosen, expert });
            }
            "Slice" => {
                let rank = typed.fact(first).as_tensor()?.dims()?.len();
                let (axis, expert) = slice_of_one(model, typed, node, rank)?;
                return one_hot(model, typed, first, axis).map(|chosen| Share { chosen, expert });
            }
            _ if passes(row) => value = first,
            _ => return None,
        }
    }
    None
}

/// The axis and the place of a `Slice` that takes one entry.
fn slice_of_one(model: &Model, typed: &Typed, node: NodeId, rank: usize) -> Option<(usize, i64)> {
    let inputs = model.inputs(node);
    let number = |slot: usize| match numbers(typed, inputs.get(slot).copied().flatten()?)?[..] {
        [number] => Some(number),
        _ => None,
    };
    let (from, to) = (number(1)?, number(2)?);
    let axis = from_front(number(3)?, rank)?;
    (from >= 0 && to == from.checked_add(1)?).then_some((axis, from))
}

/// The choice whose experts are the entries along an axis.
fn one_hot(model: &Model, typed: &Typed, value: ValueId, axis: usize) -> Option<NodeId> {
    let (mut value, mut axis) = (value, axis);
    for _ in 0..MAX_STEPS {
        let (row, node) = producer(model, value)?;
        let inputs = model.inputs(node);
        let first = inputs.first().copied().flatten()?;
        let rank = typed.fact(value).as_tensor()?.dims()?.len();
        match row.name {
            "OneHot" => {
                let at = from_front(int(model, node, "axis").unwrap_or(-1), rank)?;
                return if at == axis { choice_behind(model, first) } else { None };
            }
            "Equal" => {
                let second = inputs.get(1).copied().flatten()?;
                let (chosen, experts) = match (numbers(typed, second), numbers(typed, first)) {
                    (Some(experts), _) => (first, experts),
                    (None, Some(experts)) => (second, experts),
                    (None, None) => return None,
                };
                let count = i64::try_from(experts.len()).ok()?;
                let all = experts.into_iter().eq(0..count) && axis + 1 == rank;
                return if all { choice_behind(model, chosen) } else { None };
            }
            "Transpose" => {
                axis = match model.attribute(node, "perm") {
                    Some(AttributeValue::Ints(List::Held(order))) => {
                        usize::try_from(*order.get(axis)?).ok()?
                    }
                    _ => rank.checked_sub(axis + 1)?,
                };
                value = first;
            }
            _ if row.traits.movement == Some(Movement::Convert) || row.name == "Identity" => {
                value = first;
            }
            _ => return None,
        }
    }
    None
}

/// The `TopK` that gives a value as its indices, past views and conversions.
fn choice_behind(model: &Model, value: ValueId) -> Option<NodeId> {
    let mut value = value;
    for _ in 0..MAX_STEPS {
        let (row, node) = producer(model, value)?;
        if row.name == "TopK" {
            let indices = model.outputs(node).get(1).copied().flatten();
            return (indices == Some(value)).then_some(node);
        }
        value = model.inputs(node).first().copied().flatten().filter(|_| passes(row))?;
    }
    None
}

/// Whether an operator keeps every element of its first input once.
fn passes(row: &Operator) -> bool {
    let kept = |it| matches!(it, Movement::View | Movement::Transpose | Movement::Convert);
    row.traits.movement.is_some_and(kept)
}

fn operator(model: &Model, node: NodeId) -> Option<&'static Operator> {
    let node = model.node(node);
    calipers_ops::find(canonical_domain(model.name(node.domain)), model.name(node.op))
}

fn producer(model: &Model, value: ValueId) -> Option<(&'static Operator, NodeId)> {
    let Producer::Node { node, .. } = model.value(value).producer else { return None };
    Some((operator(model, node)?, node))
}

fn int(model: &Model, node: NodeId, name: &str) -> Option<i64> {
    match model.attribute(node, name)? {
        AttributeValue::Int(value) => Some(*value),
        _ => None,
    }
}

/// The elements of a small constant of whole numbers.
fn numbers(typed: &Typed, value: ValueId) -> Option<Vec<i64>> {
    let elements = typed.fact(value).as_tensor()?.value.as_ref()?;
    let number = |element: &Elem| match element {
        Elem::Int(expr) => expr.as_const(),
        _ => None,
    };
    elements.iter().map(number).collect()
}

fn from_front(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
    usize::try_from(axis).ok().filter(|_| axis < rank)
}

#[cfg(test)]
mod tests;
