//! The cache of keys and values that a decoder carries from step to step.
//!
//! No file says that an input is a cache; the graph shows it. An input is one when its elements, with
//! freshly computed ones put next to them along one axis, come back as an output that differs from
//! it in that axis alone, and are multiplied or attended to on the way. Or when it is in the
//! slot of an attention operator that is for caches, and what that operator gives back is an output.
//! Or when freshly computed elements are written into it by a scattering operator, and it comes back
//! with the same shape, and a softmax is before or after the product with it: a cache of fixed
//! length. Names are never asked.
//!
//! Layouts: `[batch, heads, past, size]`, `[batch, past, heads, size]`, `[batch, heads, size, past]`,
//! with axes of fixed sizes before them when keys and values, or layers, are stacked; and
//! `[batch, past, hidden]`, in which heads cannot be determined apart.
//!
//! In a model with such caches, inputs of the same layout that are attended to and do not grow hold
//! what was computed from an encoder's output: their bytes are fixed.

use std::cmp::Ordering;

use calipers_infer::Typed;
use calipers_ir::{AttributeValue, DType, Model, NodeId, ValueId};
use calipers_ops::TensorFact;
use calipers_report::{KvCache, Unknown, units};
use calipers_sym::Expr;
use hashbrown::HashSet;

use super::flow::{Flow, Grown, Reached};
use super::{Size, size};
use crate::assume::{self, Sizes};
use crate::not_known;

/// Inputs that are looked at; the largest decoders have a few hundred caches.
const MAX_INPUTS: usize = 4_096;

/// Pairs that the evidence names; it counts them all.
const NAMED: usize = 2;

/// One input that is a cache, and the output as which it comes back.
struct Cache {
    input: ValueId,
    reached: Reached,
    /// The axis of the positions.
    axis: usize,
    /// Caches stacked in it.
    stacked: u64,
    heads: Option<u64>,
    head_dim: Option<u64>,
    dtype: DType,
    rank: usize,
    /// Bytes of one position of one sequence.
    bytes: Option<u64>,
    /// How far back its attention looks, where that is limited.
    window: Option<u64>,
}

/// The caches that a model carries.
#[derive(Default)]
pub struct Caches {
    caches: Vec<Cache>,
    /// Inputs like them that are attended to and do not grow.
    fixed: Vec<ValueId>,
    gave_up: bool,
}

/// How many positions a cache has before a run, and after it.
pub struct Lengths<'a> {
    /// Positions before the run.
    pub past: &'a Expr,
    /// Positions after the run.
    pub present: Option<&'a Expr>,
}

impl Caches {
    /// Looks for inputs that are caches.
    pub fn find(model: &Model, typed: &Typed) -> Self {
        let inputs: Vec<(ValueId, &TensorFact)> = model
            .required_inputs()
            .into_iter()
            .filter_map(|input| Some((input, typed.fact(input).as_tensor()?)))
            .filter(|(_, tensor)| could_be_cache(tensor))
            .take(MAX_INPUTS)
            .collect();
        if inputs.is_empty() {
            return Self::default();
        }
        let flow = Flow::new(model);
        let search = Search { model, typed, depends: flow.depends(), flow: &flow };
        let mut caches = Vec::new();
        let mut taken = HashSet::new();
        let mut others = Vec::new();
        for (input, tensor) in inputs {
            let found = flow.grown_outputs(input).into_iter().find_map(|reached| {
                let axis = search.length_axis(tensor, reached)?;
                let mut cache = described(tensor, axis, input, reached)?;
                cache.window = search.window(reached);
                taken.insert(reached.output).then_some(cache)
            });
            match found {
                Some(cache) => caches.push(cache),
                None => others.push((input, tensor)),
            }
        }
        let growing: HashSet<NodeId> = caches.iter().map(|cache| cache.reached.node()).collect();
        let is_fixed = |(input, tensor): &(ValueId, &TensorFact)| {
            caches.first().is_some_and(|first| is_like(tensor, first))
                && flow.is_attended_as_it_is(*input, &growing)
        };
        let fixed = others.into_iter().filter(is_fixed).map(|(input, _)| input).collect();
        Self { caches, fixed, gave_up: flow.gave_up() }
    }

