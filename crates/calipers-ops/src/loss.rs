//! Losses.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("NegativeLogLikelihoodLoss", &[]).since(&[12, 13, 22]),
    Operator::onnx("SoftmaxCrossEntropyLoss", &[]).since(&[12, 13]),
];
