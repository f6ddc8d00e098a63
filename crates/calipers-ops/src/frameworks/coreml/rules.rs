//! Shapes and costs of operators that Core ML alone has.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::contrib::inputs::{like, only};
use crate::cost::{self, Work};
use crate::fact::{Fact, product};
use crate::frameworks::rules::broadcast_pair;
use crate::known;
use crate::window::{Padding, Window};

/// The file states the shape.
pub(super) fn stated(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![Fact::unranked(ctx.dtype(0), format!("{} has no rule for its shape", ctx.op))])
}

/// The file states the shapes.
pub(super) fn stated_all(ctx: &mut OpContext<'_>) -> Outcome {
    let why = format!("{} has no rule for its shape", ctx.op);
    Ok((0..ctx.outputs).map(|_| Fact::unranked(DType::Undefined, why.clone())).collect())
}

pub(super) fn argsort(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, DType::Int32)?])
}

pub(super) fn not_equal(ctx: &mut OpContext<'_>) -> Outcome {
    let facts = broadcast_pair(ctx)?;
    let truth = |fact| match fact {
        Fact::Tensor(mut tensor) => {
            tensor.dtype = DType::Bool;
            Fact::Tensor(tensor)
        }
        other => other,
    };
    Ok(facts.into_iter().map(truth).collect())
}

/// A vector has a number for each channel of a blob.
pub(super) fn by_channel(ctx: &mut OpContext<'_>) -> Outcome {
    let is_blob = ctx.dims(0)?.len().max(ctx.dims(1)?.len()) > 2;
    let spread = |dims: &[Expr]| match dims {
        [channels] if is_blob => vec![channels.clone(), Expr::from(1), Expr::from(1)],
        dims => dims.to_vec(),
    };
    let dims = broadcast(ctx.op, &spread(ctx.dims(0)?), &spread(ctx.dims(1)?));
    only(known::dtype(ctx, &[0, 1]), dims)
}

pub(super) fn scale_shift(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let each = i64::from(ctx.has(1)) + i64::from(ctx.has(2));
    Ok(Work::of_flops(cost::elements(ctx, outputs.first())? * each))
}

/// Squares of space become channels, or the other way round.
pub(super) fn blocks(ctx: &mut OpContext<'_>) -> Outcome {
    let mut dims = ctx.dims(0)?.to_vec();
    let block = ctx.int_or("blocksize", 1);
    let Some([channels, height, width]) = dims.last_chunk_mut::<3>() else {
        return Err(Fail::contradiction(format!("{} lacks a height and a width", ctx.op)));
    };
    if block < 1 {
        return Err(Fail::contradiction(format!("{} has blocks of {block}", ctx.op)));
    }
    let side = Expr::from(block);
    if ctx.op == "DepthToSpace" {
        *channels = channels.floor_div(&side).floor_div(&side);
        [height, width].into_iter().for_each(|size| *size = &*size * block);
    } else {
        *channels = &*channels * block * block;
        [height, width].into_iter().for_each(|size| *size = size.floor_div(&side));
    }
    only(ctx.dtype(0), Ok(dims))
}

/// The axis of an index has the elements of its vector.
pub(super) fn embedding(ctx: &mut OpContext<'_>) -> Outcome {
    let mut dims = ctx.dims(0)?.to_vec();
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len())?;
    dims[axis] = ctx.dims_of_rank(1, 2)?[0].clone();
    only(ctx.dtype(1), Ok(dims))
}

/// Numbers of a table at indices: with a table of vectors, along the axis that these fill, the file
/// states the shape.
pub(super) fn from_table(ctx: &mut OpContext<'_>) -> Outcome {
    match ctx.int("vector_axis") {
        Some(_) => {
            Ok(vec![Fact::unranked(ctx.dtype(1), "the table of LutToDense has vectors".to_owned())])
        }
        None => Ok(vec![like(ctx, 0, ctx.dtype(1))?]),
    }
}

pub(super) fn from_mask(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 1, ctx.dtype(0))?])
}

