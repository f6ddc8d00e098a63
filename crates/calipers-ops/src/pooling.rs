//! Pooling over windows.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("AveragePool", &[]).since(&[1, 7, 10, 11, 19, 22]),
    Operator::onnx("GlobalAveragePool", &[]).since(&[1, 22]),
    Operator::onnx("GlobalLpPool", &[]).since(&[1, 2, 22]),
    Operator::onnx("GlobalMaxPool", &[]).since(&[1, 22]),
    Operator::onnx("LpPool", &[]).since(&[1, 2, 11, 18, 22]),
    Operator::onnx("MaxPool", &[]).since(&[1, 8, 10, 11, 12, 22]),
    Operator::onnx("MaxUnpool", &[]).since(&[9, 11, 22]),
];
