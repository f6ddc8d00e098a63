//! Reductions over axes.

use crate::Slot::{Moved, Setting};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("ArgMax", &[]).since(&[1, 11, 12, 13]),
    Operator::onnx("ArgMin", &[]).since(&[1, 11, 12, 13]),
    Operator::onnx("Det", &[]).since(&[11, 22]),
    Operator::onnx("ReduceL1", &[]).since(&[1, 11, 13, 18]),
    Operator::onnx("ReduceL2", &[Moved, Setting]).since(&[1, 11, 13, 18]),
    Operator::onnx("ReduceLogSum", &[]).since(&[1, 11, 13, 18, 28]),
    Operator::onnx("ReduceLogSumExp", &[]).since(&[1, 11, 13, 18, 28]),
    Operator::onnx("ReduceMax", &[Moved, Setting]).since(&[1, 11, 12, 13, 18, 20]),
    Operator::onnx("ReduceMean", &[Moved, Setting]).since(&[1, 11, 13, 18]),
    Operator::onnx("ReduceMin", &[]).since(&[1, 11, 12, 13, 18, 20]),
    Operator::onnx("ReduceProd", &[]).since(&[1, 11, 13, 18]),
    Operator::onnx("ReduceSum", &[Moved, Setting]).since(&[1, 11, 13]),
    Operator::onnx("ReduceSumSquare", &[Moved, Setting]).since(&[1, 11, 13, 18]),
];
