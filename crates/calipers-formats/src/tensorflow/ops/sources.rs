//! Operators that ask for shapes, or make tensors of them.

use super::{Mapped, Op, Stop, need};
use crate::tensorflow::message::{dtype, onnx_number};
use crate::tensorflow::operand::Known;

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "Shape" => {
            op.call.is("Shape");
            let dims = op.input(0)?.dims().filter(|dims| dims.iter().all(|dim| *dim >= 0));
            let integers = dims.filter(|dims| dims.len() <= 64).map(Into::into);
            op.produced = Some(Known { integers, dims: None });
            Ok(())
        }
        "Size" => {
            op.call.is("Size");
            Ok(())
        }
        "Rank" => {
            op.tensorflow("Rank");
            let rank = op.input(0)?.rank().and_then(|rank| i64::try_from(rank).ok());
            let integers = rank.map(|rank| [rank].into());
            op.produced = Some(Known { integers, dims: Some([].into()) });
            Ok(())
        }
        "Fill" => {
            op.frameworks("Fill");
            Ok(())
        }
        "Range" => {
            op.call.is("Range");
            Ok(())
        }
        "RandomUniform" | "RandomStandardNormal" | "TruncatedNormal" => random(op),
        "TensorListReserve" => {
            op.tensorflow("TensorListReserve");
            let number = op.node.type_number("element_dtype").map(dtype).and_then(onnx_number);
            op.call.int("dtype", number.unwrap_or(0));
            Ok(())
        }
        "TensorListFromTensor" | "TensorListGetItem" | "TensorListSetItem" | "TensorListStack" => {
            op.tensorflow(match op.node.op {
                "TensorListFromTensor" => "TensorListFromTensor",
                "TensorListGetItem" => "TensorListGetItem",
                "TensorListSetItem" => "TensorListSetItem",
                _ => "TensorListStack",
            });
            Ok(())
        }
        "FFT" | "IFFT" | "RFFT" | "IRFFT" => {
            op.tensorflow(match op.node.op {
                "FFT" => "FFT",
                "IFFT" => "IFFT",
                "RFFT" => "RFFT",
                _ => "IRFFT",
            });
            Ok(())
        }
        _ => Err(Stop::Unmapped),
    }
}

/// Numbers in a shape that the graph fixes.
fn random(op: &mut Op<'_, '_, '_>) -> Mapped {
    let shape = op.integers(0)?;
    let number = op.node.type_number("dtype").map(dtype).and_then(onnx_number);
    let row = if op.node.op == "RandomUniform" { "RandomUniform" } else { "RandomNormal" };
    op.call.is(row).ints("shape", &shape).int("dtype", need(number)?);
    op.keep(0);
    Ok(())
}
