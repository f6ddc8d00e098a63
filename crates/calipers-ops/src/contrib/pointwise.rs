//! Operators whose outputs are shaped as an input: activations, norms, dropouts, sums with a skip.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::inputs::{first_dtype, like, only, shaped, share};
use super::matmul::with_last;
use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::fact::Fact;

/// Unaries, rotations and norms: the output is as the first input.
pub(crate) fn same(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, ctx.dtype(0))?])
}

/// Norms that hand on a sum too: both are as the first input.
pub(crate) fn same_twice(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = like(ctx, 0, ctx.dtype(0))?;
    Ok(vec![fact.clone(), fact])
}

/// Broadcast of two inputs; the type is that of the first.
pub(crate) fn broadcast_pair(
    ctx: &OpContext<'_>,
    left: usize,
    right: usize,
) -> Result<Vec<Expr>, Fail> {
    broadcast(ctx.op, ctx.dims(left)?, ctx.dims(right)?)
}

/// `ComplexMul`, `ComplexMulConj`: products of pairs of numbers.
pub(crate) fn complex_mul(ctx: &mut OpContext<'_>) -> Outcome {
    only(first_dtype(ctx, &[0, 1]), broadcast_pair(ctx, 0, 1))
}

/// `BiasSplitGelu`: one half of the last dimension multiplies a activation of the other.
pub(crate) fn bias_split_gelu(ctx: &mut OpContext<'_>) -> Outcome {
    let half = |ctx: &OpContext<'_>| {
        let last = ctx.dims(0)?.last().cloned().unwrap_or_else(|| Expr::from(1));
        with_last(ctx, 0, share(&last, 2))
    };
    only(ctx.dtype(0), half(ctx))
}

/// `BiasDropout`: the mask says of each element whether it stays.
pub(crate) fn dropout(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, ctx.dtype(0))?, like(ctx, 0, DType::Bool)?])
}

/// `BitmaskDropout`, `BitmaskBiasDropout`: the mask has a bit for each element.
pub(crate) fn bitmask_dropout(ctx: &mut OpContext<'_>) -> Outcome {
    let words = |ctx: &OpContext<'_>| Ok(vec![crate::product(ctx.dims(0)?).ceil_div(&32.into())]);
    Ok(vec![like(ctx, 0, ctx.dtype(0))?, shaped(DType::Uint32, words(ctx))?])
}

/// Dimensions with all from an axis on being 1: what a norm's statistics are.
fn statistics(ctx: &OpContext<'_>, axis: i64) -> Result<Vec<Expr>, Fail> {
    let mut dims = ctx.dims(0)?.to_vec();
    let axis = ctx.axis(axis, dims.len())?;
    dims[axis..].fill(Expr::from(1));
    Ok(dims)
}

/// `SkipLayerNormalization`, `SkipSimplifiedLayerNormalization`: the norm, its statistics, and the
/// sum that was normalized.
pub(crate) fn skip_layer_norm(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1, 2]);
    let normed = like(ctx, 0, dtype)?;
    if ctx.outputs < 2 {
        return Ok(vec![normed]);
    }
    let statistics = shaped(DType::Float32, statistics(ctx, -1))?;
    Ok(vec![normed.clone(), statistics.clone(), statistics, normed])
}

/// `SimplifiedLayerNormalization`: the norm has the type of its scale.
pub(crate) fn simplified_layer_norm(ctx: &mut OpContext<'_>) -> Outcome {
    let normed = like(ctx, 0, first_dtype(ctx, &[1, 0]))?;
    if ctx.outputs < 2 {
        return Ok(vec![normed]);
    }
    let dtype = ctx.dtype_attribute("stash_type").unwrap_or(DType::Float32);
    Ok(vec![normed, shaped(dtype, statistics(ctx, ctx.int_or("axis", -1)))?])
}

/// `EmbedLayerNormalization`: a vector for each token; the number of tokens without padding for
/// each sequence; the vectors before the norm.
pub(crate) fn embed_layer_norm(ctx: &mut OpContext<'_>) -> Outcome {
    embed(ctx, first_dtype(ctx, &[2, 5]))
}

/// `QEmbedLayerNormalization`: the same from quantized tables.
pub(crate) fn q_embed_layer_norm(ctx: &mut OpContext<'_>) -> Outcome {
    embed(ctx, first_dtype(ctx, &[8, 9, 11]))
}

fn embed(ctx: &mut OpContext<'_>, dtype: DType) -> Outcome {
    let tokens = super::inputs::ranked(ctx, 0, 2, "the tokens")?;
    let width = super::inputs::dim(ctx, 2, 1).or_else(|| super::inputs::dim(ctx, 5, 0));
    let width = width.unwrap_or_else(|| ctx.fresh("the width of the table"));
    let vectors = Fact::tensor(dtype, [tokens[0].clone(), tokens[1].clone(), width]);
    let counts = Fact::tensor(DType::Int32, [tokens[0].clone()]);
    Ok(vec![vectors.clone(), counts, vectors])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::reported;

    #[test]
    fn a_vector_for_each_token() {
        let inputs = [
            "int32[B, S]",
            "int32[B, S]",
            "float16[30522, 128]",
            "float16[512, 128]",
            "float16[2, 128]",
            "float16[128]",
            "float16[128]",
            "int32[B, S]",
        ];
        assert_eq!(
            reported("com.microsoft", "EmbedLayerNormalization", &inputs, &[], 3),
            ["float16[B, S, 128]", "int32[B]", "float16[B, S, 128]"]
        );
    }

    #[test]
    fn quantized_tables_give_the_type_of_their_scales() {
        let inputs = [
            "int32[B, S]",
            "",
            "uint8[1000, 64]",
            "uint8[512, 64]",
            "",
            "uint8[64]",
            "uint8[64]",
            "",
            "float32[]",
            "float32[]",
        ];
        assert_eq!(
            reported("com.microsoft", "QEmbedLayerNormalization", &inputs, &[], 2),
            ["float32[B, S, 64]", "int32[B]"]
        );
    }

    #[test]
    fn statistics_are_float32() {
        let inputs = ["float16[B, S, 64]", "float16[B, S, 64]", "float16[64]", "float16[64]"];
        assert_eq!(
            reported("com.microsoft", "SkipLayerNormalization", &inputs, &[], 4),
            ["float16[B, S, 64]", "float32[B, S, 1]", "float32[B, S, 1]", "float16[B, S, 64]"]
        );
    }

    #[test]
    fn masks_of_bits() {
        // 2 * 3 * 8 elements need 48 bits: 2 words.
        assert_eq!(
            reported("com.microsoft", "BitmaskDropout", &["float32[2, 3, 8]"], &[], 2),
            ["float32[2, 3, 8]", "uint32[2]"]
        );
    }

    #[test]
    fn half_of_the_last_dimension() {
        assert_eq!(
            reported(
                "com.microsoft",
                "BiasSplitGelu",
                &["float16[N, S, 5120]", "float16[5120]"],
                &[],
                1
            ),
            ["float16[N, S, 2560]"]
        );
    }
}
