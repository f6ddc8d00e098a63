//! Attention that carries a state instead of a cache.

use calipers_ir::DType;

use super::super::inputs::{dim, first_dtype, like, optional_dims, positive, share};
use crate::context::{OpContext, Outcome};
use crate::fact::Fact;

/// `LinearAttention`: the output is as wide as the values of all heads; the state is a matrix for
/// each head, perhaps one for each of the last turns.
pub(crate) fn linear_attention(ctx: &mut OpContext<'_>) -> Outcome {
    let (query_heads, heads) = (positive(ctx, "q_num_heads")?, positive(ctx, "kv_num_heads")?);
    let query = optional_dims(ctx, 0, &[3])?;
    let (batch, count) = match query {
        Some(query) => (query[0].clone(), query[1].clone()),
        None => (ctx.fresh("the batch"), ctx.fresh("the number of queries")),
    };
    let mut head = |input: usize, heads: i64, state: usize| {
        let state = ctx.optional_tensor(3).and_then(|past| {
            let dims = past.dims()?;
            dims.get(dims.len().checked_sub(state)?).cloned()
        });
        let found = dim(ctx, input, 2).map(|width| share(&width, heads)).or(state);
        found.unwrap_or_else(|| ctx.fresh("the width of a head"))
    };
    let (key, value) = (head(0, query_heads, 2), head(2, heads, 1));
    let width = &value * query_heads.max(heads);
    let output = Fact::tensor(ctx.dtype(0), [batch.clone(), count, width]);
    let mut state = vec![batch, heads.into(), key, value];
    let window = ctx.int_or("state_window", 0);
    if window > 0 {
        state.insert(0, window.into());
    }
    let dtype = match ctx.dtype(0) {
        _ if ctx.has(3) => ctx.dtype(3),
        DType::Float32 => DType::Float32,
        // A state that is not given may be wider than what it is made from.
        _ => DType::Undefined,
    };
    Ok(vec![output, Fact::tensor(dtype, state)])
}

/// `LinearAttentionGate`: two gates shaped as what they are made from.
pub(crate) fn linear_attention_gate(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    Ok(vec![like(ctx, 0, dtype)?, like(ctx, 0, dtype)?])
}

/// `CausalConvWithState`: the output is shaped as the input; the state holds what the kernel
/// reaches back.
pub(crate) fn causal_conv(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    let output = like(ctx, 0, dtype)?;
    if ctx.has(3) {
        return Ok(vec![output, like(ctx, 3, dtype)?]);
    }
    let plain = ctx.int_or("ndim", 1) == 1
        && ctx.int_or("channels_last", 0) == 0
        && ctx.int_or("state_window", 0) == 0;
    let state = match (dim(ctx, 0, 0), dim(ctx, 0, 1), dim(ctx, 1, 2)) {
        (Some(batch), Some(channels), Some(kernel)) if plain => {
            let reach = (kernel - 1) * ctx.int_or("dilation", 1);
            Fact::tensor(dtype, [batch, channels, reach])
        }
        _ => Fact::unranked(dtype, "the shape of its state is not known"),
    };
    Ok(vec![output, state])
}

/// `VarlenCausalConvWithState`: the same on a list of tokens; states keep their shape.
pub(crate) fn varlen_causal_conv(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    Ok(vec![like(ctx, 0, dtype)?, like(ctx, 4, dtype)?])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    #[test]
    fn a_matrix_for_each_head() {
        let inputs = ["float32[B, T, 16]", "float32[B, T, 8]", "float32[B, T, 12]"];
        let attributes = [("q_num_heads", int(4)), ("kv_num_heads", int(2))];
        assert_eq!(
            reported("com.microsoft", "LinearAttention", &inputs, &attributes, 2),
            ["float32[B, T, 24]", "float32[B, 2, 4, 6]"]
        );
    }

    #[test]
    fn the_state_is_what_the_kernel_reaches_back() {
        let inputs = ["float16[B, 4, L]", "float16[4, 1, 3]"];
        assert_eq!(
            reported("com.microsoft", "CausalConvWithState", &inputs, &[("dilation", int(2))], 2),
            ["float16[B, 4, L]", "float16[B, 4, 4]"]
        );
    }
}
