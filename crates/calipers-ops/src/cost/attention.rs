//! Attention: every query with every key, and every score with every value.
//!
//! With `T` keys, the products of queries and keys are `T` for each element of the queries, and
//! those of scores and values `T` for each element of the output, however many heads share a key.
//! Nothing is taken off for masks, windows or causality.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, given, input, last, ranked, unknown};
use crate::call::{Call, Fail};
use crate::contrib::told::{length, positive, share};
use crate::elem::Elem;
use crate::fact::{Fact, product};

/// Sizes of one attention.
struct Sizes {
    /// Elements of all queries.
    queries: Expr,
    /// Elements of the output.
    output: Expr,
    /// Rows of queries: batch by heads by queries.
    rows: Expr,
    /// Keys that each query meets.
    keys: Expr,
    /// Operations for each score beside its scale and the softmax.
    masks: i64,
}

impl Sizes {
    fn work(self) -> Work {
        let scores = self.rows * &self.keys;
        Work {
            macs: (self.queries + self.output) * self.keys,
            other_flops: scores * (6 + self.masks),
        }
    }
}

/// Rows of queries, when the heads stand one after another in the last dimension.
fn rows(call: &Call<'_>, query: &[Expr], heads: &str) -> Result<Expr, Fail> {
    let heads = positive(call, heads)?;
    Ok(product(query.get(..query.len().saturating_sub(1)).unwrap_or_default()) * heads)
}

