//! Recurrent layers: `[batch, steps, features]`, kernels of all gates side by side.

use calipers_sym::Expr;

use super::inner::ask_dims;
use super::stored;
use crate::context::{Fail, OpContext, Outcome};
use crate::cost::{self, Work};
use crate::fact::{Fact, product};
use crate::known;

/// States that a cell keeps from step to step.
fn states(op: &str) -> usize {
    if op.contains("LSTM") { 2 } else { 1 }
}

fn gates(op: &str) -> i64 {
    match op {
        _ if op.contains("LSTM") => 4,
        _ if op.contains("GRU") => 3,
        _ => 1,
    }
}

/// The width of the state: as stated, and as the weights have it.
fn units(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    let stated = ctx.int("units").map(Expr::from);
    let stored = known::ranked(ctx, 2, 2)?.map(|dims| &dims[0]);
    let units = known::agree(ctx, "the width of its state", &[stated.as_ref(), stored])?;
    units.ok_or_else(|| Fail::unknown(format!("the width of the state of {} is not known", ctx.op)))
}

/// Batch and steps, checked against what the kernel takes.
fn sequence<'a>(ctx: &OpContext<'a>) -> Result<[&'a Expr; 2], Fail> {
    let dims = ctx.dims_of_rank(0, 3)?;
    let rows = known::ranked(ctx, 1, 2)?.map(|kernel| &kernel[0]);
    known::agree(ctx, "features", &[Some(&dims[2]), rows])?;
    Ok([&dims[0], &dims[1]])
}

/// What a layer returns: every step or the last, and perhaps its states.
fn returned(ctx: &OpContext<'_>, width: &Expr, units: &Expr, copies: usize) -> Outcome {
    let dtype = ctx.dtype(0);
    let [batch, steps] = sequence(ctx)?;
    let all = ctx.int_or("return_sequences", 0) != 0;
    let output = match all {
        true => Fact::tensor(dtype, [batch.clone(), steps.clone(), width.clone()]),
        false => Fact::tensor(dtype, [batch.clone(), width.clone()]),
    };
    let mut outputs = vec![output];
    if ctx.int_or("return_state", 0) != 0 {
        let state = Fact::tensor(dtype, [batch.clone(), units.clone()]);
        outputs.extend(std::iter::repeat_n(state, states(ctx.op) * copies));
    }
    Ok(outputs)
}

pub(super) fn one_way(ctx: &mut OpContext<'_>) -> Outcome {
    let units = units(ctx)?;
    returned(ctx, &units, &units, 1)
}

pub(super) fn both_ways(ctx: &mut OpContext<'_>) -> Outcome {
    let units = units(ctx)?;
    match ctx.int_or("merge", 1) {
        // Both directions as outputs of their own.
        0 => {
            let mut outputs = returned(ctx, &units, &units, 2)?;
            if let Some(first) = outputs.first().cloned() {
                outputs.insert(1, first);
            }
            Ok(outputs)
        }
        1 => returned(ctx, &(&units * 2), &units, 2),
        _ => returned(ctx, &units, &units, 2),
    }
}

/// At every step the weights of all gates once; next to them a sum and an activation for each gate,
/// a bias where it is given, and 5 operations for the state of cells with gates.
pub(super) fn cost(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let input = cost::ranked(ctx, 0, 3)?;
    let steps = &input[0] * &input[1];
    let is_both = ctx.op.starts_with("Bidirectional");
    let mut weights = stored(ctx, 1)? + stored(ctx, 2)?;
    if is_both {
        weights += stored(ctx, 5)? + stored(ctx, 6)?;
    }
    let update = if gates(ctx.op) > 1 { 5 } else { 0 };
    let each = gates(ctx.op) * (2 + cost::given(ctx, &[3])) + update;
    let directions = if is_both { 2 } else { 1 };
    let states = &steps * units(ctx)? * directions;
    Ok(Work { macs: steps * weights, other_flops: states * each })
}

/// Sizes of the images that a convolutional cell keeps.
fn images(ctx: &mut OpContext<'_>) -> Result<Vec<Expr>, Fail> {
    let [batch, steps, space @ .., channels] = ctx.dims(0)? else {
        return Err(Fail::contradiction(format!("{} lacks steps", ctx.op)));
    };
    let image = [batch * steps, channels.clone()].into_iter().chain(space.iter().cloned());
    let image = Fact::tensor(ctx.dtype(0), image);
    let [window @ .., inputs, outputs] = ctx.dims(1)? else {
        return Err(Fail::contradiction(format!("the kernel of {} has no window", ctx.op)));
    };
    let kernel = [outputs.clone(), inputs.clone()].into_iter().chain(window.iter().cloned());
    let kernel = Fact::tensor(ctx.dtype(1), kernel);
    let dims = ask_dims(ctx, "Conv", &[Some(image), Some(kernel)], &[])?;
    Ok(dims.into_iter().skip(2).collect())
}

/// `ConvLSTM`: a cell whose products are convolutions, of `[batch, steps, …, channels]`.
pub(super) fn convolutional(ctx: &mut OpContext<'_>) -> Outcome {
    let space = images(ctx)?;
    let dtype = ctx.dtype(0);
    let units = ctx.int("units").map(Expr::from);
    let units = known::or_fresh(ctx, units, "the filters of the cell");
    let [batch, steps, ..] = ctx.dims(0)? else {
        return Err(Fail::contradiction(format!("{} lacks steps", ctx.op)));
    };
    let state: Vec<Expr> =
        [batch.clone()].into_iter().chain(space.clone()).chain([units.clone()]).collect();
    let mut all = state.clone();
    if ctx.int_or("return_sequences", 0) != 0 {
        all.insert(1, steps.clone());
    }
    let mut outputs = vec![Fact::tensor(dtype, all)];
    if ctx.int_or("return_state", 0) != 0 {
        outputs.extend(std::iter::repeat_n(Fact::tensor(dtype, state), 2));
    }
    Ok(outputs)
}

pub(super) fn convolutional_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let [batch, steps, ..] = ctx.dims(0)? else {
        return cost::unknown("the steps of ConvLSTM are not known");
    };
    let skipped = if ctx.int_or("return_sequences", 0) != 0 { 2 } else { 1 };
    let image = match cost::dims(ctx, outputs.first())?.get(skipped..) {
        Some([space @ .., _]) => product(space),
        _ => return cost::unknown("the output of ConvLSTM is not known"),
    };
    let places = batch * steps * image;
    let weights = stored(ctx, 1)? + stored(ctx, 2)?;
    let units = Expr::from(ctx.int_or("units", 0));
    let each = 4 * (2 + cost::given(ctx, &[3])) + 5;
    Ok(Work { macs: &places * weights, other_flops: places * units * each })
}
