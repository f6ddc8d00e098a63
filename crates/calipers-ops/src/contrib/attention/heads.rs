//! Attention on query, key and value that are projected already.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::super::inputs::{dim, length, optional_dims, positive, ranked, share};
use crate::context::{OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::Fact;

/// Where an operator has its inputs.
struct Places {
    past_key: usize,
    past_value: usize,
    /// Whether the caches are buffers that are written in place.
    shared: bool,
}

/// `MultiHeadAttention`: query, key and value apart, key and value in one, or all in one.
pub(crate) fn multi_head(ctx: &mut OpContext<'_>) -> Outcome {
    let shared = ctx.has(8);
    on_heads(ctx, &Places { past_key: 6, past_value: 7, shared })
}

/// `DecoderMaskedMultiHeadAttention`: the same for one token, with caches.
pub(crate) fn decoder_masked(ctx: &mut OpContext<'_>) -> Outcome {
    let shared = ctx.int_or("past_present_share_buffer", 0) != 0;
    on_heads(ctx, &Places { past_key: 5, past_value: 6, shared })
}

/// Number of keys, width of a key's head, width of all values.
struct KeyValue {
    count: Option<Expr>,
    head: Option<Expr>,
    value_width: Option<Expr>,
}

fn key_value(ctx: &OpContext<'_>, heads: i64, past_value: usize) -> Result<KeyValue, crate::Fail> {
    let query = optional_dims(ctx, 0, &[3, 5])?;
    let key = optional_dims(ctx, 1, &[3, 4, 5])?;
    let value = optional_dims(ctx, 2, &[3, 4])?;
    let value_width = match value {
        Some([_, _, width]) => Some(width.clone()),
        Some([_, heads, _, head]) => Some(heads * head),
        _ => None,
    };
    let past_width = dim(ctx, past_value, 3).map(|head| head * heads);
    Ok(match (query, key) {
        (Some([_, count, heads, _, head]), _) => KeyValue {
            count: Some(count.clone()),
            head: Some(head.clone()),
            value_width: Some(heads * head),
        },
        (_, Some([_, count, heads, _, head])) => KeyValue {
            count: Some(count.clone()),
            head: Some(head.clone()),
            value_width: Some(heads * head),
        },
        (_, Some([_, _, count, head])) => {
            KeyValue { count: Some(count.clone()), head: Some(head.clone()), value_width }
        }
        (_, Some([_, count, width])) => {
            KeyValue { count: Some(count.clone()), head: Some(share(width, heads)), value_width }
        }
        // All three side by side in the query, one key for each query.
        (Some([_, count, _]), None) if !ctx.has(1) => {
            KeyValue { count: Some(count.clone()), head: None, value_width: past_width }
        }
        _ => KeyValue { count: None, head: None, value_width: value_width.or(past_width) },
    })
}

fn on_heads(ctx: &mut OpContext<'_>, places: &Places) -> Outcome {
    let heads = positive(ctx, "num_heads")?;
    let dtype = ctx.dtype(0);
    let (batch, count) = match optional_dims(ctx, 0, &[3, 5])? {
        Some(query) => (query[0].clone(), query[1].clone()),
        None => (ctx.fresh("the batch"), ctx.fresh("the number of queries")),
    };
    let found = key_value(ctx, heads, places.past_value)?;
    let width = found.value_width.unwrap_or_else(|| ctx.fresh("the width of the value"));
    let output = Fact::tensor(dtype, [batch.clone(), count.clone(), width.clone()]);
    if ctx.outputs < 2 {
        return Ok(vec![output]);
    }
    let past_key = optional_dims(ctx, places.past_key, &[4])?;
    let past_value = optional_dims(ctx, places.past_value, &[4])?;
    let has_past = ctx.has(places.past_key);
    let total = match (past_key, found.count) {
        (Some(past), _) if places.shared => past[2].clone(),
        (Some(past), Some(count)) => &past[2] + count,
        (None, Some(count)) if !has_past && !places.shared => count,
        _ => ctx.fresh("the number of keys"),
    };
    let key_head = past_key.map(|past| past[3].clone()).or(found.head);
    let key_head = key_head.unwrap_or_else(|| ctx.fresh("the width of a head"));
    let value_head = past_value.map_or_else(|| share(&width, heads), |past| past[3].clone());
    let cache = |head| Fact::tensor(dtype, [batch.clone(), heads.into(), total.clone(), head]);
    let (key, value) = (cache(key_head), cache(value_head));
    // What the products are given as is not the type of the inputs by itself.
    let products = if places.shared { ctx.fresh("the number of keys") } else { total };
    let products = Fact::tensor(DType::Undefined, [batch, heads.into(), count, products]);
    Ok(vec![output, key, value, products])
}

/// `PackedMultiHeadAttention`: tokens of all sequences in one list.
pub(crate) fn packed_multi_head(ctx: &mut OpContext<'_>) -> Outcome {
    let query = optional_dims(ctx, 0, &[2, 4])?;
    let tokens = match query {
        Some(query) => query[0].clone(),
        None => ctx.fresh("the number of tokens"),
    };
    let width = match query {
        Some([_, heads, _, head]) => Some(heads * head),
        _ => dim(ctx, 2, 1),
    };
    let width = width.unwrap_or_else(|| ctx.fresh("the width of the value"));
    Ok(vec![Fact::tensor(ctx.dtype(0), [tokens, width])])
}

/// `DecoderAttention`: the sequence first; switches say what is cached.
pub(crate) fn decoder(ctx: &mut OpContext<'_>) -> Outcome {
    let heads = positive(ctx, "num_heads")?;
    let dtype = ctx.dtype(0);
    let query = ranked(ctx, 0, 3, "the query")?;
    let switch = |ctx: &OpContext<'_>, index| match ctx.value(index) {
        Some([element]) => Elem::as_bool(element),
        _ => None,
    };
    let cached = |ctx: &OpContext<'_>| dim(ctx, 6, 2);
    let count = match (switch(ctx, 8), switch(ctx, 9)) {
        (Some(false), Some(false)) => Some(query[0].clone()),
        (Some(false), Some(true)) => cached(ctx).map(|cached| cached + &query[0]),
        (Some(true), Some(false)) => dim(ctx, 1, 0),
        (Some(true), Some(true)) => cached(ctx),
        _ => None,
    };
    let count = count.unwrap_or_else(|| ctx.fresh("what is cached"));
    let cache = [query[1].clone(), heads.into(), count, share(&query[2], heads)];
    let cache = Fact::tensor(dtype, cache);
    Ok(vec![Fact::tensor(dtype, query), cache.clone(), cache])
}

