//! Operators that other frameworks have and ONNX lacks.
//!
//! What several frameworks share is in the domain [`crate::FRAMEWORKS`], by the name that most of
//! them use. What one of them has alone is in a file and a domain of its own.

pub(crate) mod aten;
mod coreml;
mod keras;
mod networks;
mod openvino;
mod rules;
mod shared;
pub(crate) mod tensorflow;
mod tflite;

use crate::row::Operator;

/// Rows of every framework.
pub(crate) const FAMILIES: &[&[Operator]] = &[
    aten::ROWS,
    coreml::ROWS,
    keras::ROWS,
    networks::ROWS,
    openvino::ROWS,
    shared::ROWS,
    tensorflow::ROWS,
    tflite::ROWS,
];
