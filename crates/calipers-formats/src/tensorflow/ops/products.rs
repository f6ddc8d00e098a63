//! Products of matrices.

use super::{Mapped, Op, Stop, need};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "MatMul" => matrices(op),
        "BatchMatMul" | "BatchMatMulV2" | "BatchMatMulV3" => batches(op),
        "_FusedMatMul" => fused(op),
        "Einsum" => {
            let equation = need(op.node.text("equation"))?;
            op.call.is("Einsum").text("equation", equation);
            Ok(())
        }
        _ => Err(Stop::Unmapped),
    }
}

/// Two matrices, either of them perhaps transposed.
fn matrices(op: &mut Op<'_, '_, '_>) -> Mapped {
    op.call.is("MatMul");
    op.keep(2);
    transposed(op)
}

fn transposed(op: &mut Op<'_, '_, '_>) -> Mapped {
    for (place, attribute) in [(0, "transpose_a"), (1, "transpose_b")] {
        if op.node.bool(attribute) {
            op.call.input_order(place, &[1, 0]);
        }
    }
    let columns = op.input(1)?.dim(if op.node.bool("transpose_b") { 0 } else { 1 });
    op.produces(Some(vec![-1, columns.unwrap_or(-1)]));
    Ok(())
}

/// A product that the optimizer of TensorFlow fused with the bias.
fn fused(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.texts("fused_ops").as_slice() {
        ["BiasAdd"] => {
            op.call.is("Gemm");
            op.keep(3);
            transposed(op)
        }
        _ => Err(Stop::Unmapped),
    }
}

/// The last two dimensions are matrices.
fn batches(op: &mut Op<'_, '_, '_>) -> Mapped {
    let (left, right) = (op.node.bool("adj_x"), op.node.bool("adj_y"));
    if left || right {
        op.call.is_of("com.microsoft", "FusedMatMul");
        op.call.int("transA", i64::from(left)).int("transB", i64::from(right));
    } else {
        op.call.is("MatMul");
    }
    Ok(())
}
