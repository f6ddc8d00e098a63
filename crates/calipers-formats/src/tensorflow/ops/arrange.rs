//! Operators that move, join and reshape.

use super::{Mapped, Op, Stop, need};
use crate::tensorflow::operand::Operand;

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "Reshape" => {
            op.call.is("Reshape").int("allowzero", 1);
            let dims = op.input(1)?.integers().map(<[i64]>::to_vec);
            op.produces(dims);
            Ok(())
        }
        "Transpose" | "ConjugateTranspose" => transpose(op),
        "ExpandDims" => axes(op, "Unsqueeze"),
        "Squeeze" => squeeze(op),
        "ConcatV2" => concat(op, false),
        "Concat" => concat(op, true),
        "Pack" => {
            let axis = op.node.int("axis").unwrap_or(0);
            op.frameworks("Stack");
            op.call.int("axis", axis);
            // Sizes of shapes are put together with it.
            let elements: Option<Vec<i64>> = op.inputs.iter().map(Operand::integer).collect();
            if let Some(elements) = elements.filter(|elements| elements.len() <= 64) {
                op.produced = Some(crate::tensorflow::operand::Known {
                    integers: Some(elements.into()),
                    dims: None,
                });
            }
            Ok(())
        }
        "Unpack" => {
            let axis = op.node.int("axis").unwrap_or(0);
            op.frameworks("Unstack");
            op.call.int("axis", axis);
            Ok(())
        }
        "Split" => split(op),
        "SplitV" => split_sizes(op),
        "Pad" | "PadV2" => {
            op.frameworks("Pad");
            Ok(())
        }
        "MirrorPad" => {
            op.frameworks("Pad");
            op.call.text("mode", "reflect");
            Ok(())
        }
        "Tile" => {
            op.call.is("Tile");
            Ok(())
        }
        "BroadcastTo" => {
            op.frameworks("BroadcastTo");
            Ok(())
        }
        "SpaceToBatchND" => {
            op.frameworks("SpaceToBatch");
            Ok(())
        }
        "BatchToSpaceND" => {
            op.frameworks("BatchToSpace");
            Ok(())
        }
        "DepthToSpace" => blocks(op, "DepthToSpace"),
        "SpaceToDepth" => blocks(op, "SpaceToDepth"),
        "ReverseSequence" => {
            let (time, batch) = (op.node.int("seq_dim"), op.node.int("batch_dim"));
            op.call.is("ReverseSequence").int("time_axis", need(time)?);
            op.call.int("batch_axis", batch.unwrap_or(0));
            op.shaped_like(0);
            Ok(())
        }
        "ReverseV2" | "Roll" | "MatrixBandPart" => {
            op.tensorflow(match op.node.op {
                "ReverseV2" => "ReverseV2",
                "Roll" => "Roll",
                _ => "MatrixBandPart",
            });
            op.shaped_like(0);
            Ok(())
        }
        _ => Err(Stop::Unmapped),
    }
}

fn transpose(op: &mut Op<'_, '_, '_>) -> Mapped {
    let order = op.integers(1)?;
    let rank = i64::try_from(order.len()).unwrap_or(0);
    // Places may be counted from the end.
    let order: Vec<i64> =
        order.iter().map(|axis| if *axis < 0 { axis + rank } else { *axis }).collect();
    let dims = op.input(0)?.dims().and_then(|dims| {
        let moved = order.iter().map(|axis| dims.get(usize::try_from(*axis).ok()?).copied());
        moved.collect::<Option<Vec<i64>>>()
    });
    op.call.is("Transpose").ints("perm", &order);
    op.keep(1);
    op.produces(dims.or_else(|| Some(vec![-1; order.len()])));
    Ok(())
}

/// A single axis, which ONNX takes as a list of one.
fn axes(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    op.call.is(row);
    if let Some(axis) = op.input(1)?.integer() {
        let axes = op.assembly.integers("axes", &[axis])?;
        op.call.inputs = vec![op.name(0)?, axes];
        let dims = op.input(0)?.dims().and_then(|dims| {
            let rank = i64::try_from(dims.len()).ok()?.checked_add(1)?;
            let place = if axis < 0 { axis.checked_add(rank)? } else { axis };
            let place = usize::try_from(place).ok().filter(|place| *place <= dims.len())?;
            let mut dims = dims.to_vec();
            dims.insert(place, 1);
            Some(dims)
        });
        op.produces(dims);
    }
    Ok(())
}

fn squeeze(op: &mut Op<'_, '_, '_>) -> Mapped {
    op.call.is("Squeeze");
    let axes = op.node.ints("squeeze_dims");
    if !axes.is_empty() {
        let axes = op.assembly.integers("axes", &axes)?;
        op.call.inputs.push(axes);
    }
    Ok(())
}

/// The axis is the last input, and was the first one in TensorFlow 0.
fn concat(op: &mut Op<'_, '_, '_>, is_axis_first: bool) -> Mapped {
    let last = need(op.inputs.len().checked_sub(1))?;
    let place = if is_axis_first { 0 } else { last };
    let axis = op.integer(place)?;
    op.call.is("Concat").int("axis", axis);
    op.call.inputs.remove(place);
    // Sizes of shapes are put together with it.
    let joined = op.inputs.iter().enumerate().filter(|(input, _)| *input != place);
    let elements: Option<Vec<&[i64]>> = joined.map(|(_, input)| input.integers()).collect();
    if let Some(elements) = elements.map(|it| it.concat()).filter(|it| it.len() <= 64) {
        op.produced =
            Some(crate::tensorflow::operand::Known { integers: Some(elements.into()), dims: None });
    }
    Ok(())
}

/// Equal parts: the axis is the first input.
fn split(op: &mut Op<'_, '_, '_>) -> Mapped {
    let axis = op.integer(0)?;
    let count = need(op.node.int("num_split"))?;
    op.call.is("Split").int("axis", axis).int("num_outputs", count);
    op.call.inputs = vec![op.name(1)?];
    Ok(())
}

fn split_sizes(op: &mut Op<'_, '_, '_>) -> Mapped {
    let axis = op.integer(2)?;
    op.call.is("Split").int("axis", axis);
    op.keep(2);
    let sizes = op.integers(1)?;
    // One size may be left to what remains.
    if let Some(open) = sizes.iter().position(|size| *size == -1) {
        let place = op.input(0)?.dims().and_then(|dims| {
            let rank = i64::try_from(dims.len()).ok()?;
            usize::try_from(if axis < 0 { axis.checked_add(rank)? } else { axis }).ok()
        });
        let dims = op.input(0)?.dims().unwrap_or_default();
        let whole = need(place.and_then(|place| dims.get(place)).filter(|dim| **dim >= 0))?;
        let others = sizes.iter().try_fold(1_i64, |sum, size| sum.checked_add(*size));
        let rest = need(others.and_then(|others| whole.checked_sub(others)))?;
        let mut sizes = sizes;
        if let Some(size) = sizes.get_mut(open) {
            *size = rest;
        }
        let sizes = op.assembly.integers("sizes", &sizes)?;
        op.call.inputs = vec![op.name(0)?, sizes];
    }
    Ok(())
}

fn blocks(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    let size = need(op.node.int("block_size"))?;
    if op.node.text("data_format").is_some_and(|format| format.contains('_')) {
        return Err(Stop::Unmapped);
    }
    op.call.is(row).int("blocksize", size);
    if op.is_channels_last() {
        op.call.channels_last(4);
    }
    Ok(())
}
