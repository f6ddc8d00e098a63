//! Work on elements: activations, norms, reductions, casts, choices.

use calipers_sym::Expr;

use super::{
    Cost, Work, dims, elements, free, given, input, names, per_input, per_output, unknown,
};
use crate::context::OpContext;
use crate::elem::Elem;
use crate::fact::{Fact, product};

/// `N` operations for each element of the first output, and one for every input from the second on:
/// biases and skips that are fused in.
pub(crate) fn with_added<const N: i64>(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let others: Vec<usize> = (1..ctx.input_count()).collect();
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (N + given(ctx, &others))))
}

/// `Sum`, `Max`, `Min` of several inputs.
pub(crate) fn folded(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let inputs = i64::try_from(ctx.input_count()).unwrap_or(i64::MAX);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (inputs - 1).max(0)))
}

/// `Mean` of several inputs: their sum, and a division.
pub(crate) fn averaged(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let inputs = i64::try_from(ctx.input_count()).unwrap_or(i64::MAX);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * inputs))
}

/// `Cast`, `CastLike`: nothing where the type stays.
pub(crate) fn cast(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let output = outputs.first().and_then(Fact::as_tensor).map(|tensor| tensor.dtype);
    if output.is_some_and(|dtype| dtype == ctx.dtype(0) && dtype != calipers_ir::DType::Undefined) {
        return free(ctx, outputs);
    }
    per_output::<1>(ctx, outputs)
}

/// `Dropout`: nothing, unless it trains; then a choice and a scale.
pub(crate) fn dropout(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    // Before version 12 what runs it never trains, whatever the attribute says.
    if ctx.version < 12 { free(ctx, outputs) } else { switched(ctx, outputs, 2, 0) }
}

/// ONNX Runtime's dropouts: a bias and a skip, and what the dropout itself does.
pub(crate) fn bias_dropout(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    switched(ctx, outputs, 4, 1 + given(ctx, &[2]))
}

/// ONNX Runtime's dropout without a bias.
pub(crate) fn bitmask_dropout(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    switched(ctx, outputs, 2, 0)
}

/// This many operations for each element, and 2 more where an input says that it trains.
fn switched(ctx: &OpContext<'_>, outputs: &[Fact], switch: usize, count: i64) -> Cost {
    let trains = match ctx.value(switch) {
        _ if !ctx.has(switch) => false,
        Some([element]) => match Elem::as_bool(element) {
            Some(trains) => trains,
            None => return unknown(format!("whether {} trains is not known", ctx.op)),
        },
        _ => return unknown(format!("whether {} trains is not known", ctx.op)),
    };
    let count = count + 2 * i64::from(trains);
    if count == 0 {
        return free(ctx, outputs);
    }
    Ok(Work::of_flops(elements(ctx, outputs.first())? * count))
}

/// `BatchNormalization`: a scale and a shift, unless it trains.
pub(crate) fn batch_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    // Before version 14 more outputs than one say so.
    let trains = match ctx.version {
        ..14 => ctx.outputs > 1 && ctx.int_or("is_test", 0) == 0,
        _ => ctx.int_or("training_mode", 0) != 0,
    };
    if trains { per_output::<7>(ctx, outputs) } else { per_output::<2>(ctx, outputs) }
}

/// `LayerNormalization` and its like: scale always, shift where it is given.
pub(crate) fn layer_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (6 + given(ctx, &[2]))))
}

/// ONNX Runtime's `GroupNorm`: perhaps a activation behind.
pub(crate) fn group_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let activation = i64::from(ctx.int_or("activation", 0) != 0);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (7 + activation)))
}

/// `SkipGroupNorm`: a skip, perhaps a bias, then the same.
pub(crate) fn skip_group_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let activation = i64::from(ctx.int_or("activation", 0) != 0);
    let count = 7 + activation + given(ctx, &[3, 4]);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * count))
}

/// `SkipLayerNormalization`: a skip, perhaps a bias, then the norm.
pub(crate) fn skip_layer_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (7 + given(ctx, &[3, 4]))))
}

/// `SkipSimplifiedLayerNormalization`: the same, by the root of the mean square.
pub(crate) fn skip_rms_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (5 + given(ctx, &[3]))))
}

/// `EmbedLayerNormalization`: rows of up to three tables added, then the norm.
pub(crate) fn embed_layer_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (8 + given(ctx, &[4]))))
}

/// `QEmbedLayerNormalization`: the same with the rows turned back into numbers.
pub(crate) fn q_embed_layer_norm(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let tables = 2 + given(ctx, &[4]);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (6 + 3 * tables)))
}