/// Number of keys in an input: `[batch, heads, length, size]` or `[batch, length, width]`.
fn key_count<'a>(call: &Call<'a>, index: usize) -> Result<&'a Expr, Fail> {
    match dims(call, call.optional(index))? {
        [_, _, length, _] | [_, length, _] => Ok(length),
        _ => unknown(format!("the number of keys of {} is not known", call.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__Attention.html>
pub(crate) fn attention(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let query = dims(call, call.optional(0))?;
    let rows = match query {
        [batch, heads, count, _] => batch * heads * count,
        query => rows(call, query, "q_num_heads")?,
    };
    let mut keys = key_count(call, 1)?.clone();
    if call.has(4) {
        keys += &ranked(call, 4, 4)?[2];
    }
    let output = elements(call, outputs.first())?;
    let masks = given(call, &[3]);
    Ok(Sizes { queries: product(query), output, rows, keys, masks }.work())
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html>, without the graphs that
/// change its scores.
pub(crate) fn flex(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let query = ranked(call, 0, 4)?;
    let rows = product(&query[..3]);
    let keys = ranked(call, 1, 4)?[2].clone();
    let output = elements(call, outputs.first())?;
    Ok(Sizes { queries: product(query), output, rows, keys, masks: 0 }.work())
}

/// What came before in a buffer that is written in place: an input says how much.
fn written(call: &Call<'_>, index: usize) -> Result<Expr, Fail> {
    match length(call, index) {
        Some(length) => Ok(length),
        None => unknown(format!("how much of the cache of {} is written is not known", call.op)),
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
fn on_heads(call: &Call<'_>, outputs: &[Fact], places: &Places) -> Cost {
    let query = dims(call, call.optional(0))?;
    let heads = positive(call, "num_heads")?;
    let (batch, count) = match query {
        [batch, count, ..] => (batch, count),
        _ => return unknown(format!("the queries of {} are not known", call.op)),
    };
    let packed = query.len() == 5 || !call.has(1);
    let queries = if packed { share(&product(query), 3) } else { product(query) };
    let (new, whole) = match call.optional(1) {
        None => (count, false),
        Some(key) => match dims(call, Some(key))? {
            // Keys that are in heads already are those of another sequence, whole.
            [_, _, count, _] => (count, true),
            [_, count, _] | [_, count, _, _, _] => (count, false),
            _ => return unknown(format!("the number of keys of {} is not known", call.op)),
        },
    };
    let keys = match call.has(places.past) {
        true if places.shared && !whole => written(call, places.written)? + new,
        true if !whole => &ranked(call, places.past, 4)?[2] + new,
        _ => new.clone(),
    };
    let output = elements(call, outputs.first())?;
    let rows = batch * count * heads;
    let mut work = Sizes { queries, output, rows, keys, masks: given(call, places.masks) }.work();
    if call.has(places.bias) {
        for index in (0..3).filter(|index| call.has(*index)) {
            work.other_flops += input(call, index)?;
        }
    }
    Ok(work)
}

/// `MultiHeadAttention`.
pub(crate) fn multi_head(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let shared = call.has(8);
    on_heads(call, outputs, &Places { bias: 3, masks: &[4, 5], past: 6, written: 8, shared })
}

/// `DecoderMaskedMultiHeadAttention`.
pub(crate) fn decoder_masked(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let shared = call.int_or("past_present_share_buffer", 0) != 0;
    on_heads(call, outputs, &Places { bias: 10, masks: &[3, 4], past: 5, written: 7, shared })
}

/// `PackedMultiHeadAttention`: tokens of all sequences in one list, each with as many keys as the
/// longest sequence has places.
pub(crate) fn packed_multi_head(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let query = dims(call, call.optional(0))?;
    let Some(tokens) = query.first() else {
        return unknown("the tokens of PackedMultiHeadAttention are not known");
    };
    let queries = if query.len() == 4 { share(&product(query), 3) } else { product(query) };
    let rows = tokens * positive(call, "num_heads")?;
    let keys = ranked(call, 4, 2)?[1].clone();
    let output = elements(call, outputs.first())?;
    let mut work = Sizes { queries, output, rows, keys, masks: given(call, &[6]) }.work();
    if call.has(3) {
        for index in (0..3).filter(|index| call.has(*index)) {
            work.other_flops += input(call, index)?;
        }
    }
    Ok(work)
}

/// `GroupQueryAttention`: an input says how much has been seen.
pub(crate) fn group_query(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let query = ranked(call, 0, 3)?;
    let heads = positive(call, "num_heads")?;
    let keys = match length(call, 6) {
        _ if !call.has(3) => query[1].clone(),
        Some(seen) if call.int_or("sliding_window_cache", 0) != 0 => {
            Expr::min(&seen, &ranked(call, 3, 4)?[2])
        }
        Some(seen) => seen,
        None => return unknown("how much GroupQueryAttention has seen is not known"),
    };
    let output = elements(call, outputs.first())?;
    let rows = &query[0] * &query[1] * heads;
    let queries = output.clone();
    let mut work =
        Sizes { queries, output: output.clone(), rows, keys, masks: given(call, &[10]) }.work();
    if call.int_or("do_rotary", 0) != 0 {
        let key_heads = positive(call, "kv_num_heads")?;
        let turned = &output + share(&(&output * key_heads), heads);
        work.other_flops += turned * 3;
    }
    Ok(work)
}

/// Which blocks are attended to, or how much is cached, stands in data alone.
pub(crate) fn by_data(call: &Call<'_>, _: &[Fact]) -> Cost {
    unknown(format!("how many keys each query of {} meets stands in its data", call.op))
}

/// Widths of query, key and value together, of the query, and of the value.
fn widths(call: &Call<'_>, weights: usize) -> Result<[Expr; 3], Fail> {
    let all = last(call, weights)?.clone();
    match call.ints("qkv_hidden_sizes") {
        Some([query, _, value]) => Ok([all, (*query).into(), (*value).into()]),
        Some([]) | None => {
            let third = share(&all, 3);
            Ok([all, third.clone(), third])
        }
        Some(_) => unknown(format!("the widths of {} are not known", call.op)),
    }
}

/// Where an operator that projects has its inputs.
struct Projected {
    bias: usize,
    masks: &'static [usize],
    past: usize,
    written: Option<usize>,
    /// Operations on each projected element beside the bias.
    each: i64,
}

fn projected(call: &Call<'_>, places: &Projected) -> Cost {
    let input = ranked(call, 0, 3)?;
    let [all, query, value] = widths(call, 1)?;
    let tokens = &input[0] * &input[1];
    let shared = call.int_or("past_present_share_buffer", 0) != 0;
    let keys = match (call.has(places.past), places.written) {
        (true, Some(index)) if shared => written(call, index)? + &input[1],
        (true, _) if shared => {
            return unknown(format!(
                "how much of the cache of {} is written is not known",
                call.op
            ));
        }
        (true, _) => &ranked(call, places.past, 5)?[3] + &input[1],
        (false, _) => input[1].clone(),
    };
    let mut work = Sizes {
        queries: &tokens * query,
        output: &tokens * value,
        rows: rows(call, input, "num_heads")?,
        keys,
        masks: given(call, places.masks),
    }
    .work();
    work.macs += &tokens * &input[2] * &all;
    work.other_flops += tokens * all * (places.each + given(call, &[places.bias]));
    Ok(work)
}

/// `Attention`, `DecoderMaskedSelfAttention`: with the projections of query, key and value inside.
pub(crate) fn with_projection(call: &Call<'_>, _: &[Fact]) -> Cost {
    let places = Projected { bias: 2, masks: &[3, 5], past: 4, written: Some(6), each: 0 };
    projected(call, &places)
}

/// `QAttention`: the same on quantised input and weights, whose products are scaled back.
pub(crate) fn q_attention(call: &Call<'_>, _: &[Fact]) -> Cost {
    projected(call, &Projected { bias: 2, masks: &[5], past: 8, written: None, each: 1 })
}

/// `PackedAttention`: tokens of all sequences in one list, each with as many keys as the longest
/// sequence has places.
pub(crate) fn packed_attention(call: &Call<'_>, _: &[Fact]) -> Cost {
    let input = ranked(call, 0, 2)?;
    let [all, query, value] = widths(call, 1)?;
    let tokens = &input[0];
    let mut work = Sizes {
        queries: tokens * query,
        output: tokens * value,
        rows: rows(call, input, "num_heads")?,
        keys: ranked(call, 3, 2)?[1].clone(),
        masks: given(call, &[5]),
    }
    .work();
    work.macs += tokens * &input[1] * &all;
    work.other_flops += tokens * all * given(call, &[2]);
    Ok(work)
}

/// `QOrderedAttention`: a matrix each for query, key and value.
pub(crate) fn ordered(call: &Call<'_>, _: &[Fact]) -> Cost {
    if call.has(18) {
        return unknown("QOrderedAttention has a cache, whose use is not described");
    }
    let input = ranked(call, 0, 3)?;
    let tokens = &input[0] * &input[1];
    let [query, key, value] = [last(call, 5)?, last(call, 6)?, last(call, 7)?];
    let mut work = Sizes {
        queries: &tokens * query,
        output: &tokens * value,
        rows: rows(call, input, "num_heads")?,
        keys: input[1].clone(),
        masks: given(call, &[17, 19]),
    }
    .work();
    let all = &tokens * (query + key + value);
    work.macs += &all * &input[2];
    // Products are quantised again; biases are added.
    work.other_flops += all * (2 + given(call, &[11]));
    Ok(work)
}

/// Every token meets a window of keys on both sides and itself. What tokens that see everything add
/// depends on which they are, and is not counted.
fn windowed(call: &Call<'_>, weights: usize, bias: usize, mask: usize, each: i64) -> Cost {
    let input = ranked(call, 0, 3)?;
    let window = positive(call, "window")?;
    let all = last(call, weights)?;
    let tokens = &input[0] * &input[1];
    let width = &tokens * share(all, 3);
    let mut work = Sizes {
        queries: width.clone(),
        output: width,
        rows: rows(call, input, "num_heads")?,
        keys: Expr::from(window) * 2 + 1,
        masks: given(call, &[mask]),
    }
    .work();
    let projected = tokens * all;
    work.macs += &projected * &input[2];
    work.other_flops += projected * (each + given(call, &[bias]));
    Ok(work)
}

/// `LongformerAttention`.
pub(crate) fn longformer(call: &Call<'_>, _: &[Fact]) -> Cost {
    windowed(call, 1, 2, 3, 0)
}

/// `QOrderedLongformerAttention`.
pub(crate) fn ordered_longformer(call: &Call<'_>, _: &[Fact]) -> Cost {
    windowed(call, 2, 4, 7, 2)
}

/// `DecoderAttention`: the sequence first; switches say what is projected and what is cached.
pub(crate) fn decoder(call: &Call<'_>, _: &[Fact]) -> Cost {
    let switch = |index: usize| match call.value(index) {
        Some([element]) => Elem::as_bool(element),
        _ => None,
    };
    let (Some(other), Some(past)) = (switch(8), switch(9)) else {
        return unknown("whether DecoderAttention uses its cache is not known");
    };
    let query = ranked(call, 0, 3)?;
    let tokens = &query[0] * &query[1];
    let cached = || ranked(call, 6, 4).map(|cache| cache[2].clone());
    let (keys, new) = match (other, past) {
        (false, false) => (query[0].clone(), Some(query[0].clone())),
        (false, true) => (cached()? + &query[0], Some(query[0].clone())),
        (true, false) => {
            let count = ranked(call, 1, 3)?[0].clone();
            (count.clone(), Some(count))
        }
        (true, true) => (cached()?, None),
    };
    let width = &tokens * &query[2];
    let mut work = Sizes {
        queries: width.clone(),
        output: width.clone(),
        rows: rows(call, query, "num_heads")?,
        keys,
        masks: given(call, &[5]),
    }
    .work();
    work.macs += &width * last(call, 2)?;
    let mut biased = width;
    if let Some(new) = new {
        let rows = new * &query[1];
        work.macs += &rows * &query[2] * last(call, 3)?;
        biased += rows * last(call, 3)?;
    }
    work.other_flops += biased * given(call, &[4]);
    Ok(work)
}

/// <https://onnx.ai/onnx/operators/onnx__LinearAttention.html>, token by token: the state is read
/// by every query, and every key writes into it; delta rules read it with the key before. Gates
/// multiply the whole state.
pub(crate) fn linear(call: &Call<'_>, _: &[Fact]) -> Cost {
    let (query, key, value) = (ranked(call, 0, 3)?, ranked(call, 1, 3)?, ranked(call, 2, 3)?);
    let (query_heads, heads) = (positive(call, "q_num_heads")?, positive(call, "kv_num_heads")?);
    let (gated, delta) = match call.text_or("update_rule", "gated_delta") {
        "linear" => (0, 0),
        "gated" => (1, 0),
        "delta" => (0, 1),
        "gated_delta" => (1, 1),
        other => return unknown(format!("{} updates its state by {other:?}", call.op)),
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
    use super::super::testing::{cost, macs, work};
    use crate::call::Fail;
    use crate::contrib::testing::{int, ints, text};

    const MS: &str = "com.microsoft";

    fn both(macs: &str, others: &str) -> (String, String) {
        (macs.to_owned(), others.to_owned())
    }

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
    fn projections_inside() {
        // B · S tokens by 32 · 96 = 3,072; then 2 · 32 for each pair.
        let inputs = ["float32[B, S, 32]", "float32[32, 96]", "float32[96]"];
        let heads = [("num_heads", int(4))];
        let wanted = both("64*B*S^2 + 3072*B*S", "24*B*S^2 + 96*B*S");
        assert_eq!(work(MS, "Attention", &inputs, &heads), wanted);
        let past = [inputs[0], inputs[1], inputs[2], "", "float32[2, B, 4, 10, 8]"];
        assert_eq!(macs(MS, "Attention", &past, &heads), "64*B*S^2 + 3712*B*S"); // 3,072 + 640
        // A narrower value: 32 · 88 = 2,816, and 32 + 24 for each pair.
        let inputs = ["float16[B, S, 32]", "float16[32, 88]", "float16[88]"];
        let sizes = [("num_heads", int(4)), ("qkv_hidden_sizes", ints(&[32, 32, 24]))];
        assert_eq!(macs(MS, "Attention", &inputs, &sizes), "56*B*S^2 + 2816*B*S");
    }

    #[test]
    fn quantised_projections() {
        let inputs = [
            "uint8[1, S, 64]",
            "int8[64, 192]",
            "float32[192]",
            "float32[]",
            "float32[192]",
            "int32[1, S]",
        ];
        // 64 · 192 = 12,288; 2 · 64 for each pair; 8 heads of 6 + 1; bias and scale of 192.
        let wanted = both("128*S^2 + 12288*S", "56*S^2 + 384*S");
        assert_eq!(work(MS, "QAttention", &inputs, &[("num_heads", int(8))]), wanted);
    }

    #[test]
    fn windows_of_keys() {
        // 64 · 192 = 12,288 for each token, then 2 · 64 by 2 · 16 + 1 = 33 keys: 4,224.
        let inputs = ["float32[1, S, 64]", "float32[64, 192]", "float32[192]", "float32[1, S]"];
        let attributes = [("num_heads", int(8)), ("window", int(16))];
        assert_eq!(macs(MS, "LongformerAttention", &inputs, &attributes), "16512*S");
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

    #[test]
    fn switches_say_what_is_projected() {
        let with = |other, past| {
            let inputs = [
                "float32[S, 1, 32]",
                "float32[K, 1, 32]",
                "float32[32, 32]",
                "float32[32, 64]",
                "float32[96]",
                "",
                "float32[1, 4, P, 8]",
                "float32[1, 4, P, 8]",
                other,
                past,
            ];
            macs(MS, "DecoderAttention", &inputs, &[("num_heads", int(4))])
        };
        let (no, yes) = ("bool[1]={0}", "bool[1]={1}");
        // 32 · 32 = 1,024 and 32 · 64 = 2,048 for projections; 64 for each pair.
        assert_eq!(with(no, no), "64*S^2 + 3072*S");
        assert_eq!(with(yes, yes), "64*P*S + 1024*S");
    }
}
