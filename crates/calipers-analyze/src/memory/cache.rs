//! The cache of keys and values that a decoder carries from step to step.
//!
//! No file says that an input is a cache; the graph shows it. An input is one when its elements, with
//! freshly computed ones put beside them along one axis, come back as an output that differs from
//! it in that axis alone, and are multiplied or attended to on the way. Or when it stands in the
//! slot of an attention operator that is for caches, and what that operator gives back is an output.
//! Names are never asked.
//!
//! Layouts: `[batch, heads, past, size]`, `[batch, past, heads, size]`, `[batch, heads, size, past]`,
//! with axes of fixed sizes before them when keys and values, or layers, are stacked; and
//! `[batch, past, hidden]`, in which heads cannot be told apart.
//!
//! In a model with such caches, inputs of the same layout that are attended to and do not grow hold
//! what was computed from an encoder's output: their bytes are fixed.

use std::cmp::Ordering;

use calipers_ir::{DType, Model, ValueId};
use calipers_ops::TensorFact;
use calipers_report::{KvCache, Unknown};
use calipers_sym::Expr;
use hashbrown::HashSet;

use super::flow::{Flow, Grown, Reached};
use super::{Size, size};
use crate::assume::{self, Sizes};
use crate::graph::fed_inputs;
use crate::infer::Typed;
use crate::not_known;

/// Inputs that are looked at; the largest decoders have a few hundred caches.
const MAX_INPUTS: usize = 4_096;

/// Pairs that the evidence names; it counts them all.
const NAMED: usize = 2;

/// One input that is a cache.
struct Cache {
    /// Caches stacked in it.
    stacked: u64,
    heads: Option<u64>,
    head_dim: Option<u64>,
    dtype: DType,
    rank: usize,
    /// Bytes of one position of one sequence.
    bytes: Option<u64>,
    /// Positions it has after the run.
    tokens: Option<u64>,
}

/// The model's cache, if it carries one.
pub(super) fn find(
    model: &Model,
    typed: &Typed,
    sizes: &Sizes,
    depends: &[bool],
    unknown: &mut Vec<Unknown>,
) -> Option<KvCache> {
    let inputs: Vec<(ValueId, &TensorFact)> = fed_inputs(model)
        .into_iter()
        .filter_map(|input| Some((input, typed.fact(input).as_tensor()?)))
        .filter(|(_, tensor)| could_be_cache(tensor))
        .take(MAX_INPUTS)
        .collect();
    if inputs.is_empty() {
        return None;
    }
    let flow = Flow::new(model);
    let mut caches = Vec::new();
    let mut evidence = Vec::new();
    let mut taken = HashSet::new();
    let mut others = Vec::new();
    for (input, tensor) in inputs {
        let grown = flow.grown_outputs(input).into_iter().find_map(|reached| {
            let axis = grown_axis(model, typed, depends, &flow, tensor, reached)?;
            let mut cache = described(tensor, axis)?;
            let present = typed.fact(reached.output).as_tensor();
            let length = present.and_then(|present| present.dims()?.get(axis));
            cache.tokens =
                length.and_then(|length| u64::try_from(assume::evaluate(length, sizes)?).ok());
            taken.insert(reached.output).then_some((reached, cache))
        });
        let Some((reached, cache)) = grown else {
            others.push((input, tensor));
            continue;
        };
        if evidence.len() < NAMED {
            evidence.push(told(model, typed, input, reached));
        }
        caches.push(cache);
    }
    if flow.gave_up() {
        let reason = "its inputs are used in more ways than are looked at";
        not_known(unknown, "memory.kv_cache", reason);
        return None;
    }
    let first = caches.first()?;
    if caches.len() > NAMED {
        evidence.push(format!("{} inputs come back grown in all", caches.len()));
    }
    let fixed: Vec<_> = others
        .into_iter()
        .filter(|(input, tensor)| is_like(tensor, first) && flow.is_attended(*input))
        .collect();
    if let Some((input, _)) = fixed.first() {
        let name = model.name(model.value(*input).name);
        let count = fixed.len();
        evidence.push(format!("{count} inputs such as {name} are attended to and do not grow"));
    }
    let fixed_bytes = fixed.iter().try_fold(0_u64, |sum, (input, tensor)| {
        match size(typed.fact(*input), sizes) {
            // Of one sequence, whatever the batch.
            Size::Bytes(bytes) => {
                let batch =
                    assume::evaluate(&tensor.dims()?[tensor.rank()?.checked_sub(4)?], sizes)?;
                sum.checked_add(bytes.checked_div(u64::try_from(batch).ok()?)?)
            }
            _ => None,
        }
    });
    let bytes_per_token = caches.iter().try_fold(0_u64, |sum, cache| sum.checked_add(cache.bytes?));
    if bytes_per_token.is_none() {
        let reason = "a dimension of a cache beside batch and length is free";
        not_known(unknown, "memory.kv_cache.bytes_per_token", reason);
    }
    if fixed_bytes.is_none() {
        let reason = "a dimension of a cache that does not grow is decided by the data";
        not_known(unknown, "memory.kv_cache.fixed_bytes", reason);
    }
    let context = agreed(caches.iter().map(|cache| cache.tokens));
    let bytes_at_context = context
        .zip(bytes_per_token)
        .zip(fixed_bytes)
        .and_then(|((context, token), fixed)| context.checked_mul(token)?.checked_add(fixed));
    let tensors = caches.iter().fold(0_u64, |sum, cache| sum.saturating_add(cache.stacked));
    let mut dtypes: Vec<String> = caches.iter().map(|cache| cache.dtype.to_string()).collect();
    dtypes.dedup();
    Some(KvCache {
        layers: tensors.div_ceil(2),
        kv_heads: agreed(caches.iter().map(|cache| cache.heads)),
        head_dim: agreed(caches.iter().map(|cache| cache.head_dim)),
        dtype: if dtypes.len() == 1 { dtypes.swap_remove(0) } else { "mixed".to_owned() },
        bytes_per_token,
        fixed_bytes,
        context,
        bytes_at_context,
        evidence,
    })
}

