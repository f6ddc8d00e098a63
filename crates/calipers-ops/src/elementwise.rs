//! Arithmetic on elements, where a stored operand may be learned or not.

use crate::Slot::{Added, Cosine, Curve, Data, Divided, Multiplied, Setting, Sine, Subtracted};
use crate::row::Operator;

/// Rows of the family. Comparisons, bounds and rounding are not listed: they take settings.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Add", &[Added, Added]),
    Operator::onnx("Cos", &[Cosine]),
    Operator::onnx("Div", &[Divided, Divided]),
    Operator::onnx("Erf", &[Curve]),
    Operator::onnx("Exp", &[Curve]),
    Operator::onnx("HardSigmoid", &[Curve]),
    Operator::onnx("Log", &[Curve]),
    Operator::onnx("LogSoftmax", &[Curve]),
    Operator::onnx("Mul", &[Multiplied, Multiplied]),
    Operator::onnx("Pow", &[Data, Setting]),
    Operator::onnx("Sigmoid", &[Curve]),
    Operator::onnx("Sin", &[Sine]),
    Operator::onnx("Softmax", &[Curve]),
    Operator::onnx("Softplus", &[Curve]),
    Operator::onnx("Sub", &[Subtracted, Subtracted]),
    Operator::onnx("Sum", &[Added]).variadic(),
    Operator::onnx("Tanh", &[Curve]),
];
