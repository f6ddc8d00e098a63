//! Operators that make one element of several.

use calipers_ir::NameId;

use super::{ATEN, Mapped, Op};

/// Reductions over given axes, or over all.
const REDUCTIONS: &[(&str, &str)] = &[
    ("all", "ReduceMin"),
    ("amax", "ReduceMax"),
    ("amin", "ReduceMin"),
    ("any", "ReduceMax"),
    ("logsumexp", "ReduceLogSumExp"),
    ("mean", "ReduceMean"),
    ("nansum", "ReduceSum"),
    ("prod", "ReduceProd"),
    ("sum", "ReduceSum"),
];

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    if let Some((_, name)) = REDUCTIONS.iter().find(|(base, _)| *base == op.base) {
        return reduce(op, name);
    }
    match (op.base, op.overload) {
        ("max" | "min", "default") => {
            let name = if op.base == "max" { "ReduceMax" } else { "ReduceMin" };
            return reduce(op, name);
        }
        ("max", "other") => _ = op.call.is("Max"),
        ("min", "other") => _ = op.call.is("Min"),
        ("max" | "min" | "median" | "mode" | "kthvalue" | "sort" | "cummax" | "cummin", _)
        | ("argsort", _) => _ = op.call.is_of(ATEN, "min_max_dim"),
        ("aminmax", _) => _ = op.call.is_of(ATEN, "min_max_dim"),
        ("norm" | "linalg_vector_norm", _) => {
            let order = op.argument("ord").or_else(|| op.argument("p"));
            let order = order.and_then(super::number).unwrap_or(2.0);
            match order {
                2.0 => return reduce(op, "ReduceL2"),
                1.0 => return reduce(op, "ReduceL1"),
                _ => _ = op.call.is_of(ATEN, "var"),
            }
        }
        ("var" | "var_mean", _) => _ = op.call.is_of(ATEN, "var"),
        ("std" | "std_mean", _) => _ = op.call.is_of(ATEN, "std"),
        ("argmax" | "argmin", _) => {
            let name = if op.base == "argmax" { "ArgMax" } else { "ArgMin" };
            let keep = i64::from(op.flag("keepdim"));
            match op.int("dim") {
                Some(axis) => _ = op.call.is(name).int("axis", axis).int("keepdims", keep),
                None => _ = op.call.is_of(ATEN, "min_max_dim"),
            }
        }
        ("cumsum" | "cumprod", _) => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            let axis = op.assembly.integer("axis", axis)?;
            op.call.inputs.truncate(1);
            op.call.inputs.push(axis);
            op.call.is(if op.base == "cumsum" { "CumSum" } else { "CumProd" });
        }
        ("topk", _) => {
            let Some(count) = op.int("k") else { return Ok(()) };
            let axis = op.int_or("dim", -1);
            let count = op.integers("k", &[count])?;
            op.call.inputs.truncate(1);
            op.call.inputs.push(count);
            op.call.is("TopK").int("axis", axis);
        }
        _ => {}
    }
    Ok(())
}

/// A reduction: the axes are an input, and all of them where there is none.
fn reduce(op: &mut Op<'_, '_, '_>, name: &'static str) -> Mapped {
    let axes = op.ints("dim").filter(|axes| !axes.is_empty());
    let keep = i64::from(op.flag("keepdim"));
    let mut inputs: Vec<NameId> = op.call.inputs.iter().take(1).copied().collect();
    if let Some(axes) = axes {
        inputs.push(op.integers("axes", &axes)?);
    }
    op.call.inputs = inputs;
    op.call.is(name).int("keepdims", keep);
    // A sum of integers is one of 64 bits, and what is averaged may be converted first.
    if op.dtype("self") != op.output_dtype() {
        op.call.attributes.clear();
        op.call.is_of(ATEN, "reduce");
    }
    Ok(())
}