/// The dimensions in front of the channels, and the spatial ones.
fn split<'a>(
    ctx: &OpContext<'_>,
    dims: &'a [Expr],
    space: usize,
) -> Result<(&'a [Expr], &'a Expr, &'a [Expr]), Fail> {
    let channels = dims.len().checked_sub(space + 1);
    let channels = channels.ok_or_else(|| {
        Fail::contradiction(format!("{} has an input of rank {}", ctx.op, dims.len()))
    })?;
    Ok((&dims[..channels], &dims[channels], &dims[channels + 1..]))
}

/// The window of the weights, and the dimensions of the input around it.
fn kernel(weights: &[Expr]) -> Vec<Option<Expr>> {
    weights.iter().skip(2).cloned().map(Some).collect()
}

pub(super) fn convolution(ctx: &mut OpContext<'_>) -> Outcome {
    let (input, weights) = (ctx.dims(0)?, ctx.dims(1)?);
    let kernel = kernel(weights);
    let (batch, _, space) = split(ctx, input, kernel.len())?;
    let window = Window::read(ctx, &kernel)?;
    let mut dims = batch.to_vec();
    dims.extend(weights.first().cloned());
    for (axis, size) in space.iter().enumerate() {
        let size = window.convolved(ctx, axis, size)?;
        dims.push(known::or_fresh(ctx, size, "the input convolved and its kernel"));
    }
    Ok(vec![Fact::tensor(ctx.dtype(0), dims)])
}

pub(super) fn deconvolution(ctx: &mut OpContext<'_>) -> Outcome {
    let (input, weights) = (ctx.dims(0)?, ctx.dims(1)?);
    let kernel = kernel(weights);
    let (batch, _, space) = split(ctx, input, kernel.len())?;
    let window = Window::read(ctx, &kernel)?;
    let asked = ctx.ints("output_shape");
    let mut dims = batch.to_vec();
    dims.extend(weights.get(1).map(|each| each * ctx.int_or("group", 1)));
    for (axis, size) in space.iter().enumerate() {
        let along = window.axis(axis);
        let grown = match (asked.and_then(|sizes| sizes.get(axis)), &along.extent) {
            (Some(size), _) => Some(Expr::from(*size)),
            (None, _) if window.padding == Padding::Same => Some(size * &along.stride),
            (None, extent) => extent
                .as_ref()
                .map(|extent| (size - 1) * &along.stride + extent - &along.before - &along.after),
        };
        dims.push(known::or_fresh(ctx, grown, "the input convolved and its kernel"));
    }
    only(ctx.dtype(0), Ok(dims))
}

/// A window for each channel, or all of its space as one.
pub(super) fn pooling(ctx: &mut OpContext<'_>) -> Outcome {
    let input = ctx.dims(0)?;
    let sizes = ctx.ints("kernel_shape").unwrap_or_default();
    let kernel: Vec<Option<Expr>> = sizes.iter().map(|size| Some(Expr::from(*size))).collect();
    let (batch, channels, space) = split(ctx, input, kernel.len())?;
    let mut dims = batch.to_vec();
    dims.push(channels.clone());
    if ctx.int_or("global", 0) != 0 {
        dims.extend(space.iter().map(|_| Expr::from(1)));
        return Ok(vec![Fact::tensor(ctx.dtype(0), dims)]);
    }
    let window = Window::read(ctx, &kernel)?;
    let ceil = ctx.int_or("ceil_mode", 0) != 0;
    for (axis, size) in space.iter().enumerate() {
        let places = window.pooled(ctx, axis, size, ceil)?;
        dims.push(known::or_fresh(ctx, places, "where the last windows fall"));
    }
    Ok(vec![Fact::tensor(ctx.dtype(0), dims)])
}

pub(super) fn pooled(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    if ctx.int_or("global", 0) != 0 {
        return cost::per_input::<1>(ctx, outputs);
    }
    let window = ctx.ints("kernel_shape").unwrap_or_default();
    let places = window.iter().fold(Expr::from(1), |places, size| places * *size);
    Ok(Work::of_flops(cost::elements(ctx, outputs.first())? * places))
}

