//! Operators that take some elements.

use super::{Mapped, Op, Stop, need};
use crate::tensorflow::operand::Known;

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "StridedSlice" => strided(op),
        "Slice" => slice(op),
        "GatherV2" => gather(op),
        "Gather" | "ResourceGather" => {
            let batch = op.node.int("batch_dims").unwrap_or(0);
            gather_along(op, 0, batch)
        }
        "GatherNd" | "ResourceGatherNd" => {
            let batch = op.node.int("batch_dims").unwrap_or(0);
            op.call.is("GatherND").int("batch_dims", batch);
            Ok(())
        }
        "TensorScatterUpdate" => scatter(op, "none"),
        "TensorScatterAdd" => scatter(op, "add"),
        "TensorScatterMax" => scatter(op, "max"),
        "TensorScatterMin" => scatter(op, "min"),
        "TopK" | "TopKV2" => top(op),
        // ONNX has the indices of an element in a column, TensorFlow in a row.
        "Where" => {
            op.call.is("NonZero").output_order(0, &[1, 0]);
            Ok(())
        }
        "OneHot" => {
            let axis = op.node.int("axis").unwrap_or(-1);
            op.tensorflow("OneHot");
            op.call.int("axis", axis);
            Ok(())
        }
        "ScatterNd" => {
            op.tensorflow("ScatterNd");
            Ok(())
        }
        _ => Err(Stop::Unmapped),
    }
}

fn strided(op: &mut Op<'_, '_, '_>) -> Mapped {
    op.frameworks("StridedSlice");
    const MASKS: [&str; 5] =
        ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];
    for mask in MASKS {
        let value = op.node.int(mask).unwrap_or(0);
        op.call.int(mask, value);
    }
    // One size of a shape that is known.
    if let (Some(values), Some([begin]), Some(1)) =
        (op.input(0)?.integers(), op.input(1)?.integers(), op.node.int("shrink_axis_mask"))
    {
        let element = usize::try_from(*begin).ok().and_then(|begin| values.get(begin).copied());
        let integers = element.map(|element| [element].into());
        op.produced = Some(Known { integers, dims: None });
    }
    Ok(())
}

/// The third input has sizes, -1 for all that is left.
fn slice(op: &mut Op<'_, '_, '_>) -> Mapped {
    let known = op.input(1)?.integers().zip(op.input(2)?.integers());
    let Some((begins, sizes)) = known.filter(|(begins, sizes)| begins.len() == sizes.len()) else {
        op.tensorflow("Slice");
        return Ok(());
    };
    let ends: Vec<i64> = begins
        .iter()
        .zip(sizes)
        .map(|(begin, size)| if *size < 0 { i64::MAX } else { begin.saturating_add(*size) })
        .collect();
    let ends = op.assembly.integers("ends", &ends)?;
    op.call.is("Slice");
    op.call.inputs = vec![op.name(0)?, op.name(1)?, ends];
    Ok(())
}

fn gather(op: &mut Op<'_, '_, '_>) -> Mapped {
    let axis = op.integer(2)?;
    let batch = op.node.int("batch_dims").unwrap_or(0);
    gather_along(op, axis, batch)
}

fn gather_along(op: &mut Op<'_, '_, '_>, axis: i64, batch: i64) -> Mapped {
    op.keep(2);
    if batch == 0 {
        op.call.is("Gather").int("axis", axis);
    } else {
        op.frameworks("GatherBatch");
        op.call.int("axis", axis).int("batch_dims", batch);
    }
    Ok(())
}

fn scatter(op: &mut Op<'_, '_, '_>, reduction: &str) -> Mapped {
    op.call.is("ScatterND").text("reduction", reduction);
    op.shaped_like(0);
    Ok(())
}

fn top(op: &mut Op<'_, '_, '_>) -> Mapped {
    let count = op.node.int("k").or_else(|| op.input(1).ok()?.integer());
    op.call.is("TopK").int("axis", -1);
    let input = op.name(0)?;
    let count = match count {
        Some(count) => op.assembly.integers("k", &[count])?,
        None => need(op.inputs.get(1))?.name,
    };
    op.call.inputs = vec![input, count];
    Ok(())
}
