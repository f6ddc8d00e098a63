//! Element by element: arithmetic, logic, activations, casts, and what keeps its input's shape.
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

use crate::InputRole::{
    Added, Cosine, Data, Divided, Joined, Moved, Multiplied, Setting, Sine, Subtracted,
    Transformed, Weight,
};
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{Activation, Class, KernelClass, Lowering, Movement, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Elementwise,
    [
        Operator::onnx("Abs", &[Moved])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Acos", &[])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Acosh", &[])
            .transcendental()
            .unary(true)
            .since(&[9, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Add", &[Added, Added])
            .commutes()
            .has_integer_kernel()
            .since(&[1, 6, 7, 13, 14])
            .infer(rules::arithmetic)
            .costs(cost::per_output::<1>),
        Operator::onnx("And", &[])
            .commutes()
            .decides()
            .since(&[1, 7])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Asin", &[])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Asinh", &[])
            .transcendental()
            .unary(true)
            .since(&[9, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Atan", &[])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Atanh", &[])
            .transcendental()
            .unary(true)
            .since(&[9, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Bernoulli", &[])
            .random()
            .in_place(false)
            .since(&[15, 22])
            .infer(rules::bernoulli)
            .costs(cost::per_output::<1>),
        Operator::onnx("BitCast", &[])
            .passes(Movement::View)
            .since(&[26])
            .infer(cast::bit_cast)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("BitShift", &[])
            .since(&[11, 28])
            .infer(rules::bit_shift)
            .costs(cost::per_output::<1>),
        Operator::onnx("BitwiseAnd", &[])
            .commutes()
            .since(&[18])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
        Operator::onnx("BitwiseNot", &[])
            .unary(true)
            .since(&[18])
            .infer(rules::bitwise_not_rule)
            .costs(cost::per_output::<1>),
        Operator::onnx("BitwiseOr", &[])
            .commutes()
            .since(&[18])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
        Operator::onnx("BitwiseXor", &[])
            .commutes()
            .since(&[18])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Cast", &[Moved])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .unary(true)
            .has_integer_kernel()
            .since(&[1, 6, 9, 13, 19, 21, 23, 24, 25, 28])
            .infer(cast::cast_rule)
            .costs(cost::pointwise::cast),
        Operator::onnx("CastLike", &[Moved, Setting])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .since(&[15, 19, 21, 23, 24, 25])
            .infer(cast::cast_like)
            .costs(cost::pointwise::cast)
            .moves(Traffic::Without(&[1])),
        Operator::onnx("Ceil", &[])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Celu", &[])
            .activates(Activation::Celu)
            .since(&[12, 28])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Clip", &[])
            .unary(true)
            .has_integer_kernel()
            .since(&[1, 6, 11, 12, 13])
            .infer(rules::clip)
            .costs(cost::per_output::<1>),
        Operator::onnx("Cos", &[Cosine])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Cosh", &[])
            .transcendental()
            .unary(true)
            .since(&[9, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("CumProd", &[])
            .class(Class::Reduction)
            .kernel(KernelClass::Elementwise)
            .since(&[26])
            .infer(cumulative::cumulative)
            .costs(cost::per_output::<1>),
        Operator::onnx("CumSum", &[])
            .class(Class::Reduction)
            .kernel(KernelClass::Elementwise)
            .since(&[11, 14])
            .infer(cumulative::cumulative)
            .costs(cost::per_output::<1>),
        Operator::onnx("Div", &[Divided, Divided])
            .since(&[1, 6, 7, 13, 14])
            .infer(rules::arithmetic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Dropout", &[Moved])
            .lowers(Lowering::Forward)
            .has_integer_kernel()
            .since(&[1, 6, 7, 10, 12, 13, 22])
            .infer(rules::dropout)
            .costs(cost::pointwise::dropout),
        Operator::onnx("Elu", &[])
            .activates(Activation::Elu)
            .since(&[1, 6, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Equal", &[])
            .commutes()
            .decides()
            .since(&[1, 7, 11, 13, 19])
            .infer(rules::comparison)
            .costs(cost::per_output::<1>),
        Operator::onnx("Erf", &[Transformed])
            .transcendental()
            .unary(true)
            .since(&[9, 13])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Exp", &[Transformed])
            .transcendental()
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Floor", &[])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Gelu", &[])
            .activates(Activation::Gelu)
            .since(&[20])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Greater", &[])
            .decides()
            .since(&[1, 7, 9, 13])
            .infer(rules::comparison)
            .costs(cost::per_output::<1>),
        Operator::onnx("GreaterOrEqual", &[])
            .decides()
            .since(&[12, 16])
            .infer(rules::comparison)
            .costs(cost::per_output::<1>),
        Operator::onnx("HardSigmoid", &[Transformed])
            .activates(Activation::HardSigmoid)
            .has_integer_kernel()
            .since(&[1, 6, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("HardSwish", &[])
            .activates(Activation::HardSwish)
            .has_integer_kernel()
            .since(&[14, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Hardmax", &[])
            .class(Class::Softmax)
            .since(&[1, 11, 13])
            .infer(rules::softmax)
            .costs(cost::per_output::<2>),
        Operator::onnx("IsInf", &[])
            .decides()
            .unary(true)
            .since(&[10, 20])
            .infer(rules::is_inf)
            .costs(cost::per_output::<1>),
        Operator::onnx("IsNaN", &[])
            .decides()
            .unary(true)
            .since(&[9, 13, 20])
            .infer(rules::is_nan)
            .costs(cost::per_output::<1>),
        Operator::onnx("LeakyRelu", &[])
            .activates(Activation::LeakyRelu)
            .has_integer_kernel()
            .since(&[1, 6, 16])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Less", &[])
            .decides()
            .since(&[1, 7, 9, 13])
            .infer(rules::comparison)
            .costs(cost::per_output::<1>),
        Operator::onnx("LessOrEqual", &[])
            .decides()
            .since(&[12, 16])
            .infer(rules::comparison)
            .costs(cost::per_output::<1>),
        Operator::onnx("Log", &[Transformed])
            .transcendental()
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("LogSoftmax", &[Transformed])
            .class(Class::Softmax)
            .since(&[1, 11, 13])
            .infer(rules::softmax)
            .costs(cost::per_output::<5>),
        Operator::onnx("Max", &[])
            .commutes()
            .since(&[1, 6, 8, 12, 13])
            .infer(rules::variadic)
            .costs(cost::pointwise::folded),
        Operator::onnx("Mean", &[])
            .commutes()
            .since(&[1, 6, 8, 13])
            .infer(rules::variadic)
            .costs(cost::pointwise::averaged),
        Operator::onnx("Min", &[])
            .commutes()
            .since(&[1, 6, 8, 12, 13])
            .infer(rules::variadic)
            .costs(cost::pointwise::folded),
        Operator::onnx("Mish", &[])
            .activates(Activation::Mish)
            .since(&[18, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Mod", &[])
            .since(&[10, 13, 28])
            .infer(rules::arithmetic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Mul", &[Multiplied, Multiplied])
            .commutes()
            .has_integer_kernel()
            .since(&[1, 6, 7, 13, 14])
            .infer(rules::arithmetic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Neg", &[Moved])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Not", &[])
            .decides()
            .unary(true)
            .since(&[1])
            .infer(rules::not)
            .costs(cost::per_output::<1>),
        Operator::onnx("Or", &[])
            .commutes()
            .decides()
            .since(&[1, 7])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
        Operator::onnx("PRelu", &[Data, Weight])
            .activates(Activation::Prelu)
            .unary(false)
            .has_integer_kernel()
            .since(&[1, 6, 7, 9, 16])
            .infer(rules::prelu)
            .costs(cost::per_output::<1>),
        Operator::onnx("Pow", &[Data, Setting])
            .transcendental()
            .since(&[1, 7, 12, 13, 15])
            .infer(rules::pow)
            .costs(cost::per_output::<1>),
        Operator::onnx("Reciprocal", &[Moved])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Relu", &[])
            .activates(Activation::Relu)
            .has_integer_kernel()
            .since(&[1, 6, 13, 14])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Round", &[])
            .unary(true)
            .since(&[11, 22])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Selu", &[])
            .activates(Activation::Selu)
            .since(&[1, 6, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Shrink", &[])
            .unary(true)
            .since(&[9])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sigmoid", &[Transformed])
            .activates(Activation::Sigmoid)
            .has_integer_kernel()
            .since(&[1, 6, 13])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sign", &[])
            .unary(true)
            .since(&[9, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sin", &[Sine])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sinh", &[])
            .transcendental()
            .unary(true)
            .since(&[9, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Softmax", &[Transformed])
            .class(Class::Softmax)
            .has_integer_kernel()
            .since(&[1, 11, 13])
            .infer(rules::softmax)
            .costs(cost::per_output::<5>),
        Operator::onnx("Softplus", &[Transformed])
            .activates(Activation::Softplus)
            .since(&[1, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Softsign", &[])
            .activates(Activation::Softsign)
            .since(&[1, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sqrt", &[Moved])
            .unary(true)
            .since(&[1, 6, 13])
            .infer(rules::unary)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sub", &[Subtracted, Subtracted])
            .has_integer_kernel()
            .since(&[1, 6, 7, 13, 14])
            .infer(rules::arithmetic)
            .costs(cost::per_output::<1>),
        Operator::onnx("Sum", &[Added])
            .commutes()
            .lowers(Lowering::Sum)
            .variadic()
            .since(&[1, 6, 8, 13])
            .infer(rules::variadic)
            .costs(cost::pointwise::folded),
        Operator::onnx("SwiGLU", &[])
            .in_place(false)
            .since(&[28])
            .infer(rules::swiglu)
            .costs(cost::per_output::<2>),
        Operator::onnx("Swish", &[])
            .activates(Activation::Silu)
            .since(&[24])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Tan", &[])
            .transcendental()
            .unary(true)
            .since(&[7, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Tanh", &[Transformed])
            .activates(Activation::Tanh)
            .has_integer_kernel()
            .since(&[1, 6, 13])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("ThresholdedRelu", &[])
            .activates(Activation::ThresholdedRelu)
            .since(&[10, 22])
            .infer(rules::same)
            .costs(cost::per_output::<1>),
        Operator::onnx("Where", &[Setting, Joined, Joined])
            .has_integer_kernel()
            .since(&[9, 16])
            .infer(rules::where_rule)
            .costs(cost::free),
        Operator::onnx("Xor", &[])
            .commutes()
            .decides()
            .since(&[1, 7])
            .infer(rules::logic)
            .costs(cost::per_output::<1>),
    ],
);