    /// Positions of each cache before and after.
    pub fn lengths<'a>(&self, typed: &'a Typed) -> Vec<Lengths<'a>> {
        let length = |value: ValueId, axis: usize| typed.fact(value).as_tensor()?.dims()?.get(axis);
        let of = |cache: &Cache| {
            let past = length(cache.input, cache.axis)?;
            Some(Lengths { past, present: length(cache.reached.output, cache.axis) })
        };
        self.caches.iter().filter_map(of).collect()
    }

    /// Every cache with its value before a run and after it, and those that do not grow.
    pub fn values(&self) -> impl Iterator<Item = (ValueId, Option<ValueId>)> {
        let growing = self.caches.iter().map(|cache| (cache.input, Some(cache.reached.output)));
        growing.chain(self.fixed.iter().map(|input| (*input, None)))
    }

    /// The report's cache section at these sizes; `None` when there is no cache.
    pub(super) fn describe(
        &self,
        model: &Model,
        typed: &Typed,
        sizes: &Sizes,
        unknown: &mut Vec<Unknown>,
    ) -> Option<KvCache> {
        if self.gave_up {
            let reason = "too many paths from the inputs to search";
            not_known(unknown, "memory.kv_cache", reason);
            return None;
        }
        let caches = &self.caches;
        caches.first()?;
        let at = |dim: &Expr| u64::try_from(assume::evaluate(dim, sizes)?).ok();
        let fixed_bytes = self.fixed.iter().try_fold(0_u64, |sum, input| {
            let Size::Bytes(bytes) = size(typed.fact(*input), sizes) else { return None };
            // Of one sequence, whatever the batch.
            sum.checked_add(bytes.checked_div(at(batch_of(typed, *input)?)?)?)
        });
        let per_token = |sum: u64, cache: &Cache| sum.checked_add(cache.bytes?);
        let bytes_per_token = caches.iter().try_fold(0, per_token);
        if bytes_per_token.is_none() {
            let reason = "a cache dimension other than batch and length is free";
            not_known(unknown, "memory.kv_cache.bytes_per_token", reason);
        }
        if fixed_bytes.is_none() {
            let reason = "a dimension of a constant-length cache depends on the data";
            not_known(unknown, "memory.kv_cache.fixed_bytes", reason);
        }
        let lengths = self.lengths(typed);
        let tokens: Vec<Option<u64>> = lengths.iter().map(|length| at(length.present?)).collect();
        // Of one sequence, each cache cut to as many positions as `kept` says.
        let bytes_of = |kept: fn(u64, &Cache) -> u64| {
            let all = caches.iter().zip(&tokens).try_fold(0_u64, |sum, (cache, tokens)| {
                sum.checked_add(kept((*tokens)?, cache).checked_mul(cache.bytes?)?)
            });
            all?.checked_add(fixed_bytes?)
        };
        let bytes_at_context = bytes_of(|tokens, _| tokens);
        if bytes_at_context.is_none() && bytes_per_token.is_some() && fixed_bytes.is_some() {
            let reason = "the number of cached tokens after the run depends on the data";
            not_known(unknown, "memory.kv_cache.bytes_at_context", reason);
        }
        let windows = || caches.iter().filter(|cache| cache.window.is_some());
        let limited = |tokens: u64, cache: &Cache| tokens.min(cache.window.unwrap_or(tokens));
        let sequences = caches.iter().map(|cache| {
            // Heads that are in the batch are not sequences.
            let batch = batch_of(typed, cache.input)?;
            at(batch)?.checked_div(folded(batch).unwrap_or(1))
        });
        let mut dtypes: Vec<String> = caches.iter().map(|cache| cache.dtype.to_string()).collect();
        dtypes.dedup();
        Some(KvCache {
            layers: layers(caches.iter()),
            kv_heads: agreed(caches.iter().map(|cache| cache.heads)),
            head_dim: agreed(caches.iter().map(|cache| cache.head_dim)),
            dtype: if dtypes.len() == 1 { dtypes.swap_remove(0) } else { "mixed".to_owned() },
            bytes_per_token,
            fixed_bytes,
            context: agreed(tokens.iter().copied()),
            bytes_at_context,
            sequences: agreed(sequences),
            window: agreed(windows().map(|cache| cache.window)),
            windowed_layers: layers(windows()),
            bytes_in_window: windows().next().and_then(|_| bytes_of(limited)),
            evidence: self.evidence(model, typed),
        })
    }

    /// What shows that there are caches.
    fn evidence(&self, model: &Model, typed: &Typed) -> Vec<String> {
        let named = self.caches.iter().take(NAMED);
        let mut evidence: Vec<String> = named.map(|cache| reported(model, typed, cache)).collect();
        if self.caches.len() > NAMED {
            evidence.push(format!("{} cache inputs in total", self.caches.len()));
        }
        if let Some(input) = self.fixed.first() {
            let name = model.name(model.value(*input).name);
            let count = self.fixed.len();
            let inputs = units::counted(count as u64, "input", "inputs");
            evidence
                .push(format!("{inputs} of constant length, such as {name}, for cross-attention"));
        }
        evidence
    }
}

/// Layers of these caches. Each layer has one for keys and one for values.
fn layers<'a>(caches: impl Iterator<Item = &'a Cache>) -> u64 {
    caches.fold(0_u64, |sum, cache| sum.saturating_add(cache.stacked)).div_ceil(2)
}

/// The batch dimension of a cache.
fn batch_of(typed: &Typed, input: ValueId) -> Option<&Expr> {
    let dims = typed.fact(input).as_tensor()?.dims()?;
    dims.get(dims.len().saturating_sub(4))
}

/// The value that all share, if they do.
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

/// What the recognition of one cache looks at.
struct Search<'a> {
    model: &'a Model,
    typed: &'a Typed,
    /// Which values depend on an input.
    depends: Vec<bool>,
    flow: &'a Flow<'a>,
}

