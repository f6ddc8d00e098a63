//! Attention of the standard.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Attention", &[]).since(&[23, 24, 25]),
    Operator::onnx("LinearAttention", &[]).since(&[27]),
    Operator::onnx("RotaryEmbedding", &[]).since(&[23]),
    Operator::new("ai.onnx.preview", "FlexAttention", &[]).since(&[1]),
];
