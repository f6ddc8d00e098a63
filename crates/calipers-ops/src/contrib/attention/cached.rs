//! Attention whose heads of keys and values are fewer than those of queries, over caches.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::super::inputs::{dim, first_dtype, like, optional_dims, positive, share};
use super::heads::length_of;
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::Fact;

/// Heads of queries, heads of keys and values, width of a head.
struct Heads {
    key_value: i64,
    query: i64,
    width: Expr,
}

/// The heads, by the last dimension of the query: alone, or with keys and values next to it.
fn heads(ctx: &mut OpContext<'_>, last: Option<Expr>) -> Result<Heads, Fail> {
    let (query, key_value) = (positive(ctx, "num_heads")?, positive(ctx, "kv_num_heads")?);
    let all = key_value.checked_mul(2).and_then(|both| both.checked_add(query));
    let parts = if ctx.has(1) { Some(query) } else { all };
    let width = match (last, parts) {
        (Some(last), Some(parts)) => share(&last, parts),
        _ => ctx.fresh("the width of a head"),
    };
    Ok(Heads { key_value, query, width })
}

fn cache_dtype(ctx: &OpContext<'_>, past: usize) -> DType {
    match ctx.dtype(past) {
        DType::Undefined if !ctx.has(past) && ctx.text_or("k_quant_type", "NONE") == "NONE" => {
            ctx.dtype(0)
        }
        dtype => dtype,
    }
}

/// `GroupQueryAttention`: the caches are as long as what has been seen, or as the buffers that
/// were given if those are longer. An input says how much has been seen.
pub(crate) fn group_query(ctx: &mut OpContext<'_>) -> Outcome {
    let query = optional_dims(ctx, 0, &[3])?;
    let heads = heads(ctx, query.map(|query| query[2].clone()))?;
    let (batch, count) = match query {
        Some(query) => (query[0].clone(), query[1].clone()),
        None => (ctx.fresh("the batch"), ctx.fresh("the number of queries")),
    };
    let width = &heads.width * heads.query;
    let output = Fact::tensor(ctx.dtype(0), [batch.clone(), count.clone(), width]);
    if ctx.outputs < 2 {
        return Ok(vec![output]);
    }
    let seen = length_of(ctx, 6, "how much has been seen");
    let mut outputs = vec![output];
    for past in [3, 4] {
        let given = optional_dims(ctx, past, &[4])?;
        let length = match given {
            Some(given) if ctx.int_or("sliding_window_cache", 0) != 0 => given[2].clone(),
            Some(given) => Expr::max(&given[2], &seen),
            None if ctx.has(past) => ctx.fresh("the length of the cache"),
            None => seen.clone(),
        };
        // A cache of packed integers is narrower than its heads.
        let packed = ctx.text_or("k_quant_type", "NONE") != "NONE"
            && ctx.int_or("kv_cache_bit_width", 8) < 8;
        let head = match given {
            Some(given) => given[3].clone(),
            None if packed => ctx.fresh("the width of a packed head"),
            None => heads.width.clone(),
        };
        let dims = [batch.clone(), heads.key_value.into(), length, head];
        outputs.push(Fact::tensor(cache_dtype(ctx, past), dims));
    }
    outputs.push(Fact::tensor(ctx.dtype(0), [batch, heads.query.into(), count, seen]));
    Ok(outputs)
}

/// `SparseAttention`: its caches are buffers of a fixed length.
pub(crate) fn sparse(ctx: &mut OpContext<'_>) -> Outcome {
    let query = optional_dims(ctx, 0, &[3])?;
    let heads = heads(ctx, query.map(|query| query[2].clone()))?;
    let (batch, count) = match query {
        Some(query) => (query[0].clone(), query[1].clone()),
        None => (ctx.fresh("the batch"), ctx.fresh("the number of queries")),
    };
    let dtype = first_dtype(ctx, &[0, 3]);
    let output = Fact::tensor(dtype, [batch, count, heads.width * heads.query]);
    Ok(vec![output, like(ctx, 3, dtype)?, like(ctx, 4, dtype)?])
}

