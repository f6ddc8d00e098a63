//! Attention: every query with every key, and every score with every value.
//!
//! With `T` keys, the products of queries and keys are `T` for each element of the queries, and
//! those of scores and values `T` for each element of the output, however many heads share a key.
//! Nothing is taken off for masks, windows or causality.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, input, ranked, unknown};
use crate::context::{Fail, OpContext};
use crate::contrib::inputs::{length, positive, share};
use crate::fact::{Fact, product};

/// Sizes of one attention.
pub(super) struct Sizes {
    /// Elements of all queries.
    pub(super) queries: Expr,
    /// Elements of the output.
    pub(super) output: Expr,
    /// Rows of queries: batch by heads by queries.
    pub(super) rows: Expr,
    /// Keys that each query meets.
    pub(super) keys: Expr,
    /// Operations for each score next to its scale and the softmax.
    pub(super) masks: i64,
}

impl Sizes {
    pub(super) fn work(self) -> Work {
        let scores = self.rows * &self.keys;
        Work {
            macs: (self.queries + self.output) * self.keys,
            other_flops: scores * (6 + self.masks),
        }
    }
}

/// Rows of queries, when the heads are one after another in the last dimension.
pub(super) fn rows(ctx: &OpContext<'_>, query: &[Expr], heads: &str) -> Result<Expr, Fail> {
    let heads = positive(ctx, heads)?;
    Ok(product(query.get(..query.len().saturating_sub(1)).unwrap_or_default()) * heads)
}