/// A vector of all elements times a matrix, whose rows are the outputs.
pub(super) fn inner_product(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), ctx.dims_of_rank(1, 2).map(|weights| vec![weights[0].clone()]))
}

pub(super) fn inner_products(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let bias = i64::from(ctx.has(2));
    let other_flops = cost::elements(ctx, outputs.first())? * bias;
    Ok(Work { macs: cost::input(ctx, 1)?, other_flops })
}

/// The axes of a blob that are reduced become one, counted from the end.
pub(super) fn reduced(ctx: &mut OpContext<'_>) -> Outcome {
    let mut dims = ctx.dims(0)?.to_vec();
    for axis in ctx.ints("axes").unwrap_or_default() {
        let axis = ctx.axis(*axis, dims.len())?;
        dims[axis] = Expr::from(1);
    }
    Ok(vec![Fact::tensor(ctx.dtype(0), dims)])
}

/// Sizes of the last dimensions: by factors, as numbers, or with elements taken off both ends.
pub(super) fn resized(ctx: &mut OpContext<'_>) -> Outcome {
    let mut dims = ctx.dims(0)?.to_vec();
    let (factors, sizes) = (ctx.ints("factors"), ctx.ints("sizes"));
    let added = ctx.ints("added");
    let count = [factors, sizes, added].into_iter().flatten().map(<[i64]>::len).max().unwrap_or(0);
    let Some(first) = dims.len().checked_sub(count) else {
        let rank = dims.len();
        return Err(Fail::contradiction(format!("{} has an input of rank {rank}", ctx.op)));
    };
    for (place, dim) in dims[first..].iter_mut().enumerate() {
        if let Some(factor) = factors.and_then(|factors| factors.get(place)) {
            *dim = &*dim * *factor;
        }
        if let Some(size) = sizes.and_then(|sizes| sizes.get(place)) {
            *dim = Expr::from(*size);
        }
        if let Some(added) = added.and_then(|added| added.get(place)) {
            *dim = &*dim + *added;
        }
    }
    only(ctx.dtype(0), Ok(dims))
}

/// The hidden state of each step: the size of the vectors changes. Where the file has no such
/// size, it states the shapes.
pub(super) fn recurrent(ctx: &mut OpContext<'_>) -> Outcome {
    let Some(hidden) = ctx.int("hidden_size") else { return stated_all(ctx) };
    let mut dims = ctx.dims(0)?.to_vec();
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len())?;
    let directions = ctx.int_or("directions", 1);
    dims[axis] = Expr::from(hidden);
    let state = Fact::tensor(ctx.dtype(0), dims.iter().cloned());
    dims[axis] = Expr::from(hidden.saturating_mul(directions));
    let mut outputs = vec![Fact::tensor(ctx.dtype(0), dims)];
    outputs.resize(ctx.outputs.max(1), state);
    Ok(outputs)
}

/// Every matrix once for each vector. A bias is a sum for each of its elements, and the updates of
/// the state are counted as for the layers of ONNX.
pub(super) fn recurrence(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let input = ctx.dims(0)?;
    let axis = ctx.axis(ctx.int_or("axis", -1), input.len())?;
    let rest = input.iter().enumerate().filter(|(place, _)| *place != axis);
    let steps = rest.fold(Expr::from(1), |steps, (_, dim)| steps * dim);
    let (mut matrices, mut rows) = (Expr::ZERO, Expr::ZERO);
    for weight in 3..ctx.input_count() {
        let Some(tensor) = ctx.optional_tensor(weight) else { continue };
        let Ok(dims) = &tensor.shape else {
            return Err(Fail::unknown(format!("the weights of {} have no shape", ctx.op)));
        };
        match dims.len() {
            2 => {
                matrices += product(dims);
                rows += &dims[0];
            }
            _ => rows += product(dims),
        }
    }
    Ok(Work { macs: &steps * matrices, other_flops: steps * rows * 2 })
}
