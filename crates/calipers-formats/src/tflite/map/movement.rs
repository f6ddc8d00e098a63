//! Operators that move elements, ask for shapes, and make tensors.

use calipers_ir::NameId;
use calipers_ir::assembly::{Assembly, Call};

use super::super::operand::Op;
use super::{FRAMEWORKS, Mapped, with_activation, with_settings};

/// Maps an operator that moves elements.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let none = assembly.none();
    match op.name {
        "RESHAPE" => reshape(op, call, assembly)?,
        "TRANSPOSE" => {
            if let Some(order) = op.integers(1) {
                call.is("Transpose").ints("perm", &order);
            }
        }
        "CONCATENATION" => {
            call.is("Concat").int("axis", op.int(0, 0)?);
            with_activation(op, call, 1)?;
        }
        "SPLIT" => {
            let Some(axis) = op.integer(0) else { return Ok(()) };
            let (axis_name, data) = (call.input(0, none), call.input(1, none));
            let count = i64::try_from(call.outputs.len()).unwrap_or(i64::MAX);
            call.is("Split").int("axis", axis).int("num_outputs", count);
            call.inputs = vec![data, none, axis_name];
        }
        "SPLIT_V" => split(op, call, assembly)?,
        "PACK" => _ = call.is_of(FRAMEWORKS, "Stack").int("axis", op.int(1, 0)?),
        "UNPACK" => _ = call.is_of(FRAMEWORKS, "Unstack").int("axis", op.int(1, 0)?),
        "STRIDED_SLICE" => strided_slice(op, call)?,
        "SLICE" => slice(op, call, assembly)?,
        "GATHER" => match op.int(1, 0)? {
            0 => _ = call.is("Gather").int("axis", op.int(0, 0)?),
            batch => {
                call.is_of(FRAMEWORKS, "GatherBatch").int("axis", op.int(0, 0)?);
                call.int("batch_dims", batch);
            }
        },
        "GATHER_ND" => _ = call.is("GatherND"),
        "EMBEDDING_LOOKUP" => {
            call.is("Gather").int("axis", 0);
            call.inputs.reverse();
        }
        "PAD" | "PADV2" => _ = call.is_of(FRAMEWORKS, "Pad"),
        "MIRROR_PAD" => {
            let mode = if op.i8(0, 0)? == 0 { "reflect" } else { "symmetric" };
            call.is_of(FRAMEWORKS, "Pad").text("mode", mode);
        }
        "RESIZE_BILINEAR" => resize(op, call, "linear", [2, 3], none)?,
        "RESIZE_NEAREST_NEIGHBOR" => resize(op, call, "nearest", [0, 1], none)?,
        // The sparse form is how the file stores the tensor; its shape is that of the whole.
        "DENSIFY" => _ = call.is("Identity"),
        "SHAPE" => _ = call.is("Shape"),
        "EXPAND_DIMS" => {
            let Some(axis) = op.integer(1) else { return Ok(()) };
            let wanted = vec![call.input(0, none), assembly.integers("axes", &[axis])?];
            call.is("Unsqueeze");
            with_settings(call, wanted, &[1], none);
        }
        "SQUEEZE" => {
            let axes: Vec<i64> = match op.options {
                Some(options) => options.vector(0, 4)?.i32s()?.map(i64::from).collect(),
                None => Vec::new(),
            };
            call.is("Squeeze");
            if !axes.is_empty() {
                call.inputs.push(assembly.integers("axes", &axes)?);
            }
        }
        "TILE" => _ = call.is("Tile"),
        "BROADCAST_TO" => _ = call.is_of(FRAMEWORKS, "BroadcastTo"),
        "FILL" => _ = call.is_of(FRAMEWORKS, "Fill"),
        "RANGE" => _ = call.is("Range"),
        "SPACE_TO_DEPTH" => {
            call.is("SpaceToDepth").channels_last(4).int("blocksize", op.int(0, 0)?);
        }
        "DEPTH_TO_SPACE" => {
            call.is("DepthToSpace").channels_last(4).int("blocksize", op.int(0, 0)?);
            call.text("mode", "DCR");
        }
        "SPACE_TO_BATCH_ND" => _ = call.is_of(FRAMEWORKS, "SpaceToBatch"),
        "BATCH_TO_SPACE_ND" => _ = call.is_of(FRAMEWORKS, "BatchToSpace"),
        "ONE_HOT" => one_hot(op, call, assembly)?,
        "REVERSE_V2" => {
            let Some(axes) = op.integers(1).filter(|axes| !axes.is_empty()) else { return Ok(()) };
            let mut inputs = vec![call.input(0, none)];
            for (hint, value) in [("starts", -1), ("ends", i64::MIN)] {
                inputs.push(assembly.integers(hint, &vec![value; axes.len()])?);
            }
            inputs.push(assembly.integers("axes", &axes)?);
            inputs.push(assembly.integers("steps", &vec![-1; axes.len()])?);
            call.is("Slice");
            with_settings(call, inputs, &[1], none);
        }
        "REVERSE_SEQUENCE" => {
            call.is("ReverseSequence").int("time_axis", op.int(0, 0)?);
            call.int("batch_axis", op.int(1, 0)?);
        }
        // These have rows of the format's own, and the settings of their options.
        "SVDF" => _ = call.int("rank", op.int(0, 0)?),
        "UNIDIRECTIONAL_SEQUENCE_RNN" | "BIDIRECTIONAL_SEQUENCE_RNN" => {
            call.int("time_major", i64::from(op.flag(0)?));
        }
        "UNIDIRECTIONAL_SEQUENCE_LSTM" => _ = call.int("time_major", i64::from(op.flag(3)?)),
        _ => {}
    }
    Ok(())
}

