//! Attention: values summed by how well their keys answer a query.
//!
//! | form | written by |
//! |---|---|
//! | `MatMul(q, kᵀ)`, a factor, a mask added or chosen by `Where`, `Softmax`, `MatMul(·, v)` | PyTorch, TensorFlow |
//! | the factor's root on `q` and on `k`; `Where(IsNaN(p), 0, p)` after the `Softmax` | PyTorch's `scaled_dot_product_attention` |
//! | heads in the batch, `[B·H, S, D]`, with views around the mask | BART, DETR, torch's `MultiheadAttention` |
//! | keys and values repeated by `Expand` | grouped queries (Llama) |
//! | `MatMul(v, pᵀ)` over channels first | YOLO's area attention |
//! | `Einsum` for either product; `Exp`, `ReduceSum`, `Div` for the `Softmax` | JAX, TensorFlow |
//! | `Attention` | opset 23 |
//! | `Attention`, `MultiHeadAttention`, `GroupQueryAttention`, packed, sparse, paged, decoder and linear kinds | ONNX Runtime |
//!
//! The block takes in the projections of query, key and value and of the result, where nothing else
//! needs them. Extracts `heads`, `kv_heads`, `head_dim`, `width` of the stream it reads; `over`
//! `self` or `cross`; `causal`, `windowed`, `relative`, `rotary`; and `norm`, `pre` or `post`, by
//! what the addition around it reads.
//!
//! A `Softmax` over channels, a gate, or a pooling with learned scores is none: scores must be
//! products of two activations, or of learned queries and an activation.

mod fused;
mod heads;
mod mask;
mod norm;
mod scores;
mod stream;
#[cfg(test)]
mod tests;

use hashbrown::HashSet;
use scores::Scores;
use stream::Stream;

use super::Pattern;
use crate::network::{
    Attention, AttentionScope, BlockKind, Found, Network, Op, OpId, Ops, Origin, Val,
};

pub(super) const ATTENTION: Pattern = Pattern {
    kind: BlockKind::Attention,
    description: "Attention: sums values weighted by query-key similarity.",
    anchors: Ops::operators(&[
        "DecoderAttention",
        "DecoderMaskedMultiHeadAttention",
        "DotProductAttention",
        "Einsum",
        "GroupQueryAttention",
        "LinearAttention",
        "LongformerAttention",
        "MatMul",
        "MultiHeadAttention",
        "PackedAttention",
        "PackedMultiHeadAttention",
        "PagedAttention",
        "SparseAttention",
    ]),
    matcher: find,
};

/// Views between the sum of values and the projection of the result.
const VIEWS_AFTER: usize = 6;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    match net.unit(end).op {
        Op::Operator("MatMul" | "Einsum") => decomposed(net, end),
        _ => fused::find(net, end),
    }
}

/// What was learned of an attention.
#[derive(Default)]
struct Facts {
    heads: Option<i64>,
    kv_heads: Option<i64>,
    head_dim: Option<i64>,
    causal: bool,
    windowed: bool,
    relative: bool,
    rotary: bool,
}

fn decomposed(net: &Network<'_>, end: OpId) -> Option<Found> {
    let scores = Scores::behind(net, end)?;
    let [query, key, value] =
        [scores.query, scores.key, scores.value].map(|val| Stream::back(net, val));
    let heads = heads::count(net, end, &scores, &key);
    let masks = mask::find(net, &scores.others, heads.heads);
    let facts = Facts {
        heads: heads.heads,
        kv_heads: heads.kv_heads,
        head_dim: heads.head_dim,
        // What is kept of earlier steps cannot have seen later ones.
        causal: masks.causal || key.cached && key.meets(net, &query),
        windowed: query.is_partitioned(net),
        relative: masks.relative,
        rotary: query.rotary || key.rotary,
    };
    Some(assemble(net, end, &scores.units, &scores.others, &[query, key, value], &facts))
}