/// Length that an input gives as a number.
pub(super) fn length_of(ctx: &mut OpContext<'_>, index: usize, why: &str) -> Expr {
    length(ctx, index).unwrap_or_else(|| ctx.fresh(why))
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    fn heads(inputs: &[&str], outputs: usize) -> Vec<String> {
        reported("com.microsoft", "MultiHeadAttention", inputs, &[("num_heads", int(4))], outputs)
    }

    #[test]
    fn query_key_and_value_apart() {
        assert_eq!(
            heads(&["float32[B, S, 32]", "float32[B, K, 32]", "float32[B, K, 24]"], 3),
            ["float32[B, S, 24]", "float32[B, 4, K, 8]", "float32[B, 4, K, 6]"]
        );
    }

    #[test]
    fn caches_grow_by_the_keys() {
        let inputs = [
            "float32[B, S, 32]",
            "float32[B, S, 32]",
            "float32[B, S, 32]",
            "",
            "",
            "",
            "float32[B, 4, P, 8]",
            "float32[B, 4, P, 8]",
        ];
        assert_eq!(
            heads(&inputs, 3),
            ["float32[B, S, 32]", "float32[B, 4, P + S, 8]", "float32[B, 4, P + S, 8]"]
        );
        assert_eq!(heads(&inputs, 4)[3], "?[B, 4, S, P + S]");
    }

    #[test]
    fn keys_and_values_by_head() {
        assert_eq!(
            heads(&["float32[B, S, 32]", "float32[B, 4, K, 8]", "float32[B, 4, K, 8]"], 3),
            ["float32[B, S, 32]", "float32[B, 4, K, 8]", "float32[B, 4, K, 8]"]
        );
    }

    #[test]
    fn packed_query_key_and_value() {
        assert_eq!(heads(&["float16[B, S, 4, 3, 8]"], 1), ["float16[B, S, 32]"]);
        assert_eq!(
            heads(&["float16[B, S, 32]", "float16[B, K, 4, 2, 8]"], 1),
            ["float16[B, S, 32]"]
        );
    }

    #[test]
    fn a_shared_buffer_keeps_its_length() {
        let inputs = [
            "float32[B, 1, 32]",
            "float32[B, 1, 32]",
            "float32[B, 1, 32]",
            "",
            "",
            "float32[B, 4, M, 8]",
            "float32[B, 4, M, 8]",
            "int32[1]",
        ];
        let attributes = [("num_heads", int(4)), ("past_present_share_buffer", int(1))];
        assert_eq!(
            reported("com.microsoft", "DecoderMaskedMultiHeadAttention", &inputs, &attributes, 3),
            ["float32[B, 1, 32]", "float32[B, 4, M, 8]", "float32[B, 4, M, 8]"]
        );
    }

    #[test]
    fn packed_tokens() {
        let attributes = [("num_heads", int(4))];
        let inputs = ["float16[T, 4, 3, 8]"];
        assert_eq!(
            reported("com.microsoft", "PackedMultiHeadAttention", &inputs, &attributes, 1),
            ["float16[T, 32]"]
        );
        let inputs = ["float16[T, 32]", "float16[T, 32]", "float16[T, 24]"];
        assert_eq!(
            reported("com.microsoft", "PackedMultiHeadAttention", &inputs, &attributes, 1),
            ["float16[T, 24]"]
        );
    }

    #[test]
    fn switches_say_what_is_cached() {
        let with = |fixed: &str, past: &str| {
            let inputs = [
                "float32[S, B, 32]",
                "float32[K, B, 32]",
                "float32[32, 32]",
                "float32[32, 64]",
                "float32[96]",
                "",
                "float32[B, 4, P, 8]",
                "float32[B, 4, P, 8]",
                fixed,
                past,
            ];
            let reported =
                reported("com.microsoft", "DecoderAttention", &inputs, &[("num_heads", int(4))], 3);
            assert_eq!(reported[0], "float32[S, B, 32]");
            reported[1].clone()
        };
        let (no, yes) = ("bool[1]={0}", "bool[1]={1}");
        assert_eq!(with(no, no), "float32[B, 4, S, 8]");
        assert_eq!(with(no, yes), "float32[B, 4, P + S, 8]");
        assert_eq!(with(yes, no), "float32[B, 4, K, 8]");
        assert_eq!(with(yes, yes), "float32[B, 4, P, 8]");
        assert_eq!(with("bool[1]", yes), "float32[B, 4, fresh_0, 8]");
    }
}
