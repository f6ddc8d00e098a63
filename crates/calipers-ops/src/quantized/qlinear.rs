//! ONNX Runtime's arithmetic on quantized tensors, without numbers in between.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::linear::result_dtype;
use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::contrib::inputs::{dim, first_dtype, only, ranked};
use crate::contrib::pointwise::broadcast_pair;
use crate::contrib::window::{self, Layout};
use crate::fact::Fact;

/// `QLinearAdd`, `QLinearMul`: two tensors, each with its scale and zero point.
pub(super) fn pair(ctx: &mut OpContext<'_>) -> Outcome {
    only(first_dtype(ctx, &[0, 3, 7]), broadcast_pair(ctx, 0, 3))
}

/// `QLinearWhere`: one or the other.
pub(super) fn choose(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let either = broadcast(ctx.op, ctx.dims(1)?, ctx.dims(4)?)?;
        broadcast(ctx.op, ctx.dims(0)?, &either)
    };
    only(first_dtype(ctx, &[1, 4, 8]), dims(ctx))
}

/// `QLinearConcat`: each tensor is followed by its scale and zero point.
pub(super) fn concat(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = result_dtype(ctx, 1, 2);
    let dims = |ctx: &mut OpContext<'_>| {
        let parts: Vec<usize> = (2..ctx.input_count()).step_by(3).collect();
        let Some(first) = parts.first() else {
            return Err(Fail::contradiction("QLinearConcat has nothing to join"));
        };
        let Some(axis) = ctx.int("axis") else {
            return Err(Fail::contradiction("QLinearConcat lacks the attribute \"axis\""));
        };
        let known = parts.iter().find_map(|part| ctx.dims(*part).ok());
        let Some(known) = known else {
            return Err(Fail::unknown(format!("input {first} is not known")));
        };
        let mut dims = known.to_vec();
        let axis = ctx.axis(axis, dims.len())?;
        let mut sum = Expr::from(0);
        for part in parts {
            let size = match ctx.dims_of_rank(part, dims.len()) {
                Ok(part) => {
                    // A number says more than a name for the same.
                    for (dim, other) in dims.iter_mut().zip(part) {
                        if dim.as_const().is_none() && other.as_const().is_some() {
                            *dim = other.clone();
                        }
                    }
                    part[axis].clone()
                }
                Err(Fail::Unknown(_)) => ctx.fresh("the size of a part"),
                Err(contradiction) => return Err(contradiction),
            };
            sum += size;
        }
        dims[axis] = sum;
        Ok(dims)
    };
    let dims = dims(ctx);
    only(dtype, dims)
}

/// `QLinearAveragePool`.
pub(super) fn average_pool(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), window::pool(ctx, Layout::from_context(ctx)))
}

/// The same with the channels last.
pub(super) fn average_pool_last(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), window::pool(ctx, Layout::Last))
}

/// `QLinearGlobalAveragePool`.
pub(super) fn global_average_pool(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), window::global_pool(ctx, Layout::from_context(ctx)))
}

/// The same with the channels last.
pub(super) fn global_average_pool_last(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), window::global_pool(ctx, Layout::Last))
}

/// Dimensions without those of the attribute `axes`, or with 1 in their place.
fn reduced(ctx: &OpContext<'_>) -> Result<Vec<Expr>, Fail> {
    let dims = ctx.dims(0)?;
    let axes = match ctx.ints("axes") {
        Some(axes) if !axes.is_empty() => axes
            .iter()
            .map(|axis| ctx.axis(*axis, dims.len()))
            .collect::<Result<Vec<usize>, Fail>>()?,
        _ => (0..dims.len()).collect(),
    };
    let keep = ctx.int_or("keepdims", 1) != 0;
    let kept = dims.iter().enumerate().filter_map(|(axis, dim)| {
        if !axes.contains(&axis) { Some(dim.clone()) } else { keep.then(|| Expr::from(1)) }
    });
    Ok(kept.collect())
}

/// `QLinearReduceMean`.
pub(super) fn reduce_mean(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), reduced(ctx))
}

/// `ReduceSumInteger`: sums of 32 bits, with or without a sign.
pub(super) fn reduce_sum_integer(ctx: &mut OpContext<'_>) -> Outcome {
    only(DType::Undefined, reduced(ctx))
}

/// `QOrderedAttention`: the output is as wide as the weights of the value.
pub(super) fn ordered_attention(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ranked(ctx, 0, 3, "the input of the attention")?;
    let width = match ctx.ints("qkv_hidden_sizes") {
        Some([_, _, width]) if *width > 0 => Some(Expr::from(*width)),
        _ => dim(ctx, 7, 1),
    };
    let width = width.unwrap_or_else(|| ctx.fresh("the width of the value"));
    Ok(vec![Fact::tensor(DType::Int8, [input[0].clone(), input[1].clone(), width])])
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, ints, reported};

    const MS: &str = "com.microsoft";

    #[test]
    fn sums_broadcast() {
        let inputs = [
            "uint8[N, 8, 7, 7]",
            "float32[]",
            "uint8[]",
            "uint8[8, 1, 1]",
            "float32[]",
            "uint8[]",
            "float32[]",
            "uint8[]",
        ];
        assert_eq!(reported(MS, "QLinearAdd", &inputs, &[], 1), ["uint8[N, 8, 7, 7]"]);
    }

    #[test]
    fn parts_are_joined() {
        let inputs = [
            "float32[]",
            "uint8[]",
            "uint8[N, 3]",
            "float32[]",
            "uint8[]",
            "uint8[2, M]",
            "float32[]",
            "uint8[]",
        ];
        assert_eq!(
            reported(MS, "QLinearConcat", &inputs, &[("axis", int(-1))], 1),
            ["uint8[2, M + 3]"]
        );
    }

    #[test]
    fn pools_and_means() {
        let inputs = ["int8[N, 7, 9, 64]", "float32[]", "int8[]", "float32[]", "int8[]"];
        let last = [("channels_last", int(1))];
        assert_eq!(
            reported(MS, "QLinearGlobalAveragePool", &inputs, &last, 1),
            ["int8[N, 1, 1, 64]"]
        );
        let pool = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
        assert_eq!(reported(MS, "QLinearAveragePool", &inputs, &pool, 1), ["int8[N, 7, 4, 32]"]);
        let mean = [("axes", ints(&[1, -2])), ("keepdims", int(0))];
        assert_eq!(reported(MS, "QLinearReduceMean", &inputs, &mean, 1), ["int8[N, 64]"]);
    }

    #[test]
    fn one_or_the_other() {
        let inputs = [
            "bool[B, 1]",
            "uint8[4]",
            "float32[]",
            "uint8[]",
            "uint8[]",
            "float32[]",
            "uint8[]",
            "float32[]",
            "uint8[]",
        ];
        assert_eq!(reported(MS, "QLinearWhere", &inputs, &[], 1), ["uint8[B, 4]"]);
    }
}
