//! Reductions, and operators that search.

use calipers_ir::assembly::{Assembly, Call};

use super::super::operand::Op;
use super::{Mapped, with_settings};

/// Maps a reduction or a search.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let none = assembly.none();
    match op.name {
        "ARG_MAX" | "ARG_MIN" => {
            let Some(axis) = op.integer(1) else { return Ok(()) };
            call.is(if op.name == "ARG_MAX" { "ArgMax" } else { "ArgMin" });
            call.int("axis", axis).int("keepdims", 0);
        }
        "TOPK_V2" => {
            call.is("TopK").int("axis", -1);
            if let Some(count) = op.integer(1) {
                let wanted = vec![call.input(0, none), assembly.integers("k", &[count])?];
                with_settings(call, wanted, &[1], none);
            }
        }
        "UNIQUE" => {
            call.is("Unique").int("sorted", 0);
            // Between the elements and the place of each, the row has that of its first.
            call.outputs.insert(call.outputs.len().min(1), none);
        }
        "WHERE" => {
            if call.inputs.len() == 1 {
                call.is("NonZero").output_order(0, &[1, 0]);
            }
        }
        _ => reduced(op, call, assembly)?,
    }
    Ok(())
}

fn reduced(op: &Op<'_, '_>, call: &mut Call, assembly: &mut Assembly<'_>) -> Mapped {
    let none = assembly.none();
    call.is(match op.name {
        "MEAN" => "ReduceMean",
        "SUM" => "ReduceSum",
        "REDUCE_PROD" => "ReduceProd",
        "REDUCE_MAX" | "REDUCE_ANY" => "ReduceMax",
        _ => "ReduceMin",
    });
    call.int("keepdims", i64::from(op.flag(0)?));
    let Some(axes) = op.integers(1) else { return Ok(()) };
    if axes.is_empty() {
        call.int("noop_with_empty_axes", 1);
    } else if op.rank(1) == 0 {
        let wanted = vec![call.input(0, none), assembly.integers("axes", &axes)?];
        with_settings(call, wanted, &[1], none);
    }
    Ok(())
}