/// The block, as large as it can be.
fn assemble(
    net: &Network<'_>,
    end: OpId,
    core: &[OpId],
    masks: &[Val],
    streams: &[Stream; 3],
    facts: &Facts,
) -> Found {
    let [query, key, value] = streams;
    let over = if query.origin < Origin::Data {
        AttentionScope::Cross
    } else if query.meets(net, key) || query.meets(net, value) {
        AttentionScope::Own
    } else {
        AttentionScope::Cross
    };
    let norm = norm::position(net, query);
    let core: Vec<OpId> = core.iter().copied().chain([end]).collect();
    let projections = streams.iter().flat_map(|stream| stream.units.iter().copied());
    let views = streams.iter().flat_map(|stream| stream.views.iter().copied());
    let result = result(net, end);
    let mut all: Vec<OpId> = core.iter().copied().chain(projections).chain(result).collect();
    all.extend(masks.iter().flat_map(|mask| private(net, *mask, &core)));
    let tries = [all, core.iter().copied().chain(views).collect(), core, vec![end]];
    let largest = tries.into_iter().map(|units| closed(net, units)).find(|it| net.can_fold(it));
    let inside = largest.unwrap_or_default();
    let read: HashSet<Val> =
        inside.iter().flat_map(|unit| net.unit(*unit).inputs.iter().flatten().copied()).collect();
    let mut taken: Vec<Val> = Vec::new();
    for source in streams.iter().flat_map(|stream| &stream.sources) {
        let within = net.producer(*source).is_some_and(|unit| inside.contains(&unit));
        if !within && read.contains(source) && !taken.contains(source) {
            taken.push(*source);
        }
    }
    let details = Attention {
        heads: facts.heads,
        kv_heads: facts.kv_heads,
        head_dim: facts.head_dim,
        width: query.width.or(value.width),
        over,
        causal: facts.causal && over == AttentionScope::Own,
        windowed: facts.windowed,
        relative: facts.relative,
        rotary: facts.rotary,
        norm,
    };
    Found::new(inside).with(details).taking(taken)
}

/// The views after the sum of values, and the projection behind them.
fn result(net: &Network<'_>, end: OpId) -> Vec<OpId> {
    let mut units = Vec::new();
    let mut val = net.unit(end).output();
    for _ in 0..VIEWS_AFTER {
        let Some(user) = net.only_use(val) else { return Vec::new() };
        let unit = net.unit(user);
        units.push(user);
        val = unit.output();
        if unit.is_layout() {
            continue;
        }
        if !stream::is_projection(net, unit) {
            return Vec::new();
        }
        // A bias that is still apart.
        if let Some(bias) = net.only_use(val)
            && net.unit(bias).is("Add")
            && net
                .data_and_constant(net.unit(bias))
                .is_some_and(|(_, bias)| net.rank(bias) <= Some(1))
        {
            units.push(bias);
        }
        return units;
    }
    Vec::new()
}

/// Steps that only prepare a mask for this block.
fn private(net: &Network<'_>, mask: Val, core: &[OpId]) -> Vec<OpId> {
    let (mut val, mut units) = (mask, Vec::new());
    while units.len() < VIEWS_AFTER
        && let Some(unit) = net.producer(val)
        && (net.unit(unit).is_layout() || net.unit(unit).is("Slice"))
        && net.only_use(val).is_some_and(|user| core.contains(&user) || units.contains(&user))
        && let Some(input) = net.unit(unit).input(0)
    {
        units.push(unit);
        val = input;
    }
    units
}

/// The units in order, with those that read them and whose results nothing reads.
fn closed(net: &Network<'_>, mut units: Vec<OpId>) -> Vec<OpId> {
    units.sort_unstable();
    units.dedup();
    let readers =
        units.iter().flat_map(|unit| &net.unit(*unit).outputs).flat_map(|val| net.uses(*val));
    let idle = readers.filter(|reader| {
        let outputs = &net.unit(*reader).outputs;
        units.binary_search(reader).is_err()
            && outputs.iter().all(|output| net.uses(*output).next().is_none())
            && net.unit(*reader).is_layout()
    });
    let idle: Vec<OpId> = idle.collect();
    units.extend(idle);
    units.sort_unstable();
    units.dedup();
    units
}
