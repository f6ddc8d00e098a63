//! Operators whose outputs are shaped as an input: curves, norms, dropouts, sums with a skip.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::matmul::with_last;
use super::told::{first_dtype, like, only, shaped, share};
use crate::call::{Call, Fail, Outcome, broadcast};
use crate::fact::Fact;

/// Curves, rotations and norms: the output is as the first input.
pub(crate) fn same(call: &mut Call<'_>) -> Outcome {
    Ok(vec![like(call, 0, call.dtype(0))?])
}

/// Norms that hand on a sum too: both are as the first input.
pub(crate) fn same_twice(call: &mut Call<'_>) -> Outcome {
    let fact = like(call, 0, call.dtype(0))?;
    Ok(vec![fact.clone(), fact])
}

/// Broadcast of two inputs, the first of which gives the type.
pub(crate) fn broadcast_pair(
    call: &Call<'_>,
    left: usize,
    right: usize,
) -> Result<Vec<Expr>, Fail> {
    broadcast(call.op, call.dims(left)?, call.dims(right)?)
}

/// `ComplexMul`, `ComplexMulConj`: products of pairs of numbers.
pub(crate) fn complex_mul(call: &mut Call<'_>) -> Outcome {
    only(first_dtype(call, &[0, 1]), broadcast_pair(call, 0, 1))
}

/// `BiasSplitGelu`: one half of the last dimension multiplies a curve of the other.
pub(crate) fn bias_split_gelu(call: &mut Call<'_>) -> Outcome {
    let half = |call: &Call<'_>| {
        let last = call.dims(0)?.last().cloned().unwrap_or_else(|| Expr::from(1));
        with_last(call, 0, share(&last, 2))
    };
    only(call.dtype(0), half(call))
}

/// `BiasDropout`: the mask says of each element whether it stays.
pub(crate) fn dropout(call: &mut Call<'_>) -> Outcome {
    Ok(vec![like(call, 0, call.dtype(0))?, like(call, 0, DType::Bool)?])
}

/// `BitmaskDropout`, `BitmaskBiasDropout`: the mask has a bit for each element.
pub(crate) fn bitmask_dropout(call: &mut Call<'_>) -> Outcome {
    let words = |call: &Call<'_>| Ok(vec![crate::product(call.dims(0)?).ceil_div(&32.into())]);
    Ok(vec![like(call, 0, call.dtype(0))?, shaped(DType::Uint32, words(call))?])
}

/// Dimensions with all from an axis on being 1: what a norm's statistics are.
fn statistics(call: &Call<'_>, axis: i64) -> Result<Vec<Expr>, Fail> {
    let mut dims = call.dims(0)?.to_vec();
    let axis = call.axis(axis, dims.len())?;
    dims[axis..].fill(Expr::from(1));
    Ok(dims)
}

/// `SkipLayerNormalization`, `SkipSimplifiedLayerNormalization`: the norm, its statistics, and the
/// sum that was normalised.
pub(crate) fn skip_layer_norm(call: &mut Call<'_>) -> Outcome {
    let dtype = first_dtype(call, &[0, 1, 2]);
    let normed = like(call, 0, dtype)?;
    if call.outputs < 2 {
        return Ok(vec![normed]);
    }
    let statistics = shaped(DType::Float32, statistics(call, -1))?;
    Ok(vec![normed.clone(), statistics.clone(), statistics, normed])
}

/// `SimplifiedLayerNormalization`: the norm has the type of its scale.
pub(crate) fn simplified_layer_norm(call: &mut Call<'_>) -> Outcome {
    let normed = like(call, 0, first_dtype(call, &[1, 0]))?;
    if call.outputs < 2 {
        return Ok(vec![normed]);
    }
    let dtype = call.dtype_attribute("stash_type").unwrap_or(DType::Float32);
    Ok(vec![normed, shaped(dtype, statistics(call, call.int_or("axis", -1)))?])
}

/// `EmbedLayerNormalization`: a vector for each token; the number of tokens that are no padding for
/// each sequence; the vectors before the norm.
pub(crate) fn embed_layer_norm(call: &mut Call<'_>) -> Outcome {
    embed(call, first_dtype(call, &[2, 5]))
}

/// `QEmbedLayerNormalization`: the same from quantised tables.
pub(crate) fn q_embed_layer_norm(call: &mut Call<'_>) -> Outcome {
    embed(call, first_dtype(call, &[8, 9, 11]))
}

fn embed(call: &mut Call<'_>, dtype: DType) -> Outcome {
    let tokens = super::told::ranked(call, 0, 2, "the tokens")?;
    let width = super::told::dim(call, 2, 1).or_else(|| super::told::dim(call, 5, 0));
    let width = width.unwrap_or_else(|| call.fresh("the width of the table"));
    let vectors = Fact::tensor(dtype, [tokens[0].clone(), tokens[1].clone(), width]);
    let counts = Fact::tensor(DType::Int32, [tokens[0].clone()]);
    Ok(vec![vectors.clone(), counts, vectors])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::told;

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
            told("com.microsoft", "EmbedLayerNormalization", &inputs, &[], 3),
            ["float16[B, S, 128]", "int32[B]", "float16[B, S, 128]"]
        );
    }

    #[test]
    fn quantised_tables_give_the_type_of_their_scales() {
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
            told("com.microsoft", "QEmbedLayerNormalization", &inputs, &[], 2),
            ["float32[B, S, 64]", "int32[B]"]
        );
    }

    #[test]
    fn statistics_are_float32() {
        let inputs = ["float16[B, S, 64]", "float16[B, S, 64]", "float16[64]", "float16[64]"];
        assert_eq!(
            told("com.microsoft", "SkipLayerNormalization", &inputs, &[], 4),
            ["float16[B, S, 64]", "float32[B, S, 1]", "float32[B, S, 1]", "float16[B, S, 64]"]
        );
    }

    #[test]
    fn masks_of_bits() {
        // 2 * 3 * 8 elements need 48 bits: 2 words.
        assert_eq!(
            told("com.microsoft", "BitmaskDropout", &["float32[2, 3, 8]"], &[], 2),
            ["float32[2, 3, 8]", "uint32[2]"]
        );
    }

    #[test]
    fn half_of_the_last_dimension() {
        assert_eq!(
            told(
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
