//! Operators that make one element of many.

use super::{Mapped, Op, Stop};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "Mean" => reduce(op, "ReduceMean"),
        "Sum" => reduce(op, "ReduceSum"),
        "Max" | "Any" => reduce(op, "ReduceMax"),
        "Min" | "All" => reduce(op, "ReduceMin"),
        "Prod" => reduce(op, "ReduceProd"),
        "EuclideanNorm" => reduce(op, "ReduceL2"),
        "L2Loss" => {
            op.call.is("ReduceSumSquare").int("keepdims", 0);
            op.produces(Some(Vec::new()));
            Ok(())
        }
        "ArgMax" => arg(op, "ArgMax"),
        "ArgMin" => arg(op, "ArgMin"),
        "Softmax" => softmax(op, "Softmax"),
        "LogSoftmax" => softmax(op, "LogSoftmax"),
        "Cumsum" => cumulative(op, "CumSum"),
        "Cumprod" => cumulative(op, "CumProd"),
        _ => Err(Stop::Unmapped),
    }
}

/// The second input has the axes. One without elements means none of them, which ONNX says in an
/// attribute.
fn reduce(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    let keeps = op.node.bool("keep_dims");
    op.call.is(row).int("keepdims", i64::from(keeps)).int("noop_with_empty_axes", 1);
    if let (Some(axes), Some(rank)) = (op.input(1)?.integers(), op.input(0)?.rank()) {
        let axes = axes.len();
        let dims = if keeps { rank } else { rank.saturating_sub(axes) };
        op.produces(Some(vec![-1; dims]));
    }
    // A single axis may be without a dimension.
    if let Some(axis) = op.input(1)?.integer() {
        let axes = op.assembly.integers("axes", &[axis])?;
        op.call.inputs = vec![op.name(0)?, axes];
    }
    Ok(())
}

fn arg(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    let axis = op.integer(1)?;
    op.call.is(row).int("axis", axis).int("keepdims", 0);
    op.keep(1);
    Ok(())
}

fn softmax(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    op.call.is(row).int("axis", -1);
    op.shaped_like(0);
    Ok(())
}

fn cumulative(op: &mut Op<'_, '_, '_>, row: &'static str) -> Mapped {
    let is = |name: &str| i64::from(op.node.bool(name));
    let (exclusive, reverse) = (is("exclusive"), is("reverse"));
    op.call.is(row).int("exclusive", exclusive).int("reverse", reverse);
    op.shaped_like(0);
    Ok(())
}
