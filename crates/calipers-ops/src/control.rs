//! Control flow: the walk itself enters their graphs, so they have no rules here.

use crate::row::Operator;
use crate::traits::{Class, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::ControlFlow,
    [
        Operator::onnx("If", &[]).since(&[1, 11, 13, 16, 19, 21, 23, 24, 25]),
        Operator::onnx("Loop", &[]).since(&[1, 11, 13, 16, 19, 21, 23, 24, 25]),
        Operator::onnx("Scan", &[]).since(&[8, 9, 11, 16, 19, 21, 23, 24, 25]),
        Operator::onnx("SequenceMap", &[]).since(&[17]),
    ],
);
