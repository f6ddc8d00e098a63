//! Convolutions and products of quantized tensors.

use calipers_ir::DType;

use super::linear::result_dtype;
use crate::context::{OpContext, Outcome};
use crate::contrib::inputs::{first_dtype, only};
use crate::contrib::matmul::{gemm_dims, product_of};
use crate::contrib::window::{Layout, conv, conv_transpose};

/// <https://onnx.ai/onnx/operators/onnx__ConvInteger.html>: sums of 32 bits.
pub(super) fn conv_integer(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv(ctx, 0, 1, Layout::First);
    only(DType::Int32, dims)
}

/// <https://onnx.ai/onnx/operators/onnx__MatMulInteger.html>, `MatMulInteger16`: sums of 32 bits.
pub(super) fn matmul_integer(ctx: &mut OpContext<'_>) -> Outcome {
    only(DType::Int32, product_of(ctx, 0, 1))
}

/// `MatMulIntegerToFloat`: the sums times the scales, and of their type.
pub(super) fn matmul_integer_to_float(ctx: &mut OpContext<'_>) -> Outcome {
    only(first_dtype(ctx, &[2, 3, 6]), product_of(ctx, 0, 1))
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearMatMul.html>.
pub(super) fn qlinear_matmul(ctx: &mut OpContext<'_>) -> Outcome {
    only(result_dtype(ctx, 7, 0), product_of(ctx, 0, 3))
}

/// <https://onnx.ai/onnx/operators/onnx__QLinearConv.html>; ONNX Runtime's own may have the
/// channels last.
pub(super) fn qlinear_conv(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv(ctx, 0, 3, Layout::from_context(ctx));
    only(result_dtype(ctx, 7, 0), dims)
}

/// The same with the channels last.
pub(super) fn qlinear_conv_last(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv(ctx, 0, 3, Layout::Last);
    only(result_dtype(ctx, 7, 0), dims)
}

/// `QLinearConvTranspose`.
pub(super) fn qlinear_conv_transpose(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv_transpose(ctx, 0, 3, None, Layout::from_context(ctx));
    only(result_dtype(ctx, 7, 0), dims)
}

/// The same with the channels last.
pub(super) fn qlinear_conv_transpose_last(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv_transpose(ctx, 0, 3, None, Layout::Last);
    only(result_dtype(ctx, 7, 0), dims)
}

/// `QGemm`: integers again when a zero point is given for them, numbers otherwise.
pub(super) fn qgemm(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = gemm_dims(ctx, 0, 3);
    only(if ctx.has(8) { ctx.dtype(8) } else { DType::Float32 }, dims)
}

/// `QOrderedMatMul`: bytes in another order of memory.
pub(super) fn ordered_matmul(ctx: &mut OpContext<'_>) -> Outcome {
    only(DType::Int8, product_of(ctx, 0, 2))
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ask, int, ints, reported};

    const MS: &str = "com.microsoft";

    #[test]
    fn quantized_convolutions() {
        // (224 + 1 + 1 - 3) / 2 + 1 = 112; with gaps of 2 the kernel covers 5: (224 + 2 - 5) / 2 + 1 = 111.
        let inputs = [
            "uint8[N, 3, 224, 224]",
            "float32[]",
            "uint8[]",
            "int8[32, 3, 3, 3]",
            "float32[32]",
            "int8[32]",
            "float32[]",
            "int8[]",
            "int32[32]",
        ];
        let attributes = [("strides", ints(&[2, 2])), ("pads", ints(&[1, 1, 1, 1]))];
        assert_eq!(reported("", "QLinearConv", &inputs, &attributes, 1), ["int8[N, 32, 112, 112]"]);
        let gaps = [attributes[0].clone(), attributes[1].clone(), ("dilations", ints(&[2, 2]))];
        assert_eq!(reported("", "QLinearConv", &inputs, &gaps, 1), ["int8[N, 32, 111, 111]"]);
        let mut last = inputs;
        last[0] = "uint8[N, 224, 224, 3]";
        let flagged = [attributes[0].clone(), attributes[1].clone(), ("channels_last", int(1))];
        assert_eq!(reported(MS, "QLinearConv", &last, &flagged, 1), ["int8[N, 112, 112, 32]"]);
    }

    #[test]
    fn sums_of_32_bits() {
        let inputs = ["uint8[1, 1, 3, 3]", "uint8[1, 1, 2, 2]"];
        assert_eq!(reported("", "ConvInteger", &inputs, &[], 1), ["int32[1, 1, 2, 2]"]);
        let inputs = ["uint8[B, 4, 3]", "int8[3, 2]"];
        assert_eq!(reported("", "MatMulInteger", &inputs, &[], 1), ["int32[B, 4, 2]"]);
        assert!(ask("", "MatMulInteger", 10, &["uint8[4, 3]", "int8[5, 2]"], &[], 1).is_err());
    }

    #[test]
    fn products() {
        let inputs = [
            "uint8[B, 4, 3]",
            "float32[]",
            "uint8[]",
            "uint8[3, 2]",
            "float32[]",
            "uint8[]",
            "float32[]",
            "int8[]",
        ];
        assert_eq!(reported("", "QLinearMatMul", &inputs, &[], 1), ["int8[B, 4, 2]"]);
        let inputs = ["uint8[N, 3]", "float32[]", "uint8[]", "int8[5, 3]", "float32[]", "int8[]"];
        assert_eq!(reported(MS, "QGemm", &inputs, &[("transB", int(1))], 1), ["float32[N, 5]"]);
        let inputs = ["uint8[B, 3]", "int8[3, 2]", "float16[1]", "float16[1]"];
        assert_eq!(reported(MS, "MatMulIntegerToFloat", &inputs, &[], 1), ["float16[B, 2]"]);
    }

    #[test]
    fn weights_packed_into_few_bits() {
        let inputs = ["float16[B, S, 64]", "uint8[192, 2, 16]", "float16[384]"];
        let attributes =
            [("N", int(192)), ("K", int(64)), ("bits", int(4)), ("block_size", int(32))];
        assert_eq!(reported(MS, "MatMulNBits", &inputs, &attributes, 1), ["float16[B, S, 192]"]);
        let wrong = ["float16[B, S, 60]", "uint8[192, 2, 16]", "float16[384]"];
        assert!(ask(MS, "MatMulNBits", 1, &wrong, &attributes, 1).is_err());
        let unknown = ["float16[…]", "uint8[192, 2, 16]", "float16[384]"];
        assert_eq!(reported(MS, "MatMulNBits", &unknown, &attributes, 1), ["float16[…]"]);
    }
}
