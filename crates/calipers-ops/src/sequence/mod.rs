//! Sequences and optionals.

use crate::Slot::{Joined, Moved, Setting};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("ConcatFromSequence", &[Moved]).since(&[11]),
    Operator::onnx("Optional", &[Moved]).since(&[15, 28]),
    Operator::onnx("OptionalGetElement", &[Moved]).since(&[15, 18, 28]),
    Operator::onnx("OptionalHasElement", &[]).since(&[15, 18, 28]),
    Operator::onnx("SequenceAt", &[Moved, Setting]).since(&[11]),
    Operator::onnx("SequenceConstruct", &[Joined]).variadic().since(&[11]),
    Operator::onnx("SequenceEmpty", &[]).since(&[11]),
    Operator::onnx("SequenceErase", &[]).since(&[11]),
    Operator::onnx("SequenceInsert", &[]).since(&[11]),
    Operator::onnx("SequenceLength", &[]).since(&[11]),
    Operator::onnx("SplitToSequence", &[Moved, Setting]).since(&[11, 24]),
];
