//! Training: optimisers and gradients.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::new("ai.onnx.preview.training", "Adagrad", &[]).since(&[1]),
    Operator::new("ai.onnx.preview.training", "Adam", &[]).since(&[1]),
    Operator::new("ai.onnx.preview.training", "Gradient", &[]).since(&[1]),
    Operator::new("ai.onnx.preview.training", "Momentum", &[]).since(&[1]),
];
