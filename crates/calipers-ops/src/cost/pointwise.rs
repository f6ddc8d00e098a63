//! Work on elements: curves, norms, reductions, casts, choices.

use calipers_sym::Expr;

use super::{
    Cost, Work, dims, elements, free, given, input, names, per_input, per_output, unknown,
};
use crate::call::Call;
use crate::elem::Elem;
use crate::fact::{Fact, product};

/// `N` operations for each element of the first output, and one for every input from the second on:
/// biases and skips that are fused in.
pub(crate) fn with_added<const N: i64>(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let others: Vec<usize> = (1..call.input_count()).collect();
    Ok(Work::of_flops(elements(call, outputs.first())? * (N + given(call, &others))))
}

/// `Sum`, `Max`, `Min` of several inputs.
pub(crate) fn folded(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let inputs = i64::try_from(call.input_count()).unwrap_or(i64::MAX);
    Ok(Work::of_flops(elements(call, outputs.first())? * (inputs - 1).max(0)))
}

/// `Mean` of several inputs: their sum, and a division.
pub(crate) fn averaged(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let inputs = i64::try_from(call.input_count()).unwrap_or(i64::MAX);
    Ok(Work::of_flops(elements(call, outputs.first())? * inputs))
}

/// `Cast`, `CastLike`: nothing where the type stays.
pub(crate) fn cast(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let output = outputs.first().and_then(Fact::as_tensor).map(|tensor| tensor.dtype);
    if output.is_some_and(|dtype| dtype == call.dtype(0) && dtype != calipers_ir::DType::Undefined)
    {
        return free(call, outputs);
    }
    per_output::<1>(call, outputs)
}

/// `Dropout`: nothing, unless it trains; then a choice and a scale.
pub(crate) fn dropout(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    // Before version 12 what runs it never trains, whatever the attribute says.
    if call.version < 12 { free(call, outputs) } else { switched(call, outputs, 2, 0) }
}

/// ONNX Runtime's dropouts: a bias and a skip, and what the dropout itself does.
pub(crate) fn bias_dropout(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    switched(call, outputs, 4, 1 + given(call, &[2]))
}

/// ONNX Runtime's dropout without a bias.
pub(crate) fn bitmask_dropout(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    switched(call, outputs, 2, 0)
}

/// So many operations for each element, and 2 more where an input says that it trains.
fn switched(call: &Call<'_>, outputs: &[Fact], switch: usize, count: i64) -> Cost {
    let trains = match call.value(switch) {
        _ if !call.has(switch) => false,
        Some([element]) => match Elem::as_bool(element) {
            Some(trains) => trains,
            None => return unknown(format!("whether {} trains is not known", call.op)),
        },
        _ => return unknown(format!("whether {} trains is not known", call.op)),
    };
    let count = count + 2 * i64::from(trains);
    if count == 0 {
        return free(call, outputs);
    }
    Ok(Work::of_flops(elements(call, outputs.first())? * count))
}

/// `BatchNormalization`: a scale and a shift, unless it trains.
pub(crate) fn batch_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    // Before version 14 more outputs than one say so.
    let trains = match call.version {
        ..14 => call.outputs > 1 && call.int_or("is_test", 0) == 0,
        _ => call.int_or("training_mode", 0) != 0,
    };
    if trains { per_output::<7>(call, outputs) } else { per_output::<2>(call, outputs) }
}

/// `LayerNormalization` and its like: scale always, shift where it is given.
pub(crate) fn layer_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(call, outputs.first())? * (6 + given(call, &[2]))))
}

/// ONNX Runtime's `GroupNorm`: perhaps a curve behind.
pub(crate) fn group_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let curve = i64::from(call.int_or("activation", 0) != 0);
    Ok(Work::of_flops(elements(call, outputs.first())? * (7 + curve)))
}

/// `SkipGroupNorm`: a skip, perhaps a bias, then the same.
pub(crate) fn skip_group_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let curve = i64::from(call.int_or("activation", 0) != 0);
    let count = 7 + curve + given(call, &[3, 4]);
    Ok(Work::of_flops(elements(call, outputs.first())? * count))
}

/// `SkipLayerNormalization`: a skip, perhaps a bias, then the norm.
pub(crate) fn skip_layer_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(call, outputs.first())? * (7 + given(call, &[3, 4]))))
}

/// `SkipSimplifiedLayerNormalization`: the same, by the root of the mean square.
pub(crate) fn skip_rms_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(call, outputs.first())? * (5 + given(call, &[3]))))
}

/// `EmbedLayerNormalization`: rows of up to three tables added, then the norm.
pub(crate) fn embed_layer_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(call, outputs.first())? * (8 + given(call, &[4]))))
}

/// `QEmbedLayerNormalization`: the same with the rows turned back into numbers.
pub(crate) fn q_embed_layer_norm(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let tables = 2 + given(call, &[4]);
    Ok(Work::of_flops(elements(call, outputs.first())? * (6 + 3 * tables)))
}

