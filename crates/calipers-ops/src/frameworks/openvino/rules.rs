//! Shapes and costs of operators that OpenVINO has alone.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::contrib::inputs::{first_dtype, only};
use crate::cost::{self, Cost, Work};
use crate::fact::{Fact, product};
use crate::known;
use crate::movement::given::{dimension, list};

/// Operators whose result only the shape that the file states gives.
pub(super) fn stated(ctx: &mut OpContext<'_>) -> Outcome {
    Err(Fail::unknown(format!("the shape of {} is what the file states", ctx.op)))
}

/// A tensor whose dimensions have the sizes of these dimensions of the input. Which of several of one
/// size became which is not known.
pub(super) fn moved_sizes(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let input = ctx.dims(0)?;
        let Some(places) = ctx.ints("sizes") else {
            return Err(Fail::unknown("the order of the dimensions is not in the file"));
        };
        let of = |place: &i64| input.get(usize::try_from(*place).ok()?).cloned();
        let dims: Option<Vec<Expr>> = places.iter().map(of).collect();
        dims.ok_or_else(|| Fail::unknown("the order of the dimensions is not in the file"))
    };
    only(ctx.dtype(0), dims(ctx))
}

/// A batch of channels in the size that is asked for, and where each element comes from.
pub(super) fn adaptive(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let dims = |ctx: &OpContext<'_>| {
        let input = ctx.dims(0)?;
        let asked = ctx.exprs(1).ok_or_else(|| Fail::unknown("the size asked for is not known"))?;
        let mut dims: Vec<Expr> = input.iter().take(2).cloned().collect();
        for size in asked {
            dims.push(size.cloned().ok_or_else(|| Fail::unknown("a size is not known"))?);
        }
        Ok(dims)
    };
    let pooled = only(dtype, dims(ctx))?;
    let places = only(DType::Int64, dims(ctx))?;
    Ok([pooled, places].concat())
}

/// A tensor of the shape that an input gives.
pub(super) fn given_shape<const INPUT: usize>(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = if INPUT == 0 { DType::Undefined } else { ctx.dtype(0) };
    let why = "the shape that is asked for";
    let sizes = match list(ctx, "", INPUT) {
        None => return Err(Fail::contradiction(format!("{} lacks its shape", ctx.op))),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(dtype, reason)]),
        Some(Ok(sizes)) => sizes,
    };
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes {
        dims.push(match size {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        });
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// What is before and what is after each dimension are two inputs.
pub(super) fn pad(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let Some(dims) = known::dims(ctx, 0)? else {
        return Ok(vec![known::unranked(ctx, 0, dtype)]);
    };
    let (before, after) = (ctx.exprs(1), ctx.exprs(2));
    let why = "the pads that Pad is given";
    let mut padded = Vec::with_capacity(dims.len());
    for (axis, dim) in dims.iter().enumerate() {
        let at = |pads: &Option<Vec<Option<&Expr>>>| {
            pads.as_ref()?.get(axis).copied().flatten().cloned()
        };
        padded.push(match at(&before).zip(at(&after)) {
            Some((before, after)) => dimension(ctx, dim + before + after, why)?,
            None => ctx.fresh(why),
        });
    }
    Ok(vec![Fact::tensor(dtype, padded)])
}

/// The place among bounds that each element falls in.
pub(super) fn bucketize(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, DType::Int64)?])
}

pub(super) fn is_finite(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![ctx.shaped_like(0, DType::Bool)?])
}

pub(super) fn not_equal(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| broadcast(ctx.op, ctx.dims(0)?, ctx.dims(1)?);
    only(DType::Bool, dims(ctx))
}

/// Sizes per axis of an operator that moves space to the batch or back: a block, and what is added
/// or cut at both ends.
fn blocks(ctx: &OpContext<'_>) -> Result<Vec<[Expr; 2]>, Fail> {
    let lacking = |input: usize| Fail::unknown(format!("input {input} of {} is not known", ctx.op));
    let values = |input: usize| -> Result<Vec<Expr>, Fail> {
        let values = ctx.exprs(input).ok_or_else(|| lacking(input))?;
        values.into_iter().map(|value| value.cloned().ok_or_else(|| lacking(input))).collect()
    };
    let [block, before, after]: [Vec<Expr>; 3] = [values(1)?, values(2)?, values(3)?];
    if block.len() != before.len() || block.len() != after.len() {
        return Err(Fail::contradiction(format!("the blocks of {} differ in number", ctx.op)));
    }
    let ends = before.into_iter().zip(after).map(|(before, after)| before + after);
    Ok(block.into_iter().zip(ends).map(|(block, ends)| [block, ends]).collect())
}

