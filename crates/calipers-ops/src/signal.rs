//! Signals: windows, Fourier transforms.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("BlackmanWindow", &[]).since(&[17]),
    Operator::onnx("DFT", &[]).since(&[17, 20]),
    Operator::onnx("HammingWindow", &[]).since(&[17]),
    Operator::onnx("HannWindow", &[]).since(&[17]),
    Operator::onnx("MelWeightMatrix", &[]).since(&[17]),
    Operator::onnx("STFT", &[]).since(&[17]),
];
