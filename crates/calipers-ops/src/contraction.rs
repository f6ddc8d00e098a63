//! Sums of products: convolution and matrix product.

use crate::Slot::{Data, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("CausalConvWithState", &[]).since(&[27]),
    Operator::onnx("Conv", &[Data, Weight, Weight]).since(&[1, 11, 22]),
    Operator::onnx("ConvTranspose", &[Data, Weight, Weight]).since(&[1, 11, 22]),
    Operator::onnx("DeformConv", &[Data, Weight, Data, Weight, Data]).since(&[19, 22]),
    Operator::onnx("Einsum", &[Weight]).variadic().since(&[12, 28]),
    Operator::onnx("Gemm", &[Weight, Weight, Weight]).since(&[1, 6, 7, 9, 11, 13]),
    Operator::onnx("MatMul", &[Weight, Weight]).since(&[1, 9, 13]),
];