fn moved_blocks(ctx: &OpContext<'_>, to_batch: bool) -> Result<Vec<Expr>, Fail> {
    let input = ctx.dims(0)?;
    let blocks = blocks(ctx)?;
    if blocks.len() != input.len() {
        return Err(Fail::contradiction(format!(
            "{} has {} blocks for {} dimensions",
            ctx.op,
            blocks.len(),
            input.len()
        )));
    }
    let mut dims = Vec::with_capacity(input.len());
    let mut all = Expr::ONE;
    for (size, [block, ends]) in input.iter().zip(&blocks) {
        dims.push(match to_batch {
            true => (size + ends).floor_div(block),
            false => size * block - ends,
        });
        all *= block;
    }
    // The block of the batch itself is 1.
    if let Some(batch) = dims.first_mut() {
        *batch = match to_batch {
            true => &*batch * all,
            false => batch.floor_div(&all),
        };
    }
    Ok(dims)
}

pub(super) fn space_to_batch(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = moved_blocks(ctx, true);
    only(ctx.dtype(0), dims)
}

pub(super) fn batch_to_space(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = moved_blocks(ctx, false);
    only(ctx.dtype(0), dims)
}

/// Rows of a table behind a dimension of another tensor.
fn rows(ctx: &OpContext<'_>, count: &Expr) -> Result<Vec<Expr>, Fail> {
    let table = ctx.dims(0)?;
    let row = table.get(1..).unwrap_or_default();
    Ok(std::iter::once(count).chain(row).cloned().collect())
}

pub(super) fn bags(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| rows(ctx, &ctx.dims_of_rank(2, 1)?[0]);
    only(ctx.dtype(0), dims(ctx))
}

pub(super) fn packed_bags(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| rows(ctx, &ctx.dims_of_rank(1, 2)?[0]);
    only(ctx.dtype(0), dims(ctx))
}

pub(super) fn segments(ctx: &mut OpContext<'_>) -> Outcome {
    let count = match ctx.exprs(3).as_deref() {
        Some([Some(count)]) => Some((*count).clone()),
        _ => None,
    };
    let count = known::or_fresh(ctx, count, "how many segments are summed");
    let dims = rows(ctx, &count);
    only(ctx.dtype(0), dims)
}

/// A sum for each element of each row that is looked up.
pub(super) fn summed_rows(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let table = cost::dims(ctx, ctx.optional(0))?;
    let row = product(table.get(1..).unwrap_or_default());
    Ok(Work::of_flops(cost::input(ctx, 1)? * row))
}

/// One step of a recurrent layer: its states, each of the shape of the first.
pub(super) fn cell(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    let dims = |ctx: &OpContext<'_>| Ok(ctx.dims_of_rank(1, 2)?.to_vec());
    let states = if ctx.op == "LSTMCell" { 2 } else { 1 };
    let state = only(dtype, dims(ctx))?;
    Ok(std::iter::repeat_n(state, states).flatten().collect())
}

/// Every row of the batch by all weights; what is next to it is as in `cost::recurrent`.
pub(super) fn cell_cost(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let (weights, gates, update) = match ctx.op {
        "LSTMCell" => ([3, 4], 4, 5),
        "GRUCell" => ([2, 3], 3, 5),
        _ => ([2, 3], 1, 0),
    };
    let batch = &cost::ranked(ctx, 0, 2)?[0];
    let state = cost::input(ctx, 1)?;
    let macs = batch * (cost::input(ctx, weights[0])? + cost::input(ctx, weights[1])?);
    let each = gates * (2 + cost::given(ctx, &[weights[1] + 1])) + update;
    Ok(Work { macs, other_flops: state * each })
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    const DOMAIN: &str = crate::OPENVINO;

    #[test]
    fn blocks_have_an_entry_for_every_dimension() {
        let inputs = [
            "float32[1, 4, 5, 8]",
            "int64[4]={1, 2, 2, 1}",
            "int64[4]={0, 0, 0, 0}",
            "int64[4]={0, 0, 1, 0}",
        ];
        assert_eq!(reported(DOMAIN, "SpaceToBatch", &inputs, &[], 1), ["float32[4, 2, 3, 8]"]);
        let inputs = ["float32[4, 2, 3, 8]", inputs[1], inputs[2], inputs[3]];
        assert_eq!(reported(DOMAIN, "BatchToSpace", &inputs, &[], 1), ["float32[1, 4, 5, 8]"]);
    }

    #[test]
    fn cells_keep_their_states() {
        let inputs = [
            "float32[batch, 16]",
            "float32[batch, 32]",
            "float32[batch, 32]",
            "float32[128, 16]",
            "float32[128, 32]",
            "float32[128]",
        ];
        let size = [("hidden_size", int(32))];
        assert_eq!(reported(DOMAIN, "LSTMCell", &inputs, &size, 2), ["float32[batch, 32]"; 2]);
    }

    #[test]
    fn bags_have_a_row_each() {
        let inputs = ["float32[100, 8]", "int32[batch, 3]"];
        let shape = reported(DOMAIN, "EmbeddingBagPacked", &inputs, &[], 1);
        assert_eq!(shape, ["float32[batch, 8]"]);
    }
}
