//! Element by element: arithmetic, logic, curves, casts, and what keeps its input's shape.
//!
//! Rules of other families compute with the same algebra: [`arithmetic`], [`compare`] and [`cast`]
//! work on one element of a type, [`number`] says what fits a type, [`values`] broadcasts whole
//! tensors, and [`rules::same`] is the rule of whatever keeps type and shape.

pub(crate) mod arithmetic;
pub(crate) mod cast;
#[cfg(test)]
mod chain_tests;
pub(crate) mod compare;
mod cumulative;
pub(crate) mod number;
mod operands;
pub(crate) mod rules;
#[cfg(test)]
mod testing;
pub(crate) mod values;

use crate::Slot::{
    Added, Cosine, Curve, Data, Divided, Joined, Moved, Multiplied, Setting, Sine, Subtracted,
    Weight,
};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Abs", &[Moved]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Acos", &[]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Acosh", &[]).since(&[9, 22]).infer(rules::same),
    Operator::onnx("Add", &[Added, Added]).since(&[1, 6, 7, 13, 14]).infer(rules::arithmetic),
    Operator::onnx("And", &[]).since(&[1, 7]).infer(rules::logic),
    Operator::onnx("Asin", &[]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Asinh", &[]).since(&[9, 22]).infer(rules::same),
    Operator::onnx("Atan", &[]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Atanh", &[]).since(&[9, 22]).infer(rules::same),
    Operator::onnx("Bernoulli", &[]).since(&[15, 22]).infer(rules::bernoulli),
    Operator::onnx("BitCast", &[]).since(&[26]).infer(cast::bit_cast),
    Operator::onnx("BitShift", &[]).since(&[11, 28]).infer(rules::bit_shift),
    Operator::onnx("BitwiseAnd", &[]).since(&[18]).infer(rules::logic),
    Operator::onnx("BitwiseNot", &[]).since(&[18]).infer(rules::bitwise_not_rule),
    Operator::onnx("BitwiseOr", &[]).since(&[18]).infer(rules::logic),
    Operator::onnx("BitwiseXor", &[]).since(&[18]).infer(rules::logic),
    Operator::onnx("Cast", &[Moved])
        .since(&[1, 6, 9, 13, 19, 21, 23, 24, 25, 28])
        .infer(cast::cast_rule),
    Operator::onnx("CastLike", &[Moved, Setting])
        .since(&[15, 19, 21, 23, 24, 25])
        .infer(cast::cast_like),
    Operator::onnx("Ceil", &[]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Celu", &[]).since(&[12, 28]).infer(rules::same),
    Operator::onnx("Clip", &[]).since(&[1, 6, 11, 12, 13]).infer(rules::clip),
    Operator::onnx("Cos", &[Cosine]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Cosh", &[]).since(&[9, 22]).infer(rules::same),
    Operator::onnx("CumProd", &[]).since(&[26]).infer(cumulative::cumulative),
    Operator::onnx("CumSum", &[]).since(&[11, 14]).infer(cumulative::cumulative),
    Operator::onnx("Div", &[Divided, Divided]).since(&[1, 6, 7, 13, 14]).infer(rules::arithmetic),
    Operator::onnx("Dropout", &[Moved]).since(&[1, 6, 7, 10, 12, 13, 22]).infer(rules::dropout),
    Operator::onnx("Elu", &[]).since(&[1, 6, 22]).infer(rules::same),
    Operator::onnx("Equal", &[]).since(&[1, 7, 11, 13, 19]).infer(rules::comparison),
    Operator::onnx("Erf", &[Curve]).since(&[9, 13]).infer(rules::same),
    Operator::onnx("Exp", &[Curve]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Floor", &[]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Gelu", &[]).since(&[20]).infer(rules::same),
    Operator::onnx("Greater", &[]).since(&[1, 7, 9, 13]).infer(rules::comparison),
    Operator::onnx("GreaterOrEqual", &[]).since(&[12, 16]).infer(rules::comparison),
    Operator::onnx("HardSigmoid", &[Curve]).since(&[1, 6, 22]).infer(rules::same),
    Operator::onnx("HardSwish", &[]).since(&[14, 22]).infer(rules::same),
    Operator::onnx("Hardmax", &[]).since(&[1, 11, 13]).infer(rules::softmax),
    Operator::onnx("IsInf", &[]).since(&[10, 20]).infer(rules::is_inf),
    Operator::onnx("IsNaN", &[]).since(&[9, 13, 20]).infer(rules::is_nan),
    Operator::onnx("LeakyRelu", &[]).since(&[1, 6, 16]).infer(rules::same),
    Operator::onnx("Less", &[]).since(&[1, 7, 9, 13]).infer(rules::comparison),
    Operator::onnx("LessOrEqual", &[]).since(&[12, 16]).infer(rules::comparison),
    Operator::onnx("Log", &[Curve]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("LogSoftmax", &[Curve]).since(&[1, 11, 13]).infer(rules::softmax),
    Operator::onnx("Max", &[]).since(&[1, 6, 8, 12, 13]).infer(rules::variadic),
    Operator::onnx("Mean", &[]).since(&[1, 6, 8, 13]).infer(rules::variadic),
    Operator::onnx("Min", &[]).since(&[1, 6, 8, 12, 13]).infer(rules::variadic),
    Operator::onnx("Mish", &[]).since(&[18, 22]).infer(rules::same),
    Operator::onnx("Mod", &[]).since(&[10, 13, 28]).infer(rules::arithmetic),
    Operator::onnx("Mul", &[Multiplied, Multiplied])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic),
    Operator::onnx("Neg", &[Moved]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Not", &[]).since(&[1]).infer(rules::not),
    Operator::onnx("Or", &[]).since(&[1, 7]).infer(rules::logic),
    Operator::onnx("PRelu", &[Data, Weight]).since(&[1, 6, 7, 9, 16]).infer(rules::prelu),
    Operator::onnx("Pow", &[Data, Setting]).since(&[1, 7, 12, 13, 15]).infer(rules::pow),
    Operator::onnx("Reciprocal", &[Moved]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Relu", &[]).since(&[1, 6, 13, 14]).infer(rules::unary),
    Operator::onnx("Round", &[]).since(&[11, 22]).infer(rules::unary),
    Operator::onnx("Selu", &[]).since(&[1, 6, 22]).infer(rules::same),
    Operator::onnx("Shrink", &[]).since(&[9]).infer(rules::same),
    Operator::onnx("Sigmoid", &[Curve]).since(&[1, 6, 13]).infer(rules::same),
    Operator::onnx("Sign", &[]).since(&[9, 13]).infer(rules::unary),
    Operator::onnx("Sin", &[Sine]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Sinh", &[]).since(&[9, 22]).infer(rules::same),
    Operator::onnx("Softmax", &[Curve]).since(&[1, 11, 13]).infer(rules::softmax),
    Operator::onnx("Softplus", &[Curve]).since(&[1, 22]).infer(rules::same),
    Operator::onnx("Softsign", &[]).since(&[1, 22]).infer(rules::same),
    Operator::onnx("Sqrt", &[Moved]).since(&[1, 6, 13]).infer(rules::unary),
    Operator::onnx("Sub", &[Subtracted, Subtracted])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic),
    Operator::onnx("Sum", &[Added]).variadic().since(&[1, 6, 8, 13]).infer(rules::variadic),
    Operator::onnx("SwiGLU", &[]).since(&[28]).infer(rules::swiglu),
    Operator::onnx("Swish", &[]).since(&[24]).infer(rules::same),
    Operator::onnx("Tan", &[]).since(&[7, 22]).infer(rules::same),
    Operator::onnx("Tanh", &[Curve]).since(&[1, 6, 13]).infer(rules::same),
    Operator::onnx("ThresholdedRelu", &[]).since(&[10, 22]).infer(rules::same),
    Operator::onnx("Where", &[Setting, Joined, Joined]).since(&[9, 16]).infer(rules::where_rule),
    Operator::onnx("Xor", &[]).since(&[1, 7]).infer(rules::logic),
];
