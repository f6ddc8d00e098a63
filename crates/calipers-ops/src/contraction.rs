//! Sums of products: convolution, matrix product, recurrence.

use crate::NCHWC;
use crate::Slot::{Data, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Conv", &[Data, Weight, Weight]),
    Operator::onnx("ConvTranspose", &[Data, Weight, Weight]),
    Operator::onnx("DeformConv", &[Data, Weight, Data, Weight, Data]),
    Operator::onnx("Einsum", &[Weight]).variadic(),
    Operator::onnx("GRU", &[Data, Weight, Weight, Weight]),
    Operator::onnx("Gemm", &[Weight, Weight, Weight]),
    Operator::onnx("LSTM", &[Data, Weight, Weight, Weight, Data, Data, Data, Weight]),
    Operator::onnx("MatMul", &[Weight, Weight]),
    Operator::onnx("RNN", &[Data, Weight, Weight, Weight]),
    Operator::microsoft("FusedConv", &[Data, Weight, Weight]),
    Operator::microsoft("FusedGemm", &[Weight, Weight, Weight]),
    Operator::microsoft("FusedMatMul", &[Weight, Weight]),
    Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight]),
    Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight]),
    Operator::microsoft("MoE", &[Data, Data, Weight, Weight, Weight, Weight, Weight, Weight]),
    Operator::microsoft("NhwcConv", &[Data, Weight, Weight]),
    Operator::microsoft("TransposeMatMul", &[Weight, Weight]),
    Operator::new(NCHWC, "Conv", &[Data, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "Conv", &[Data, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "ConvTranspose", &[Data, Weight, Weight]),
];