/// What all say, if they say the same.
fn agreed(mut figures: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = figures.next()??;
    figures.all(|figure| figure == Some(first)).then_some(first)
}

/// Tensors of three to six dimensions that do not hold indices or truth values.
fn could_be_cache(tensor: &TensorFact) -> bool {
    let numbers = !matches!(
        tensor.dtype,
        DType::Int64 | DType::Int32 | DType::Bool | DType::String | DType::Undefined
    );
    numbers && tensor.rank().is_some_and(|rank| (3..=6).contains(&rank))
}

/// The axis along which an output has more than the input; `None` when it is no cache.
fn grown_axis(
    model: &Model,
    typed: &Typed,
    depends: &[bool],
    flow: &Flow<'_>,
    past: &TensorFact,
    reached: Reached,
) -> Option<usize> {
    let present = typed.fact(reached.output).as_tensor()?;
    let (before, after) = (past.dims()?, present.dims());
    let differing: Option<Vec<usize>> =
        after.filter(|after| after.len() == before.len()).map(|after| {
            (0..before.len()).filter(|axis| !before[*axis].always_eq(&after[*axis])).collect()
        });
    match reached.grown {
        Grown::Inside(_) => match differing.as_deref() {
            Some([axis]) => Some(*axis),
            // Keys and values of these operators are `[batch, heads, length, size]`, stacked or not.
            _ => before.len().checked_sub(2),
        },
        Grown::Joined(node) => {
            let (after, [axis]) = (after?, differing.as_deref()?) else { return None };
            let shrinks = matches!(
                after[*axis].compare(&before[*axis]),
                Some(Ordering::Less | Ordering::Equal)
            );
            let joined = model.outputs(node).first().copied().flatten()?;
            let fresh = model.inputs(node).iter().flatten().filter(|v| depends[v.index()]).count();
            (!shrinks && fresh >= 2 && flow.is_attended(joined)).then_some(*axis)
        }
    }
}

/// What a cache holds, when it grows along this axis.
fn described(tensor: &TensorFact, axis: usize) -> Option<Cache> {
    let dims = tensor.dims()?;
    let rank = dims.len();
    let batch = rank.saturating_sub(4);
    if axis <= batch {
        return None;
    }
    let stacked = product(dims[..batch].iter())?;
    let mut inside = dims.iter().enumerate().skip(batch + 1).filter(|(at, _)| *at != axis);
    let (heads, head_dim) = match (inside.next(), inside.next()) {
        (Some((_, heads)), Some((_, size))) => (number(heads), number(size)),
        // Heads may be folded into the batch: `batch*32`.
        _ => match (folded(&dims[batch]), dims.iter().enumerate().skip(1).find(|d| d.0 != axis)) {
            (Some(heads), Some((_, size))) => (Some(heads), number(size)),
            _ => (None, None),
        },
    };
    let beside = dims.iter().enumerate().filter(|(at, _)| *at != axis && *at != batch);
    let elements = product(beside.map(|(_, dim)| dim))
        .and_then(|elements| elements.checked_mul(folded(&dims[batch]).unwrap_or(1)));
    let bytes = elements.and_then(|elements| tensor.dtype.bytes(elements));
    Some(Cache { stacked, heads, head_dim, dtype: tensor.dtype, rank, bytes, tokens: None })
}

fn number(dim: &Expr) -> Option<u64> {
    dim.as_const().and_then(|size| u64::try_from(size).ok())
}

/// Product of dimensions that are all numbers.
fn product<'a>(mut dims: impl Iterator<Item = &'a Expr>) -> Option<u64> {
    dims.try_fold(1_u64, |product, dim| product.checked_mul(number(dim)?))
}

/// The number that multiplies the batch in a dimension.
fn folded(batch: &Expr) -> Option<u64> {
    let mut terms = batch.terms();
    match (terms.next(), terms.next()) {
        (Some((factor, powers)), None) if !powers.is_empty() && factor > 1 => {
            u64::try_from(factor).ok()
        }
        _ => None,
    }
}

/// Whether a tensor has the layout and the heads of a cache.
fn is_like(tensor: &TensorFact, cache: &Cache) -> bool {
    let Some(dims) = tensor.dims().filter(|dims| dims.len() >= 4) else { return false };
    let has = |figure: Option<u64>| {
        figure.is_some_and(|figure| dims.iter().any(|dim| number(dim) == Some(figure)))
    };
    let same = dims.len() == cache.rank && tensor.dtype == cache.dtype;
    same && has(cache.heads) && has(cache.head_dim)
}

fn told(model: &Model, typed: &Typed, input: ValueId, reached: Reached) -> String {
    let text =
        |value: ValueId| format!("{} {}", model.name(model.value(value).name), typed.fact(value));
    let (Grown::Joined(node) | Grown::Inside(node)) = reached.grown;
    let label = model.node_label(node);
    let how = match reached.grown {
        Grown::Joined(_) => format!("joined with new elements at {label}"),
        Grown::Inside(_) => format!("the cache of {} at {label}", model.name(model.node(node).op)),
    };
    format!("{} is {how} and comes back as {}", text(input), text(reached.output))
}