/// The shape is an input, or in the options of older files.
fn reshape(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    call.is("Reshape");
    if op.input(1).is_none() {
        let Some(options) = op.options else {
            call.op = "";
            return Ok(());
        };
        let shape: Vec<i64> = options.vector(0, 4)?.i32s()?.map(i64::from).collect();
        let shape = assembly.integers("shape", &shape)?;
        call.inputs.truncate(1);
        call.inputs.push(shape);
    } else if op.integers(1).is_some_and(|shape| shape.contains(&0)) {
        call.int("allowzero", 1);
    }
    Ok(())
}

/// Parts of given sizes; one of them may be -1 for what is left.
fn split(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let Some(axis) = op.integer(2) else { return Ok(()) };
    call.is("Split").int("axis", axis);
    let Some(mut sizes) = op.integers(1).filter(|sizes| sizes.contains(&-1)) else {
        return Ok(());
    };
    let rank = i64::try_from(op.rank(0)).unwrap_or(i64::MAX);
    let place = usize::try_from(if axis < 0 { axis.saturating_add(rank) } else { axis }).ok();
    let whole = place.and_then(|place| op.dim(0, place));
    let given =
        sizes.iter().filter(|size| **size >= 0).fold(0_i64, |sum, it| sum.saturating_add(*it));
    let Some(left) = whole.and_then(|whole| whole.checked_sub(given)).filter(|left| *left >= 0)
    else {
        call.op = "";
        return Ok(());
    };
    for size in sizes.iter_mut().filter(|size| **size < 0) {
        *size = left;
    }
    let none = assembly.none();
    let wanted = vec![call.input(0, none), assembly.integers("split", &sizes)?];
    with_settings(call, wanted, &[1, 2], none);
    Ok(())
}

fn strided_slice(op: &Op<'_, '_>, call: &mut Call) -> Mapped {
    // With an offset, the ends are counted from the starts.
    if op.flag(5)? {
        return Ok(());
    }
    call.is_of(FRAMEWORKS, "StridedSlice");
    let masks = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];
    for (field, mask) in (0..).zip(masks) {
        call.int(mask, op.int(field, 0)?);
    }
    Ok(())
}

/// A slice of known place and size; a size of -1 goes on to the end.
fn slice(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let (Some(starts), Some(sizes)) = (op.integers(1), op.integers(2)) else { return Ok(()) };
    let end = |(start, size): (&i64, &i64)| match *size < 0 {
        true => i64::MAX,
        false => start.saturating_add(*size),
    };
    let ends: Vec<i64> = starts.iter().zip(&sizes).map(end).collect();
    let none = assembly.none();
    let wanted: Vec<NameId> =
        vec![call.input(0, none), call.input(1, none), assembly.integers("ends", &ends)?];
    call.is("Slice");
    // The row has axes and steps before anything more.
    call.inputs.truncate(3);
    let sizes = call.input(2, none);
    call.inputs = wanted;
    call.inputs.extend([none, none, sizes]);
    Ok(())
}

/// The sizes are those of height and width. `fields` are those of the corners and of the centers.
fn resize(op: &Op<'_, '_>, call: &mut Call, mode: &str, fields: [u16; 2], none: NameId) -> Mapped {
    let (corners, centers) = (op.flag(fields[0])?, op.flag(fields[1])?);
    let places = match (corners, centers) {
        (true, _) => "align_corners",
        (_, true) => "half_pixel",
        _ => "asymmetric",
    };
    call.is("Resize").text("mode", mode).text("coordinate_transformation_mode", places);
    if mode == "nearest" {
        let rounded = if corners || centers { "round_prefer_ceil" } else { "floor" };
        call.text("nearest_mode", rounded);
    }
    call.ints("axes", &[1, 2]);
    call.inputs = vec![call.input(0, none), none, none, call.input(1, none)];
    Ok(())
}

fn one_hot(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let (Some(on), Some(off)) = (op.number(2), op.number(3)) else { return Ok(()) };
    let none = assembly.none();
    let wanted =
        vec![call.input(0, none), call.input(1, none), assembly.floats("values", &[off, on])?];
    call.is("OneHot").int("axis", op.int(0, 0)?);
    with_settings(call, wanted, &[2, 3], none);
    Ok(())
}
