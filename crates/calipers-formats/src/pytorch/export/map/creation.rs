//! Tensors made of nothing, sizes, and checks.

use super::{ATEN, Mapped, Op};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.base {
        "sym_size" => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            op.call.is_of(ATEN, "sym_size").int("dim", axis);
        }
        "arange" | "empty" | "empty_like" | "empty_strided" | "eye" | "fill" | "full"
        | "full_like" | "linspace" | "new_empty" | "new_full" | "new_ones" | "new_zeros"
        | "ones" | "ones_like" | "rand" | "rand_like" | "randn" | "randn_like"
        | "scalar_tensor" | "tril_indices" | "triu_indices" | "zeros" | "zeros_like" | "zero" => {
            // Of the tensor that gives the shape nothing is read.
            op.call.is_of(ATEN, "create");
        }
        "_assert_async"
        | "_assert_scalar"
        | "_assert_tensor_metadata"
        | "sym_constrain_range"
        | "sym_constrain_range_for_size"
        | "sym_numel"
        | "sym_storage_offset"
        | "sym_stride"
        | "item"
        | "_local_scalar_dense"
        | "sym_float"
        | "sym_ite"
        | "sym_max"
        | "sym_min"
        | "sym_not" => {
            op.call.is_of(ATEN, "create");
        }
        base if base.starts_with("_operator.") || base.starts_with("math.") => {
            op.call.is_of(ATEN, "create");
        }
        _ => {}
    }
    Ok(())
}