impl Search<'_> {
    /// The axis of the positions; `None` when the input is not a cache.
    fn length_axis(&self, past: &TensorFact, reached: Reached) -> Option<usize> {
        let before = past.dims()?;
        let after = self.typed.fact(reached.output).as_tensor()?.dims();
        let differing: Option<Vec<usize>> =
            after.filter(|after| after.len() == before.len()).map(|after| {
                (0..before.len()).filter(|axis| !before[*axis].always_eq(&after[*axis])).collect()
            });
        match reached.grown {
            Grown::Inside(_) => match differing.as_deref() {
                Some([axis]) => Some(*axis),
                // Keys and values of these operators are `[batch, heads, length, size]`, stacked
                // or not.
                _ => before.len().checked_sub(2),
            },
            Grown::Joined(node) => {
                let (after, [axis]) = (after?, differing.as_deref()?) else { return None };
                let shrinks = matches!(
                    after[*axis].compare(&before[*axis]),
                    Some(Ordering::Less | Ordering::Equal)
                );
                let fresh = self.model.inputs(node).iter().flatten();
                let fresh = fresh.filter(|value| self.depends[value.index()]).count();
                let joined = self.output(node)?;
                (!shrinks && fresh >= 2 && self.flow.is_attended(joined)).then_some(*axis)
            }
            // Buffers that are written into are many things. A cache keeps its shape, has heads,
            // and is next to a softmax.
            Grown::Written(node) => {
                let written = self.flow.written(node)?;
                let kept = before.len() >= 4 && differing?.is_empty();
                let fresh = self.depends[written.index()];
                (kept && fresh && self.flow.is_attended_with_softmax(self.output(node)?))
                    .then(|| self.written_axis(node, before))?
            }
        }
    }

    /// The axis of a buffer along which a node writes into it.
    fn written_axis(&self, node: NodeId, buffer: &[Expr]) -> Option<usize> {
        let layout = buffer.len().checked_sub(2);
        let dims = |slot: usize| {
            let value = self.model.inputs(node).get(slot).copied().flatten()?;
            self.typed.fact(value).as_tensor()?.dims()
        };
        let Some(data) = dims(0) else { return layout };
        let axis = match self.model.name(self.model.node(node).op) {
            // The last of the axes that an index names.
            "ScatterND" => dims(1).and_then(|indices| indices.last()?.as_const()?.checked_sub(1)),
            op => {
                let usual = if op == "TensorScatter" { -2 } else { 0 };
                let axis = self.int(node, "axis").unwrap_or(usual);
                let rank = i64::try_from(data.len()).ok()?;
                Some(if axis < 0 { axis.saturating_add(rank) } else { axis })
            }
        };
        let length = axis.and_then(|axis| data.get(usize::try_from(axis).ok()?));
        // The buffer may have been transposed on the way: the axis is the one of that length.
        let same = |length: &Expr| {
            let mut axes = (0..buffer.len()).filter(|axis| buffer[*axis].always_eq(length));
            axes.next().filter(|_| axes.next().is_none())
        };
        length.and_then(same).or(layout)
    }

    /// How far back the attention that a cache is for looks, where an attribute says so.
    fn window(&self, reached: Reached) -> Option<u64> {
        let Grown::Inside(node) = reached.grown else { return None };
        let window = self.int(node, "local_window_size")?;
        u64::try_from(window).ok().filter(|window| *window > 0)
    }

    fn int(&self, node: NodeId, attribute: &str) -> Option<i64> {
        match self.model.attribute(node, attribute)? {
            AttributeValue::Int(value) => Some(*value),
            _ => None,
        }
    }

    fn output(&self, node: NodeId) -> Option<ValueId> {
        self.model.outputs(node).first().copied().flatten()
    }
}

/// What a cache holds, when it grows along this axis.
fn described(tensor: &TensorFact, axis: usize, input: ValueId, reached: Reached) -> Option<Cache> {
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
    let adjacent = dims.iter().enumerate().filter(|(at, _)| *at != axis && *at != batch);
    let elements = product(adjacent.map(|(_, dim)| dim))
        .and_then(|elements| elements.checked_mul(folded(&dims[batch]).unwrap_or(1)));
    let bytes = elements.and_then(|elements| tensor.dtype.bytes(elements));
    let dtype = tensor.dtype;
    let window = None;
    Some(Cache { input, reached, axis, stacked, heads, head_dim, dtype, rank, bytes, window })
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

fn reported(model: &Model, typed: &Typed, cache: &Cache) -> String {
    let text =
        |value: ValueId| format!("{} {}", model.name(model.value(value).name), typed.fact(value));
    let node = cache.reached.node();
    let label = model.node_label(node);
    let how = match cache.reached.grown {
        Grown::Joined(_) => format!("concatenated with new elements at {label}"),
        Grown::Inside(_) => format!("the cache of {} at {label}", model.name(model.node(node).op)),
        Grown::Written(_) => format!("updated in place at {label}"),
    };
    format!("{} is {how} and returned as {}", text(cache.input), text(cache.reached.output))
}
