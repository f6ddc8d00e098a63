//! Elements in another order: Transpose, Trilu, blocks and columns, reversed sequences.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::given::{data, dimension, list, numbers, open};
use super::place::{Source, filled};
use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};

/// Transpose puts the axes in another order: <https://onnx.ai/onnx/operators/onnx__Transpose.html>.
pub(super) fn transpose(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let order = ctx.ints("perm");
    let dims = match (&data.shape, order) {
        (Ok(dims), _) => dims,
        (Err(_), Some(order)) => {
            return Ok(vec![open(ctx, data.dtype, order.len(), "Transpose's input").into()]);
        }
        (Err(reason), None) => return Ok(vec![Fact::unranked(data.dtype, reason.clone())]),
    };
    let rank = dims.len();
    let order = match order {
        None => (0..rank).rev().collect(),
        Some(order) => {
            let entries: Vec<_> = order.iter().map(|axis| Some(Expr::from(*axis))).collect();
            super::given::axes(ctx, &entries, rank)?.unwrap_or_default()
        }
    };
    if order.len() != rank {
        return Err(Fail::contradiction(format!(
            "Transpose orders {} axes, and its input has {rank}",
            order.len()
        )));
    }
    let fact = TensorFact::new(data.dtype, order.iter().map(|axis| dims[*axis].clone()));
    let Some(source) = Source::new(&data) else { return Ok(vec![fact.into()]) };
    let fact = filled(fact, |place| {
        let mut from = vec![0; rank];
        for (axis, at) in order.iter().zip(place) {
            from[*axis] = *at;
        }
        source.at(&from)
    });
    Ok(vec![fact.into()])
}

/// Trilu keeps a triangle of each matrix: <https://onnx.ai/onnx/operators/onnx__Trilu.html>.
pub(super) fn trilu(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    if data.rank().is_some_and(|rank| rank < 2) {
        return Err(Fail::contradiction("Trilu needs a matrix"));
    }
    let fact = TensorFact { value: None, ..data.clone() };
    let upper = ctx.int_or("upper", 1) != 0;
    let diagonal = if ctx.has(1) { ctx.integer(1) } else { Some(0) };
    let (Some(source), Some(diagonal)) = (Source::new(&data), diagonal) else {
        return Ok(vec![fact.into()]);
    };
    let fact = filled(fact, |place| {
        let [.., row, column] = place else { return Elem::Unknown };
        let row = i128::try_from(*row).unwrap_or(0) + i128::from(diagonal);
        let column = i128::try_from(*column).unwrap_or(0);
        if if upper { column >= row } else { column <= row } {
            source.at(place)
        } else {
            Elem::int(0)
        }
    });
    Ok(vec![fact.into()])
}

/// DepthToSpace makes blocks of pixels out of channels:
/// <https://onnx.ai/onnx/operators/onnx__DepthToSpace.html>.
pub(super) fn depth_to_space(ctx: &mut OpContext<'_>) -> Outcome {
    let (dtype, dims, block) = image(ctx)?;
    let [batch, channels, height, width] = dims;
    let area = &block * &block;
    let dims = [batch, parts(&channels, &area)?, height * &block, width * &block];
    known(ctx, dtype, dims)
}

/// SpaceToDepth makes channels out of blocks of pixels:
/// <https://onnx.ai/onnx/operators/onnx__SpaceToDepth.html>.
pub(super) fn space_to_depth(ctx: &mut OpContext<'_>) -> Outcome {
    let (dtype, dims, block) = image(ctx)?;
    let [batch, channels, height, width] = dims;
    let area = &block * &block;
    let dims = [batch, channels * area, parts(&height, &block)?, parts(&width, &block)?];
    known(ctx, dtype, dims)
}

fn known(ctx: &mut OpContext<'_>, dtype: DType, dims: [Expr; 4]) -> Outcome {
    let mut out = Vec::with_capacity(dims.len());
    for dim in dims {
        out.push(dimension(ctx, dim, "the image")?);
    }
    Ok(vec![Fact::tensor(dtype, out)])
}

fn image(ctx: &mut OpContext<'_>) -> Result<(DType, [Expr; 4], Expr), Fail> {
    let data = data(ctx, 0)?;
    let dims = match data.dims() {
        Some(dims) => dims.to_vec(),
        None => ctx.fresh_dims(4, "the image"),
    };
    let rank = dims.len();
    let dims = <[Expr; 4]>::try_from(dims).map_err(|_| {
        Fail::contradiction(format!("{} needs 4 dimensions, and has {rank}", ctx.op))
    })?;
    match ctx.int("blocksize") {
        Some(block) if (1..=i64::from(i32::MAX)).contains(&block) => {
            Ok((data.dtype, dims, Expr::from(block)))
        }
        _ => Err(Fail::contradiction(format!("{} lacks the size of its blocks", ctx.op))),
    }
}

/// A dimension in equal parts. Where the model runs nothing is left over.
fn parts(dim: &Expr, by: &Expr) -> Result<Expr, Fail> {
    match dim.exact_div(by) {
        Some(part) => Ok(part),
        None if dim.as_const().is_some() => {
            Err(Fail::contradiction(format!("{dim} cannot be cut into blocks of {by}")))
        }
        None => Ok(dim.floor_div(by)),
    }
}

/// Col2Im puts columns of blocks back into an image:
/// <https://onnx.ai/onnx/operators/onnx__Col2Im.html>.
pub(super) fn col2im(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let entries = |input| match list(ctx, "", input) {
        Some(Ok(entries)) => Some(entries),
        _ => None,
    };
    let (image, block) = (entries(1), entries(2));
    let Some(axes) = image.as_ref().or(block.as_ref()).map(Vec::len) else {
        return Ok(vec![Fact::unranked(data.dtype, "Col2Im's image has no known rank")]);
    };
    let (batch, columns) = match data.dims() {
        Some([batch, columns, _]) => (Some(batch.clone()), Some(columns.clone())),
        Some(dims) => {
            return Err(Fail::contradiction(format!(
                "Col2Im needs 3 dimensions, and has {}",
                dims.len()
            )));
        }
        None => (None, None),
    };
    let area = block.as_ref().and_then(|block| numbers(block)).and_then(|block| {
        block.iter().try_fold(1_i64, |area, side| area.checked_mul(*side)).filter(|area| *area > 0)
    });
    let channels = match (columns, area) {
        (Some(columns), Some(area)) => Some(parts(&columns, &Expr::from(area))?),
        _ => None,
    };
    let mut dims = Vec::with_capacity(axes + 2);
    dims.push(batch.unwrap_or_else(|| ctx.fresh("the batch")));
    dims.push(channels.unwrap_or_else(|| ctx.fresh("the blocks that Col2Im is given")));
    for axis in 0..axes {
        let why = "the image that Col2Im is given";
        dims.push(match image.as_ref().and_then(|image| image.get(axis).cloned().flatten()) {
            Some(size) => dimension(ctx, size, why)?,
            None => ctx.fresh(why),
        });
    }
    Ok(vec![Fact::tensor(data.dtype, dims)])
}

/// ReverseSequence turns the beginnings of sequences around:
/// <https://onnx.ai/onnx/operators/onnx__ReverseSequence.html>.
pub(super) fn reverse_sequence(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![TensorFact { value: None, ..data(ctx, 0)? }.into()])
}