/// `LRN`: squares, their sum over neighboring channels, a power and a quotient.
pub(crate) fn lrn(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    match ctx.int("size") {
        Some(size) if size > 0 => {
            Ok(Work::of_flops(elements(ctx, outputs.first())? * (Expr::from(size) + 3)))
        }
        _ => unknown("how many channels LRN adds is not known"),
    }
}

/// `N` operations for each input element, or none where nothing is reduced.
pub(crate) fn reduce<const N: i64>(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let listed = ctx.attribute("axes").is_some()
        || (ctx.has(1) && ctx.value(1).is_none_or(|axes| !axes.is_empty()));
    if ctx.int_or("noop_with_empty_axes", 0) != 0 && !listed {
        return free(ctx, outputs);
    }
    per_input::<N>(ctx, outputs)
}

/// An operation for each element of every input.
pub(crate) fn every_input(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let mut sum = Expr::ZERO;
    for index in 0..ctx.input_count() {
        sum += input(ctx, index)?;
    }
    Ok(Work::of_flops(sum))
}

/// Elimination of square matrices: two thirds of the cube of their size.
pub(crate) fn determinant(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    cubes(ctx).map(|(count, cube)| Work::of_flops(count * (cube * 2).floor_div(&3.into())))
}

/// Inverses of square matrices: twice the cube of their size.
pub(crate) fn inverse(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    cubes(ctx).map(|(count, cube)| Work::of_flops(count * cube * 2))
}

fn cubes(ctx: &OpContext<'_>) -> Result<(Expr, Expr), crate::Fail> {
    match dims(ctx, ctx.optional(0))? {
        [batch @ .., _, size] => Ok((product(batch), size.pow(3))),
        _ => unknown(format!("{} has no matrices", ctx.op)),
    }
}

/// Scattering: moving, or an operation for each update.
pub(crate) fn scatter(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    if names(ctx, "reduction") {
        return Ok(Work::of_flops(input(ctx, 2)?));
    }
    free(ctx, outputs)
}

/// `NonMaxSuppression`: every score is looked at once. How many boxes are held against each other
/// depends on the boxes, and is not counted.
pub(crate) fn non_max_suppression(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    Ok(Work::of_flops(input(ctx, 1)?))
}

/// `SoftmaxCrossEntropyLoss`: a softmax of all scores, then [`likelihood`].
pub(crate) fn cross_entropy(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let work = likelihood(ctx, outputs)?;
    Ok(Work::of_flops(work.other_flops + input(ctx, 0)? * 5))
}

/// `NegativeLogLikelihoodLoss`: one score for each label, perhaps weighted, and their sum.
pub(crate) fn likelihood(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    Ok(Work::of_flops(input(ctx, 1)? * (1 + given(ctx, &[2]))))
}

/// Rotated queries and keys: 3 for each of their elements.
pub(crate) fn rotated_pair(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let first = elements(ctx, outputs.first())?;
    Ok(Work::of_flops((first + elements(ctx, outputs.get(1))?) * 3))
}

/// `N` operations for each parameter that training changes; `groups` tensors belong to each.
fn trained(ctx: &OpContext<'_>, groups: usize, count: i64) -> Cost {
    let parameters = ctx.input_count().saturating_sub(2) / groups;
    let mut sum = Expr::ZERO;
    for index in 2..2 + parameters {
        sum += input(ctx, index)?;
    }
    Ok(Work::of_flops(sum * count))
}

/// `Adagrad`: decay (2), squares added up (2), root, shift, quotient, rate, difference.
pub(crate) fn adagrad(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    trained(ctx, 3, 9)
}

/// `Adam`: decay (2), two running means (3 and 4), root, shift, quotient, rate, difference.
pub(crate) fn adam(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    trained(ctx, 4, 14)
}

/// `Momentum`: decay (2), the running mean (3), rate, difference.
pub(crate) fn momentum(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    trained(ctx, 3, 7)
}

/// `Gradient`: it represents the backward pass of other nodes.
pub(crate) fn gradient(_: &OpContext<'_>, _: &[Fact]) -> Cost {
    unknown("what a gradient costs depends on the nodes that it is taken of")
}

/// Searches run their graphs until the text ends.
pub(crate) fn search(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    unknown(format!("how often {} runs its graphs depends on its data", ctx.op))
}

/// `LinearAttentionGate`: two gates of one activation each, with their scales and shifts.
pub(crate) fn linear_attention_gate(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(ctx, outputs.first())? * (2 + given(ctx, &[1, 2]))))
}
