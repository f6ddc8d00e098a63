//! Normalization.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::InputRole::{Data, Statistic, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::{Fact, TensorFact};
use crate::known;
use crate::row::Operator;
use crate::traits::{Class, Lowering, Norm, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Normalization(Norm::Layer),
    [
        Operator::onnx("BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic])
            .normalizes(Norm::Batch)
            .lowers(Lowering::As("BatchNormalization", &[0, 1, 2, 3, 4]))
            .in_place(true)
            .has_integer_kernel()
            .since(&[1, 6, 7, 9, 14, 15])
            .infer(batch)
            .costs(cost::pointwise::batch_norm),
        Operator::onnx("GroupNormalization", &[Data, Weight, Weight])
            .normalizes(Norm::Group)
            .since(&[18, 21])
            .infer(channels)
            .costs(cost::per_output::<7>),
        Operator::onnx("InstanceNormalization", &[Data, Weight, Weight])
            .normalizes(Norm::Instance)
            .since(&[1, 6, 22])
            .infer(channels)
            .costs(cost::per_output::<7>),
        Operator::onnx("LRN", &[])
            .normalizes(Norm::LocalResponse)
            .since(&[1, 13])
            .infer(same)
            .costs(cost::pointwise::lrn),
        Operator::onnx("LayerNormalization", &[Data, Weight, Weight])
            .normalizes(Norm::Layer)
            .since(&[17])
            .infer(layer)
            .costs(cost::pointwise::layer_norm),
        Operator::onnx("LpNormalization", &[])
            .normalizes(Norm::Lp)
            .since(&[1, 22])
            .infer(same)
            .costs(cost::per_output::<3>),
        Operator::onnx("MeanVarianceNormalization", &[])
            .normalizes(Norm::MeanVariance)
            .since(&[9, 13])
            .infer(same)
            .costs(cost::per_output::<5>),
        Operator::onnx("RMSNormalization", &[Data, Weight])
            .normalizes(Norm::Rms)
            .since(&[23])
            .infer(root_mean_square)
            .costs(cost::per_output::<4>),
        Operator::onnx("SimplifiedLayerNormalization", &[Data, Weight])
            .normalizes(Norm::Rms)
            .lowers(Lowering::As("RMSNormalization", &[0, 1]))
            .infer(root_mean_square)
            .costs(cost::per_output::<4>),
    ],
);

/// The type and shape of the input: <https://onnx.ai/onnx/operators/onnx__LRN.html>,
/// `onnx__LpNormalization`, `onnx__MeanVarianceNormalization`.
fn same(ctx: &mut OpContext<'_>) -> Outcome {
    let tensor = ctx.tensor(0)?;
    let (dtype, shape) = (tensor.dtype, tensor.shape.clone());
    Ok(vec![Fact::Tensor(TensorFact { dtype, shape, value: None })])
}

/// The type and shape of the input, with a scale for each channel:
/// <https://onnx.ai/onnx/operators/onnx__InstanceNormalization.html>, `onnx__GroupNormalization`.
fn channels(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2]);
    // Before version 21 a group had one scale.
    if ctx.op == "GroupNormalization" && ctx.version < 21 {
        return Ok(vec![match known::dims(ctx, 0)? {
            Some(dims) => Fact::tensor(dtype, dims.iter().cloned()),
            None => known::unranked(ctx, 0, dtype),
        }]);
    }
    Ok(vec![scaled_by_channel(ctx, dtype)?])
}

/// The shape of the input, whose channels are as many as the scale has elements.
fn scaled_by_channel(ctx: &OpContext<'_>, dtype: DType) -> Result<Fact, Fail> {
    let Some(dims) = known::dims(ctx, 0)? else { return Ok(known::unranked(ctx, 0, dtype)) };
    let mut dims = dims.to_vec();
    if let Some([scales]) = known::optional_dims(ctx, 1)?
        && let Some(channels) = dims.get_mut(1)
        && let Some(known) = known::agree(ctx, "channels", &[Some(&*channels), Some(scales)])?
    {
        *channels = known;
    }
    Ok(Fact::tensor(dtype, dims))
}

/// The input normalized, and running statistics of each channel when training; before version 14
/// also the statistics of this batch:
/// <https://onnx.ai/onnx/operators/onnx__BatchNormalization.html>.
fn batch(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, if ctx.version < 14 { &[0, 1, 2, 3, 4] } else { &[0] });
    let mut outputs = vec![scaled_by_channel(ctx, dtype)?];
    let statistics = if ctx.version < 14 { &[3, 4, 3, 4][..] } else { &[3, 4] };
    for input in statistics.iter().take(ctx.outputs.saturating_sub(1)) {
        let own = if ctx.version < 14 { dtype } else { known::dtype(ctx, &[*input, 7 - input]) };
        outputs.push(match known::dims(ctx, *input)? {
            Some(dims) => Fact::tensor(own, dims.iter().cloned()),
            None => known::unranked(ctx, *input, own),
        });
    }
    Ok(outputs)
}

