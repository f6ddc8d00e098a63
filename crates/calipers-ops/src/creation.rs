//! Tensors out of nothing: constants, ranges, random numbers.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Constant", &[]).since(&[1, 9, 11, 12, 13, 19, 21, 23, 24, 25]),
    Operator::onnx("ConstantOfShape", &[]).since(&[9, 20, 21, 23, 24, 25]),
    Operator::onnx("EyeLike", &[]).since(&[9, 22]),
    Operator::onnx("Multinomial", &[]).since(&[7, 22]),
    Operator::onnx("RandomNormal", &[]).since(&[1, 22]),
    Operator::onnx("RandomNormalLike", &[]).since(&[1, 22]),
    Operator::onnx("RandomUniform", &[]).since(&[1, 22]),
    Operator::onnx("RandomUniformLike", &[]).since(&[1, 22]),
    Operator::onnx("Range", &[]).since(&[11, 27]),
];
