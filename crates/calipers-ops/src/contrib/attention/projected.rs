//! Attention that multiplies its input by the weights of query, key and value itself.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::super::inputs::{dim, first_dtype, optional_dims, positive, ranked, share};
use crate::context::{Fail, OpContext, Outcome};
use crate::fact::Fact;

/// Widths of query and value after the projection.
struct Widths {
    query: Option<Expr>,
    value: Expr,
}

/// Widths as the attribute says; otherwise three equal ones fill the bias, or the weights.
fn widths(ctx: &mut OpContext<'_>, weights: usize, bias: usize) -> Result<Widths, Fail> {
    match ctx.ints("qkv_hidden_sizes") {
        Some([query, _, value]) if *query > 0 && *value > 0 => {
            return Ok(Widths { query: Some((*query).into()), value: (*value).into() });
        }
        Some([]) | None => {}
        Some(sizes) => {
            return Err(Fail::contradiction(format!(
                "{} has sizes of {sizes:?} for query, key and value",
                ctx.op
            )));
        }
    }
    let all = dim(ctx, bias, 0).or_else(|| dim(ctx, weights, 1));
    Ok(match all {
        Some(all) => {
            let width = share(&all, 3);
            Widths { query: Some(width.clone()), value: width }
        }
        None => Widths { query: None, value: ctx.fresh("the width of the value") },
    })
}

/// The output and the cache of keys and values, both in one tensor.
fn with_cache(ctx: &mut OpContext<'_>, dtype: DType, bias: usize, past: usize) -> Outcome {
    let heads = positive(ctx, "num_heads")?;
    let input = ranked(ctx, 0, 3, "the input of the attention")?;
    let widths = widths(ctx, 1, bias)?;
    let output = Fact::tensor(dtype, [input[0].clone(), input[1].clone(), widths.value.clone()]);
    if ctx.outputs < 2 {
        return Ok(vec![output]);
    }
    let cache = optional_dims(ctx, past, &[5])?;
    let head = match (cache, &widths.query) {
        (Some(cache), _) => cache[4].clone(),
        // Heads of keys and values share one tensor only when they are as wide.
        (None, Some(query)) if *query == widths.value => share(query, heads),
        _ => ctx.fresh("the width of a head"),
    };
    let shared = ctx.int_or("past_present_share_buffer", 0) != 0;
    let length = match cache {
        Some(cache) if shared => cache[3].clone(),
        Some(cache) => &cache[3] + &input[1],
        None if ctx.has(past) || shared => ctx.fresh("the length of the cache"),
        None => input[1].clone(),
    };
    let present = [Expr::from(2), input[0].clone(), heads.into(), length, head];
    Ok(vec![output, Fact::tensor(dtype, present)])
}

/// `Attention`, `DecoderMaskedSelfAttention`: the output is as wide as the value; the cache grows
/// by the input's length, unless it is a buffer that is written in place.
pub(crate) fn attention(ctx: &mut OpContext<'_>) -> Outcome {
    with_cache(ctx, first_dtype(ctx, &[0, 1]), 2, 4)
}

/// `QAttention`: the same on quantized input and weights; its numbers are of the scales' type.
pub(crate) fn q_attention(ctx: &mut OpContext<'_>) -> Outcome {
    with_cache(ctx, first_dtype(ctx, &[3, 4, 2]), 2, 8)
}

/// `PackedAttention`: tokens of all sequences in one list.
pub(crate) fn packed_attention(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ranked(ctx, 0, 2, "the number of tokens")?;
    let widths = widths(ctx, 1, 2)?;
    Ok(vec![Fact::tensor(ctx.dtype(0), [input[0].clone(), widths.value])])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, ints, reported};

    #[test]
    fn a_third_of_the_bias_is_the_width() {
        let inputs = ["float32[B, S, 32]", "float32[32, 96]", "float32[96]"];
        assert_eq!(
            reported("com.microsoft", "Attention", &inputs, &[("num_heads", int(4))], 2),
            ["float32[B, S, 32]", "float32[2, B, 4, S, 8]"]
        );
    }

    #[test]
    fn the_value_may_be_narrower() {
        let inputs = ["float16[B, S, 32]", "float16[32, 88]", "float16[88]"];
        let attributes = [("num_heads", int(4)), ("qkv_hidden_sizes", ints(&[32, 32, 24]))];
        assert_eq!(
            reported("com.microsoft", "Attention", &inputs, &attributes, 1),
            ["float16[B, S, 24]"]
        );
    }

    #[test]
    fn the_cache_grows_by_the_input() {
        let inputs =
            ["float32[B, S, 32]", "float32[32, 96]", "float32[96]", "", "float32[2, B, 4, P, 8]"];
        assert_eq!(
            reported("com.microsoft", "Attention", &inputs, &[("num_heads", int(4))], 2),
            ["float32[B, S, 32]", "float32[2, B, 4, P + S, 8]"]
        );
        let shared = [("num_heads", int(4)), ("past_present_share_buffer", int(1))];
        assert_eq!(
            reported("com.microsoft", "Attention", &inputs, &shared, 2)[1],
            "float32[2, B, 4, P, 8]"
        );
    }

    #[test]
    fn quantized_attention_is_of_the_type_of_its_scales() {
        let inputs = [
            "uint8[B, S, 64]",
            "int8[64, 192]",
            "float32[192]",
            "float32[]",
            "float32[192]",
            "",
            "uint8[]",
            "int8[192]",
            "float32[2, B, 8, P, 8]",
        ];
        assert_eq!(
            reported("com.microsoft", "QAttention", &inputs, &[("num_heads", int(8))], 2),
            ["float32[B, S, 64]", "float32[2, B, 8, P + S, 8]"]
        );
    }

    #[test]
    fn packed_tokens() {
        let inputs = ["float16[T, 32]", "float16[32, 96]", "float16[96]", "int32[B, S]"];
        assert_eq!(
            reported("com.microsoft", "PackedAttention", &inputs, &[("num_heads", int(4))], 1),
            ["float16[T, 32]"]
        );
    }
}