/// The input normalized over its last axes, with the mean and the inverse of the deviation, which
/// are 1 along those: <https://onnx.ai/onnx/operators/onnx__LayerNormalization.html>.
fn layer(ctx: &mut OpContext<'_>) -> Outcome {
    // ONNX Runtime's own operator, from before the standard had one, gives the type of the scale.
    let typed_by = if ctx.version < 17 { &[1, 2, 0] } else { &[0, 1, 2] };
    let dtype = known::dtype(ctx, typed_by);
    let (normalized, reduced) = over_last(ctx, dtype)?;
    Ok(vec![normalized, reduced.clone(), reduced])
}

/// The input over its root mean square along its last axes, of the scale's type:
/// <https://onnx.ai/onnx/operators/onnx__RMSNormalization.html>. ONNX Runtime writes
/// `SimplifiedLayerNormalization` in the standard domain, and it gives the inverse too.
fn root_mean_square(ctx: &mut OpContext<'_>) -> Outcome {
    let (normalized, reduced) = over_last(ctx, ctx.dtype(1))?;
    Ok(vec![normalized, reduced])
}

/// What is normalized, and what is computed once for all that is normalized together.
fn over_last(ctx: &OpContext<'_>, dtype: DType) -> Result<(Fact, Fact), Fail> {
    let stash = ctx.dtype_attribute("stash_type").unwrap_or(DType::Float32);
    let Some(dims) = known::dims(ctx, 0)? else {
        return Ok((known::unranked(ctx, 0, dtype), known::unranked(ctx, 0, stash)));
    };
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len())?;
    let ones = std::iter::repeat_n(Expr::from(1), dims.len() - axis);
    let reduced = Fact::tensor(stash, dims[..axis].iter().cloned().chain(ones));
    let mut dims = dims.to_vec();
    // A vector of scales for the last axis alone says how long that is, unless it is one for all.
    if axis + 1 == dims.len()
        && dims[axis].as_const().is_none()
        && let Some([scales]) = known::optional_dims(ctx, 1)?
        && scales.as_const().is_some_and(|count| count != 1)
    {
        dims[axis] = scales.clone();
    }
    Ok((Fact::tensor(dtype, dims), reduced))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Attr;
    use crate::contraction::testing::{floats, reported};

    fn halves(dims: &str) -> Option<Fact> {
        let dims = dims.split_whitespace().map(|dim| Expr::from_dimension(dim, 1));
        Some(Fact::tensor(DType::Float16, dims))
    }

    #[test]
    fn statistics_are_of_a_channel() {
        let of_channel = || halves("C");
        let statistics = || floats("C");
        let inputs = [halves("N C 4"), of_channel(), of_channel(), statistics(), statistics()];
        let shapes = reported("BatchNormalization", 15, &inputs, &[]).unwrap();
        assert_eq!(shapes, ["float16[N, C, 4]", "float32[C]", "float32[C]"]);
        let inputs = [floats("N C 4"), floats("C"), floats("C"), floats("C"), floats("C")];
        let shapes = reported("BatchNormalization", 7, &inputs, &[]).unwrap();
        assert_eq!(shapes.len(), 5);
        assert_eq!(shapes[4], "float32[C]");
    }

    #[test]
    fn means_are_one_along_what_is_normalized() {
        let inputs = [halves("B S 8 64"), halves("8 64")];
        let shapes =
            reported("LayerNormalization", 17, &inputs, &[("axis", Attr::Int(-2))]).unwrap();
        assert_eq!(shapes, ["float16[B, S, 8, 64]", "float32[B, S, 1, 1]", "float32[B, S, 1, 1]"]);
        let shapes =
            reported("RMSNormalization", 23, &[floats("B S 64"), halves("64")], &[]).unwrap();
        assert_eq!(shapes[0], "float16[B, S, 64]");
    }

    #[test]
    fn scales_say_how_many_they_scale() {
        let shapes =
            reported("LayerNormalization", 17, &[floats("B S H"), floats("64")], &[]).unwrap();
        assert_eq!(shapes[0], "float32[B, S, 64]");
        let shapes =
            reported("LayerNormalization", 17, &[floats("B S H"), floats("1")], &[]).unwrap();
        assert_eq!(shapes[0], "float32[B, S, H]");
        let inputs = [floats("N C 4"), floats("8"), floats("8")];
        assert_eq!(
            reported("InstanceNormalization", 22, &inputs, &[]).unwrap(),
            ["float32[N, 8, 4]"]
        );
        assert_eq!(reported("GroupNormalization", 18, &inputs, &[]).unwrap(), ["float32[N, C, 4]"]);
        let inputs = [floats("N 6 4"), floats("8"), floats("8")];
        assert!(matches!(
            reported("InstanceNormalization", 22, &inputs, &[]),
            Err(Fail::Contradiction(_))
        ));
    }
}