/// Number of keys in an input: `[batch, heads, length, size]` or `[batch, length, width]`.
fn key_count<'a>(ctx: &OpContext<'a>, index: usize) -> Result<&'a Expr, Fail> {
    match dims(ctx, ctx.optional(index))? {
        [_, _, length, _] | [_, length, _] => Ok(length),
        _ => unknown(format!("the number of keys of {} is not known", ctx.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__Attention.html>
pub(crate) fn attention(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let query = dims(ctx, ctx.optional(0))?;
    let rows = match query {
        [batch, heads, count, _] => batch * heads * count,
        query => rows(ctx, query, "q_num_heads")?,
    };
    let mut keys = key_count(ctx, 1)?.clone();
    if ctx.has(4) {
        keys += &ranked(ctx, 4, 4)?[2];
    }
    let output = elements(ctx, outputs.first())?;
    let masks = given(ctx, &[3]);
    Ok(Sizes { queries: product(query), output, rows, keys, masks }.work())
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html>, without the graphs that
/// change its scores.
pub(crate) fn flex(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let query = ranked(ctx, 0, 4)?;
    let rows = product(&query[..3]);
    let keys = ranked(ctx, 1, 4)?[2].clone();
    let output = elements(ctx, outputs.first())?;
    Ok(Sizes { queries: product(query), output, rows, keys, masks: 0 }.work())
}

/// What came before in a buffer that is written in place: an input says how much.
pub(super) fn written(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    match length(ctx, index) {
        Some(length) => Ok(length),
        None => unknown(format!("how much of the cache of {} is written is not known", ctx.op)),
    }
}

/// Where an operator on heads has its inputs.
struct Places {
    bias: usize,
    masks: &'static [usize],
    past: usize,
    /// The input that says how much of a cache is written.
    written: usize,
    shared: bool,
}

/// Query, key and value apart, key and value in one, or all in one.
fn on_heads(ctx: &OpContext<'_>, outputs: &[Fact], places: &Places) -> Cost {
    let query = dims(ctx, ctx.optional(0))?;
    let heads = positive(ctx, "num_heads")?;
    let (batch, count) = match query {
        [batch, count, ..] => (batch, count),
        _ => return unknown(format!("the queries of {} are not known", ctx.op)),
    };
    let output = elements(ctx, outputs.first())?;
    // Next to as many keys, and values that are as wide as the output.
    let packed = query.len() == 5 || !ctx.has(1);
    let queries = if packed { share(&(product(query) - &output), 2) } else { product(query) };
    let (new, whole) = match ctx.optional(1) {
        None => (count, false),
        Some(key) => match dims(ctx, Some(key))? {
            // Keys that are in heads already are those of another sequence, whole.
            [_, _, count, _] => (count, true),
            [_, count, _] | [_, count, _, _, _] => (count, false),
            _ => return unknown(format!("the number of keys of {} is not known", ctx.op)),
        },
    };
    let keys = match ctx.has(places.past) {
        true if places.shared && !whole => written(ctx, places.written)? + new,
        true if !whole => &ranked(ctx, places.past, 4)?[2] + new,
        _ => new.clone(),
    };
    let rows = batch * count * heads;
    let mut work = Sizes { queries, output, rows, keys, masks: given(ctx, places.masks) }.work();
    if ctx.has(places.bias) {
        for index in (0..3).filter(|index| ctx.has(*index)) {
            work.other_flops += input(ctx, index)?;
        }
    }
    Ok(work)
}

/// `MultiHeadAttention`.
pub(crate) fn multi_head(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let shared = ctx.has(8);
    on_heads(ctx, outputs, &Places { bias: 3, masks: &[4, 5], past: 6, written: 8, shared })
}

/// `DecoderMaskedMultiHeadAttention`.
pub(crate) fn decoder_masked(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let shared = ctx.int_or("past_present_share_buffer", 0) != 0;
    on_heads(ctx, outputs, &Places { bias: 10, masks: &[3, 4], past: 5, written: 7, shared })
}

/// `PackedMultiHeadAttention`: tokens of all sequences in one list, each with as many keys as the
/// longest sequence has places.
pub(crate) fn packed_multi_head(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let query = dims(ctx, ctx.optional(0))?;
    let Some(tokens) = query.first() else {
        return unknown("the tokens of PackedMultiHeadAttention are not known");
    };
    let queries = if query.len() == 4 { share(&product(query), 3) } else { product(query) };
    let rows = tokens * positive(ctx, "num_heads")?;
    let keys = ranked(ctx, 4, 2)?[1].clone();
    let output = elements(ctx, outputs.first())?;
    let mut work = Sizes { queries, output, rows, keys, masks: given(ctx, &[6]) }.work();
    if ctx.has(3) {
        for index in (0..3).filter(|index| ctx.has(*index)) {
            work.other_flops += input(ctx, index)?;
        }
    }
    Ok(work)
}

/// `GroupQueryAttention`: an input says how much has been seen.
pub(crate) fn group_query(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let query = ranked(ctx, 0, 3)?;
    let heads = positive(ctx, "num_heads")?;
    let keys = match length(ctx, 6) {
        _ if !ctx.has(3) => query[1].clone(),
        Some(seen) if ctx.int_or("sliding_window_cache", 0) != 0 => {
            Expr::min(&seen, &ranked(ctx, 3, 4)?[2])
        }
        Some(seen) => seen,
        None => return unknown("how much GroupQueryAttention has seen is not known"),
    };
    let output = elements(ctx, outputs.first())?;
    let rows = &query[0] * &query[1] * heads;
    let queries = output.clone();
    let mut work =
        Sizes { queries, output: output.clone(), rows, keys, masks: given(ctx, &[10]) }.work();
    if ctx.int_or("do_rotary", 0) != 0 {
        let key_heads = positive(ctx, "kv_num_heads")?;
        let turned = &output + share(&(&output * key_heads), heads);
        work.other_flops += turned * 3;
    }
    Ok(work)
}

/// Which blocks are attended to, or how much is cached, is in data alone.
pub(crate) fn by_data(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    unknown(format!("how many keys each query of {} meets is in its data", ctx.op))
}

/// <https://onnx.ai/onnx/operators/onnx__LinearAttention.html>, token by token: the state is read
/// by every query, and every key writes into it; delta rules read it with the key before. Gates
/// multiply the whole state.
pub(crate) fn linear(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let (query, key, value) = (ranked(ctx, 0, 3)?, ranked(ctx, 1, 3)?, ranked(ctx, 2, 3)?);
    let (query_heads, heads) = (positive(ctx, "q_num_heads")?, positive(ctx, "kv_num_heads")?);
    let (gated, delta) = match ctx.text_or("update_rule", "gated_delta") {
        "linear" => (0, 0),
        "gated" => (1, 0),
        "delta" => (0, 1),
        "gated_delta" => (1, 1),
        other => return unknown(format!("{} updates its state by {other:?}", ctx.op)),
    };
    let tokens = &query[0] * &query[1];
    let width = share(&key[2], heads);
    let state = &width * share(&value[2], heads);
    let readers = query_heads.max(heads);
    let macs = &tokens * &state * readers + &tokens * &state * heads * (1 + delta);
    // Gates; the difference and rate of delta rules; the output's scale.
    let written = &tokens * &value[2];
    let read = &tokens * share(&value[2], heads) * readers;
    let other_flops = tokens * state * heads * gated + written * 2 * delta + read;
    Ok(Work { macs, other_flops })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, cost, macs, work};
    use crate::context::Fail;
    use crate::contrib::testing::{int, text};

    const MS: &str = "com.microsoft";

    #[test]
    fn every_query_with_every_key() {
        // 8 heads, 64 wide: 8 · 64 = 512 for each pair in QKᵀ, 8 · 32 = 256 in AV; 8 scores of 6.
        let inputs = ["float32[B, 8, S, 64]", "float32[B, 2, T, 64]", "float32[B, 2, T, 32]"];
        assert_eq!(work("", "Attention", &inputs, &[]), both("768*B*S*T", "48*B*S*T"));
        // The same with heads in the last dimension, and a mask.
        let packed =
            ["float32[B, S, 512]", "float32[B, T, 128]", "float32[B, T, 64]", "bool[S, T]"];
        let heads = [("q_num_heads", int(8)), ("kv_num_heads", int(2))];
        assert_eq!(work("", "Attention", &packed, &heads), both("768*B*S*T", "56*B*S*T"));
        let flex = macs("ai.onnx.preview", "FlexAttention", &inputs, &[]);
        assert_eq!(flex, "768*B*S*T");
    }

    #[test]
    fn the_past_is_attended_to() {
        // One query, 127 keys before it: 128 · 2 · 512.
        let past = "float32[1, 8, 127, 64]";
        let new = "float32[1, 8, 1, 64]";
        assert_eq!(macs("", "Attention", &[new, new, new, "", past, past], &[]), "131072");
        let heads = [("num_heads", int(8))];
        let new = "float32[1, 1, 512]";
        let inputs = [new, new, new, "", "", "", past, past];
        assert_eq!(macs(MS, "MultiHeadAttention", &inputs, &heads), "131072");
        let inputs = [new, new, new, "", "", past, past];
        assert_eq!(macs(MS, "DecoderMaskedMultiHeadAttention", &inputs, &heads), "131072");
    }

    #[test]
    fn query_key_and_value_in_one() {
        // 4 · 8 = 32 wide: S · S · 2 · 32.
        let heads = [("num_heads", int(4))];
        let inputs = ["float32[1, S, 4, 3, 8]"];
        assert_eq!(macs(MS, "MultiHeadAttention", &inputs, &heads), "64*S^2");
    }

    #[test]
    fn groups_of_queries_share_keys() {
        // 32 heads of 128 = 4,096 wide: 2 · 4,096 for each key; 32 scores of 6.
        let cache = "float16[1, 8, 4096, 128]";
        let with = |seen| {
            let inputs = [
                "float16[1, 1, 4096]",
                "float16[1, 1, 1024]",
                "float16[1, 1, 1024]",
                cache,
                cache,
                "int32[1]",
                seen,
            ];
            let heads = [("num_heads", int(32)), ("kv_num_heads", int(8))];
            cost(MS, "GroupQueryAttention", 1, &inputs, &heads)
        };
        let work = with("int32[]={T}").unwrap();
        assert_eq!((work.macs.to_string(), work.other_flops.to_string()), both("8192*T", "192*T"));
        assert!(matches!(with("int32[]"), Err(Fail::Unknown(_))));
    }

    #[test]
    fn states_instead_of_caches() {
        // 4 heads with a state of 8 · 8 = 64: read and written 256 each, read by keys 256 more.
        let inputs = ["float32[B, T, 32]", "float32[B, T, 32]", "float32[B, T, 32]"];
        let by = |rule: &'static str| {
            let attributes =
                [("q_num_heads", int(4)), ("kv_num_heads", int(4)), ("update_rule", text(rule))];
            macs(MS, "LinearAttention", &inputs, &attributes)
        };
        assert_eq!(by("linear"), "512*B*T");
        assert_eq!(by("gated_delta"), "768*B*T");
    }
}
