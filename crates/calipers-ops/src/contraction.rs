//! Sums of products: convolution, matrix product, recurrence.

use crate::NCHWC;
use crate::Slot::{Setting, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Conv", &[Setting, Weight, Weight]),
    Operator::onnx("ConvTranspose", &[Setting, Weight, Weight]),
    Operator::onnx("DeformConv", &[Setting, Weight, Setting, Weight, Setting]),
    Operator::onnx("Einsum", &[Weight]).variadic(),
    Operator::onnx("GRU", &[Setting, Weight, Weight, Weight]),
    Operator::onnx("Gemm", &[Weight, Weight, Weight]),
    Operator::onnx("LSTM", &[Setting, Weight, Weight, Weight, Setting, Setting, Setting, Weight]),
    Operator::onnx("MatMul", &[Weight, Weight]),
    Operator::onnx("RNN", &[Setting, Weight, Weight, Weight]),
    Operator::microsoft("FusedConv", &[Setting, Weight, Weight]),
    Operator::microsoft("FusedGemm", &[Weight, Weight, Weight]),
    Operator::microsoft("FusedMatMul", &[Weight, Weight]),
    Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight]),
    Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight]),
    Operator::microsoft("MoE", &[Setting, Setting, Weight, Weight, Weight, Weight, Weight, Weight]),
    Operator::microsoft("NhwcConv", &[Setting, Weight, Weight]),
    Operator::microsoft("TransposeMatMul", &[Weight, Weight]),
    Operator::new(NCHWC, "Conv", &[Setting, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "Conv", &[Setting, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "ConvTranspose", &[Setting, Weight, Weight]),
];
