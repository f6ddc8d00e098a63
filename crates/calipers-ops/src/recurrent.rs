//! Recurrent layers.

use crate::Slot::{Data, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("GRU", &[Data, Weight, Weight, Weight]).since(&[1, 3, 7, 14, 22]),
    Operator::onnx("LSTM", &[Data, Weight, Weight, Weight, Data, Data, Data, Weight])
        .since(&[1, 7, 14, 22]),
    Operator::onnx("RNN", &[Data, Weight, Weight, Weight]).since(&[1, 7, 14, 22]),
];
