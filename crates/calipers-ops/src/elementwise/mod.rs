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
use crate::cost::{self, Traffic};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Abs", &[Moved])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Acos", &[]).since(&[7, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Acosh", &[]).since(&[9, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Add", &[Added, Added])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic)
        .costs(cost::per_output::<1>),
    Operator::onnx("And", &[]).since(&[1, 7]).infer(rules::logic).costs(cost::per_output::<1>),
    Operator::onnx("Asin", &[]).since(&[7, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Asinh", &[]).since(&[9, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Atan", &[]).since(&[7, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Atanh", &[]).since(&[9, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Bernoulli", &[])
        .since(&[15, 22])
        .infer(rules::bernoulli)
        .costs(cost::per_output::<1>),
    Operator::onnx("BitCast", &[])
        .since(&[26])
        .infer(cast::bit_cast)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("BitShift", &[])
        .since(&[11, 28])
        .infer(rules::bit_shift)
        .costs(cost::per_output::<1>),
    Operator::onnx("BitwiseAnd", &[]).since(&[18]).infer(rules::logic).costs(cost::per_output::<1>),
    Operator::onnx("BitwiseNot", &[])
        .since(&[18])
        .infer(rules::bitwise_not_rule)
        .costs(cost::per_output::<1>),
    Operator::onnx("BitwiseOr", &[]).since(&[18]).infer(rules::logic).costs(cost::per_output::<1>),
    Operator::onnx("BitwiseXor", &[]).since(&[18]).infer(rules::logic).costs(cost::per_output::<1>),
    Operator::onnx("Cast", &[Moved])
        .since(&[1, 6, 9, 13, 19, 21, 23, 24, 25, 28])
        .infer(cast::cast_rule)
        .costs(cost::pointwise::cast),
    Operator::onnx("CastLike", &[Moved, Setting])
        .since(&[15, 19, 21, 23, 24, 25])
        .infer(cast::cast_like)
        .costs(cost::pointwise::cast)
        .moves(Traffic::Without(&[1])),
    Operator::onnx("Ceil", &[]).since(&[1, 6, 13]).infer(rules::unary).costs(cost::per_output::<1>),
    Operator::onnx("Celu", &[]).since(&[12, 28]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Clip", &[])
        .since(&[1, 6, 11, 12, 13])
        .infer(rules::clip)
        .costs(cost::per_output::<1>),
    Operator::onnx("Cos", &[Cosine])
        .since(&[7, 22])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Cosh", &[]).since(&[9, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("CumProd", &[])
        .since(&[26])
        .infer(cumulative::cumulative)
        .costs(cost::per_output::<1>),
    Operator::onnx("CumSum", &[])
        .since(&[11, 14])
        .infer(cumulative::cumulative)
        .costs(cost::per_output::<1>),
    Operator::onnx("Div", &[Divided, Divided])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic)
        .costs(cost::per_output::<1>),
    Operator::onnx("Dropout", &[Moved])
        .since(&[1, 6, 7, 10, 12, 13, 22])
        .infer(rules::dropout)
        .costs(cost::pointwise::dropout),
    Operator::onnx("Elu", &[]).since(&[1, 6, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Equal", &[])
        .since(&[1, 7, 11, 13, 19])
        .infer(rules::comparison)
        .costs(cost::per_output::<1>),
    Operator::onnx("Erf", &[Curve]).since(&[9, 13]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Exp", &[Curve])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Floor", &[])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Gelu", &[]).since(&[20]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Greater", &[])
        .since(&[1, 7, 9, 13])
        .infer(rules::comparison)
        .costs(cost::per_output::<1>),
    Operator::onnx("GreaterOrEqual", &[])
        .since(&[12, 16])
        .infer(rules::comparison)
        .costs(cost::per_output::<1>),
    Operator::onnx("HardSigmoid", &[Curve])
        .since(&[1, 6, 22])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("HardSwish", &[])
        .since(&[14, 22])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Hardmax", &[])
        .since(&[1, 11, 13])
        .infer(rules::softmax)
        .costs(cost::per_output::<2>),
    Operator::onnx("IsInf", &[]).since(&[10, 20]).infer(rules::is_inf).costs(cost::per_output::<1>),
    Operator::onnx("IsNaN", &[])
        .since(&[9, 13, 20])
        .infer(rules::is_nan)
        .costs(cost::per_output::<1>),
    Operator::onnx("LeakyRelu", &[])
        .since(&[1, 6, 16])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Less", &[])
        .since(&[1, 7, 9, 13])
        .infer(rules::comparison)
        .costs(cost::per_output::<1>),
    Operator::onnx("LessOrEqual", &[])
        .since(&[12, 16])
        .infer(rules::comparison)
        .costs(cost::per_output::<1>),
    Operator::onnx("Log", &[Curve])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("LogSoftmax", &[Curve])
        .since(&[1, 11, 13])
        .infer(rules::softmax)
        .costs(cost::per_output::<5>),
    Operator::onnx("Max", &[])
        .since(&[1, 6, 8, 12, 13])
        .infer(rules::variadic)
        .costs(cost::pointwise::folded),
    Operator::onnx("Mean", &[])
        .since(&[1, 6, 8, 13])
        .infer(rules::variadic)
        .costs(cost::pointwise::averaged),
    Operator::onnx("Min", &[])
        .since(&[1, 6, 8, 12, 13])
        .infer(rules::variadic)
        .costs(cost::pointwise::folded),
    Operator::onnx("Mish", &[]).since(&[18, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Mod", &[])
        .since(&[10, 13, 28])
        .infer(rules::arithmetic)
        .costs(cost::per_output::<1>),
    Operator::onnx("Mul", &[Multiplied, Multiplied])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic)
        .costs(cost::per_output::<1>),
    Operator::onnx("Neg", &[Moved])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Not", &[]).since(&[1]).infer(rules::not).costs(cost::per_output::<1>),
    Operator::onnx("Or", &[]).since(&[1, 7]).infer(rules::logic).costs(cost::per_output::<1>),
    Operator::onnx("PRelu", &[Data, Weight])
        .since(&[1, 6, 7, 9, 16])
        .infer(rules::prelu)
        .costs(cost::per_output::<1>),
    Operator::onnx("Pow", &[Data, Setting])
        .since(&[1, 7, 12, 13, 15])
        .infer(rules::pow)
        .costs(cost::per_output::<1>),
    Operator::onnx("Reciprocal", &[Moved])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Relu", &[])
        .since(&[1, 6, 13, 14])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Round", &[]).since(&[11, 22]).infer(rules::unary).costs(cost::per_output::<1>),
    Operator::onnx("Selu", &[]).since(&[1, 6, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Shrink", &[]).since(&[9]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Sigmoid", &[Curve])
        .since(&[1, 6, 13])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Sign", &[]).since(&[9, 13]).infer(rules::unary).costs(cost::per_output::<1>),
    Operator::onnx("Sin", &[Sine]).since(&[7, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Sinh", &[]).since(&[9, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Softmax", &[Curve])
        .since(&[1, 11, 13])
        .infer(rules::softmax)
        .costs(cost::per_output::<5>),
    Operator::onnx("Softplus", &[Curve])
        .since(&[1, 22])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Softsign", &[]).since(&[1, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Sqrt", &[Moved])
        .since(&[1, 6, 13])
        .infer(rules::unary)
        .costs(cost::per_output::<1>),
    Operator::onnx("Sub", &[Subtracted, Subtracted])
        .since(&[1, 6, 7, 13, 14])
        .infer(rules::arithmetic)
        .costs(cost::per_output::<1>),
    Operator::onnx("Sum", &[Added])
        .variadic()
        .since(&[1, 6, 8, 13])
        .infer(rules::variadic)
        .costs(cost::pointwise::folded),
    Operator::onnx("SwiGLU", &[]).since(&[28]).infer(rules::swiglu).costs(cost::per_output::<2>),
    Operator::onnx("Swish", &[]).since(&[24]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Tan", &[]).since(&[7, 22]).infer(rules::same).costs(cost::per_output::<1>),
    Operator::onnx("Tanh", &[Curve])
        .since(&[1, 6, 13])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("ThresholdedRelu", &[])
        .since(&[10, 22])
        .infer(rules::same)
        .costs(cost::per_output::<1>),
    Operator::onnx("Where", &[Setting, Joined, Joined])
        .since(&[9, 16])
        .infer(rules::where_rule)
        .costs(cost::free),
    Operator::onnx("Xor", &[]).since(&[1, 7]).infer(rules::logic).costs(cost::per_output::<1>),
];
