//! Arithmetic on elements, where a stored operand may be learned or not.

use crate::Slot::{Added, Angle, Curve, Divided, Multiplied, Setting, Subtracted};
use crate::row::Operator;

/// Rows of the family. Comparisons, bounds and rounding are not listed: they take settings.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Add", &[Added, Added]),
    Operator::onnx("Cos", &[Angle]),
    Operator::onnx("Div", &[Divided, Divided]),
    Operator::onnx("Erf", &[Curve]),
    Operator::onnx("Exp", &[Curve]),
    Operator::onnx("HardSigmoid", &[Curve]),
    Operator::onnx("Log", &[Curve]),
    Operator::onnx("LogSoftmax", &[Curve]),
    Operator::onnx("Mul", &[Multiplied, Multiplied]),
    Operator::onnx("Pow", &[Setting, Setting]),
    Operator::onnx("Sigmoid", &[Curve]),
    Operator::onnx("Sin", &[Angle]),
    Operator::onnx("Softmax", &[Curve]),
    Operator::onnx("Softplus", &[Curve]),
    Operator::onnx("Sub", &[Subtracted, Subtracted]),
    Operator::onnx("Sum", &[Added]).variadic(),
    Operator::onnx("Tanh", &[Curve]),
];