/// `LRN`: squares, their sum over neighbouring channels, a power and a quotient.
pub(crate) fn lrn(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    match call.int("size") {
        Some(size) if size > 0 => {
            Ok(Work::of_flops(elements(call, outputs.first())? * (Expr::from(size) + 3)))
        }
        _ => unknown("how many channels LRN adds is not known"),
    }
}

/// `N` operations for each input element, or none where nothing is reduced.
pub(crate) fn reduce<const N: i64>(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let listed = call.attribute("axes").is_some()
        || (call.has(1) && call.value(1).is_none_or(|axes| !axes.is_empty()));
    if call.int_or("noop_with_empty_axes", 0) != 0 && !listed {
        return free(call, outputs);
    }
    per_input::<N>(call, outputs)
}

/// An operation for each element of every input.
pub(crate) fn every_input(call: &Call<'_>, _: &[Fact]) -> Cost {
    let mut sum = Expr::ZERO;
    for index in 0..call.input_count() {
        sum += input(call, index)?;
    }
    Ok(Work::of_flops(sum))
}

/// Elimination of square matrices: two thirds of the cube of their size.
pub(crate) fn determinant(call: &Call<'_>, _: &[Fact]) -> Cost {
    cubes(call).map(|(count, cube)| Work::of_flops(count * (cube * 2).floor_div(&3.into())))
}

/// Inverses of square matrices: twice the cube of their size.
pub(crate) fn inverse(call: &Call<'_>, _: &[Fact]) -> Cost {
    cubes(call).map(|(count, cube)| Work::of_flops(count * cube * 2))
}

fn cubes(call: &Call<'_>) -> Result<(Expr, Expr), crate::Fail> {
    match dims(call, call.optional(0))? {
        [batch @ .., _, size] => Ok((product(batch), size.pow(3))),
        _ => unknown(format!("{} has no matrices", call.op)),
    }
}

/// Scattering: moving, or an operation for each update.
pub(crate) fn scatter(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    if names(call, "reduction") {
        return Ok(Work::of_flops(input(call, 2)?));
    }
    free(call, outputs)
}

/// `NonMaxSuppression`: every score is looked at once. How many boxes are held against each other
/// depends on the boxes, and is not counted.
pub(crate) fn non_max_suppression(call: &Call<'_>, _: &[Fact]) -> Cost {
    Ok(Work::of_flops(input(call, 1)?))
}

/// `SoftmaxCrossEntropyLoss`: a softmax of all scores, then [`likelihood`].
pub(crate) fn cross_entropy(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let work = likelihood(call, outputs)?;
    Ok(Work::of_flops(work.other_flops + input(call, 0)? * 5))
}

/// `NegativeLogLikelihoodLoss`: one score for each label, perhaps weighed, and their sum.
pub(crate) fn likelihood(call: &Call<'_>, _: &[Fact]) -> Cost {
    Ok(Work::of_flops(input(call, 1)? * (1 + given(call, &[2]))))
}

/// Rotated queries and keys: 3 for each of their elements.
pub(crate) fn rotated_pair(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    let first = elements(call, outputs.first())?;
    Ok(Work::of_flops((first + elements(call, outputs.get(1))?) * 3))
}

/// `N` operations for each parameter that training changes; `groups` tensors belong to each.
fn trained(call: &Call<'_>, groups: usize, count: i64) -> Cost {
    let parameters = call.input_count().saturating_sub(2) / groups;
    let mut sum = Expr::ZERO;
    for index in 2..2 + parameters {
        sum += input(call, index)?;
    }
    Ok(Work::of_flops(sum * count))
}

/// `Adagrad`: decay (2), squares added up (2), root, shift, quotient, rate, difference.
pub(crate) fn adagrad(call: &Call<'_>, _: &[Fact]) -> Cost {
    trained(call, 3, 9)
}

/// `Adam`: decay (2), two running means (3 and 4), root, shift, quotient, rate, difference.
pub(crate) fn adam(call: &Call<'_>, _: &[Fact]) -> Cost {
    trained(call, 4, 14)
}

/// `Momentum`: decay (2), the running mean (3), rate, difference.
pub(crate) fn momentum(call: &Call<'_>, _: &[Fact]) -> Cost {
    trained(call, 3, 7)
}

/// `Gradient`: it stands for the backward pass of other nodes.
pub(crate) fn gradient(_: &Call<'_>, _: &[Fact]) -> Cost {
    unknown("what a gradient costs depends on the nodes that it is taken of")
}

/// Searches run their graphs until the text ends.
pub(crate) fn search(call: &Call<'_>, _: &[Fact]) -> Cost {
    unknown(format!("how often {} runs its graphs depends on its data", call.op))
}

/// `LinearAttentionGate`: two gates of one curve each, with their scales and shifts.
pub(crate) fn linear_attention_gate(call: &Call<'_>, outputs: &[Fact]) -> Cost {
    Ok(Work::of_flops(elements(call, outputs.first())? * (2 + given(call, &[1, 2]))))
}