/// `PagedAttention`: tokens of all sequences in one list, caches in blocks.
pub(crate) fn paged(ctx: &mut OpContext<'_>) -> Outcome {
    let query = optional_dims(ctx, 0, &[2])?;
    let tokens = match query {
        Some(query) => query[0].clone(),
        None => ctx.fresh("the number of tokens"),
    };
    let width = if ctx.text_or("kv_cache_layout", "") == "LATENT" {
        let heads = positive(ctx, "num_heads")?;
        match (ctx.int("v_head_size"), query) {
            (Some(head), _) if head > 0 => Expr::from(head) * heads,
            (None | Some(0), Some(query)) => query[1].clone(),
            _ => ctx.fresh("the width of the value"),
        }
    } else {
        let heads = heads(ctx, query.map(|query| query[1].clone()))?;
        heads.width * heads.query
    };
    let mut outputs = vec![Fact::tensor(ctx.dtype(0), [tokens, width])];
    for cache in [3, 4] {
        if dim(ctx, cache, 0).is_none() && !ctx.has(cache) {
            break;
        }
        outputs.push(like(ctx, cache, ctx.dtype(cache))?);
    }
    Ok(outputs)
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    fn grouped(inputs: &[&str], outputs: usize) -> Vec<String> {
        let attributes = [("num_heads", int(4)), ("kv_num_heads", int(2))];
        reported("com.microsoft", "GroupQueryAttention", inputs, &attributes, outputs)
    }

    #[test]
    fn a_first_prompt_fills_the_caches() {
        let inputs = [
            "float32[B, S, 32]",
            "float32[B, S, 16]",
            "float32[B, S, 16]",
            "",
            "",
            "int32[B]",
            "int32[1]={S}",
        ];
        assert_eq!(
            grouped(&inputs, 3),
            ["float32[B, S, 32]", "float32[B, 2, S, 8]", "float32[B, 2, S, 8]"]
        );
    }

    #[test]
    fn packed_query_key_and_value() {
        // (4 + 2 * 2) heads of 8 are 64 wide; 4 of them leave.
        let inputs = ["float32[B, S, 64]", "", "", "", "", "int32[B]", "int32[]={S}"];
        assert_eq!(grouped(&inputs, 3)[..2], ["float32[B, S, 32]", "float32[B, 2, S, 8]"]);
    }

    #[test]
    fn caches_grow_unless_they_are_long_enough() {
        let with = |past: &str, seen: &str| {
            let past = format!("float32[B, 2, {past}, 8]");
            let seen = format!("int32[1]={{{seen}}}");
            let inputs = [
                "float32[B, 1, 32]",
                "float32[B, 1, 16]",
                "float32[B, 1, 16]",
                &past,
                &past,
                "int32[B]",
                &seen,
            ];
            grouped(&inputs, 2)[1].clone()
        };
        assert_eq!(with("4", "5"), "float32[B, 2, 5, 8]");
        assert_eq!(with("10", "5"), "float32[B, 2, 10, 8]");
        assert_eq!(with("P", "P + 1"), "float32[B, 2, P + 1, 8]");
    }

    #[test]
    fn what_has_been_seen_may_not_be_known() {
        let inputs = [
            "float16[B, 1, 32]",
            "float16[B, 1, 16]",
            "float16[B, 1, 16]",
            "int8[B, 2, P, 8]",
            "int8[B, 2, P, 8]",
            "int32[B]",
            "int32[1]",
        ];
        let reported = grouped(&inputs, 2);
        assert_eq!(reported[0], "float16[B, 1, 32]");
        assert!(
            reported[1].starts_with("int8[B, 2, ") && reported[1].contains("fresh_0"),
            "{}",
            reported[1]
        );
    }

    #[test]
    fn sparse_and_paged_caches_keep_their_shape() {
        let attributes = [("num_heads", int(4)), ("kv_num_heads", int(2))];
        let cache = "float16[B, 2, M, 8]";
        let inputs = ["float16[B, S, 64]", "", "", cache, cache];
        assert_eq!(
            reported("com.microsoft", "SparseAttention", &inputs, &attributes, 3),
            ["float16[B, S, 32]", cache, cache]
        );
        let cache = "int8[N, 16, 2, 8]";
        let inputs = ["float16[T, 32]", "float16[T, 16]", "float16[T, 16]", cache, cache];
        assert_eq!(
            reported("com.microsoft", "PagedAttention", &inputs, &attributes, 3),
            ["float16[T, 32]", cache, cache]
        );
    }
}
