//! Positions and padding around attention.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::super::inputs::{dim, first_dtype, like, optional_dims, positive, ranked};
use super::heads::length_of;
use crate::context::{OpContext, Outcome};
use crate::fact::Fact;

/// `GemmaRotaryEmbedding`: query and key, turned.
pub(crate) fn gemma_rotary(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[1, 3]);
    Ok(vec![like(ctx, 1, dtype)?, like(ctx, 3, dtype)?])
}

/// `RelativePositionBias`: a bias for each head, query and key. The lengths are inputs.
pub(crate) fn relative_position_bias(ctx: &mut OpContext<'_>) -> Outcome {
    let table = ranked(ctx, 0, 2, "the number of heads")?;
    let queries = length_of(ctx, 1, "the number of queries");
    let keys = length_of(ctx, 2, "the number of keys");
    Ok(vec![Fact::tensor(ctx.dtype(0), [Expr::from(1), table[1].clone(), queries, keys])])
}

/// `GatedRelativePositionBias`: a bias for each sequence, head, query and key.
pub(crate) fn gated_relative_position_bias(ctx: &mut OpContext<'_>) -> Outcome {
    let heads = positive(ctx, "num_heads")?;
    let (batch, count) = match optional_dims(ctx, 0, &[2, 3])? {
        Some([batch, count, _]) => (Some(batch.clone()), Some(count.clone())),
        // Tokens in one list: their offsets have the shape of the batch.
        _ => (dim(ctx, 6, 0), dim(ctx, 6, 1)),
    };
    let batch = batch.unwrap_or_else(|| ctx.fresh("the batch"));
    let count = count.or_else(|| dim(ctx, 2, 2));
    let count = count.unwrap_or_else(|| ctx.fresh("the number of queries"));
    let dims = [batch, heads.into(), count.clone(), count];
    Ok(vec![Fact::tensor(ctx.dtype(0), dims)])
}

/// `RemovePadding`: the tokens without the padding, where they were, and the lengths.
pub(crate) fn remove_padding(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ranked(ctx, 0, 3, "the padded input")?;
    let tokens = ctx.fresh("the number of tokens without padding");
    Ok(vec![
        Fact::tensor(ctx.dtype(0), [tokens, input[2].clone()]),
        Fact::tensor(DType::Int32, [input[0].clone(), input[1].clone()]),
        Fact::tensor(DType::Int32, [&input[0] + 1]),
        Fact::tensor(DType::Int32, [Expr::from(1)]),
    ])
}

/// `RestorePadding`: the inverse.
pub(crate) fn restore_padding(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ranked(ctx, 0, 2, "the tokens")?;
    let offsets = ranked(ctx, 1, 2, "the padded shape")?;
    let dims = [offsets[0].clone(), offsets[1].clone(), input[1].clone()];
    Ok(vec![Fact::tensor(ctx.dtype(0), dims)])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    #[test]
    fn lengths_are_inputs() {
        let inputs = ["float32[32, 8]", "int64[1]={S}", "int64[1]={S}"];
        assert_eq!(
            reported("com.microsoft", "RelativePositionBias", &inputs, &[], 1),
            ["float32[1, 8, S, S]"]
        );
    }

    #[test]
    fn gates_by_sequence_or_by_token() {
        let attributes = [("num_heads", int(8))];
        let whole = ["float32[B, S, 64]", "float32[64]", "float32[1, 8, S, S]"];
        assert_eq!(
            reported("com.microsoft", "GatedRelativePositionBias", &whole, &attributes, 1),
            ["float32[B, 8, S, S]"]
        );
        let list = [
            "float32[T, 64]",
            "float32[64]",
            "float32[1, 8, S, S]",
            "float32[8, 8]",
            "float32[8]",
            "float32[1, 8, 1, 1]",
            "int32[B, S]",
        ];
        assert_eq!(
            reported("com.microsoft", "GatedRelativePositionBias", &list, &attributes, 1),
            ["float32[B, 8, S, S]"]
        );
    }

    #[test]
    fn padding_goes_and_comes_back() {
        assert_eq!(
            reported("com.microsoft", "RemovePadding", &["float32[B, S, 64]", "int32[B]"], &[], 4),
            ["float32[fresh_0, 64]", "int32[B, S]", "int32[B + 1]", "int32[1]"]
        );
        assert_eq!(
            reported("com.microsoft", "RestorePadding", &["float32[T, 64]", "int32[B, S]"], &[], 1),
            ["float32[B, S, 64]"]
        );
    }
}
