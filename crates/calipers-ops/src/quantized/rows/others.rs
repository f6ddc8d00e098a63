//! Conversions, and operators on integers that sum no products.

use super::super::linear;
use super::super::qlinear;
use crate::InputRole::{Added, Data, Dequantized, Moved, Multiplied, Scale, Table, Weight};
use crate::NHWC;
use crate::contrib::misc;
use crate::contrib::pointwise;
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{Activation, Class, Lowering, Movement, Norm, Pool, family, quantized_at};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Quantization,
    [
        Operator::onnx("DequantizeLinear", &[Dequantized, Scale, Scale])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .scales(&[quantized_at(0)])
            .in_place(true)
            .grows_when_folded()
            .since(&[10, 13, 19, 21, 23, 24, 25, 28])
            .infer(linear::dequantize_linear)
            .costs(cost::per_output::<2>),
        Operator::onnx("DynamicQuantizeLinear", &[Moved])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .since(&[11])
            .infer(linear::dynamic_quantize_linear)
            .costs(cost::per_output::<4>),
        Operator::onnx("QuantizeLinear", &[Moved, Scale, Scale])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .scales(&[quantized_at(0)])
            .in_place(true)
            .grows_when_folded()
            .since(&[10, 13, 19, 21, 23, 24, 25, 28])
            .infer(linear::quantize_linear)
            .costs(cost::per_output::<2>),
        Operator::microsoft("DequantizeWithOrder", &[Dequantized, Scale])
            .passes(Movement::Convert)
            .infer(linear::dequantize_with_order)
            .costs(cost::per_output::<2>),
        Operator::microsoft("MulInteger", &[Multiplied, Scale, Multiplied, Scale])
            .class(Class::Elementwise)
            .in_place(false)
            .has_integer_kernel()
            .infer(misc::mul_integer)
            .costs(cost::per_output::<1>),
        Operator::microsoft(
            "QEmbedLayerNormalization",
            &[
                Data, Data, Table, Table, Table, Weight, Weight, Data, Scale, Scale, Scale, Scale,
                Scale, Scale, Scale, Scale, Scale, Scale,
            ],
        )
        .normalizes(Norm::Layer)
        .infer(pointwise::q_embed_layer_norm)
        .costs(cost::pointwise::q_embed_layer_norm)
        .moves(Traffic::Rows(&[2, 3, 4])),
        Operator::microsoft(
            "QLinearAdd",
            &[Added, Scale, Scale, Added, Scale, Scale, Scale, Scale],
        )
        .class(Class::Elementwise)
        .lowers(Lowering::As("Add", &[0, 3]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .in_place(false)
        .has_integer_kernel()
        .infer(qlinear::pair)
        .costs(cost::per_output::<7>),
        Operator::microsoft("QLinearAveragePool", &[Data, Scale, Scale, Scale, Scale])
            .pools(Pool::Average)
            .lowers(Lowering::As("AveragePool", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(qlinear::average_pool)
            .costs(cost::window::quantized_pool),
        Operator::microsoft("QLinearConcat", &[Scale])
            .passes(Movement::Join)
            .lowers(Lowering::Concat)
            .scales(&[quantized_at(2), quantized_at(5)])
            .has_integer_kernel()
            .variadic()
            .infer(qlinear::concat)
            .costs(cost::per_output::<4>),
        Operator::microsoft("QLinearGlobalAveragePool", &[Data, Scale, Scale, Scale, Scale])
            .pools(Pool::GlobalAverage)
            .lowers(Lowering::As("GlobalAveragePool", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(qlinear::global_average_pool)
            .costs(cost::per_input::<1>),
        Operator::microsoft("QLinearLeakyRelu", &[Data, Scale, Scale, Scale, Scale])
            .activates(Activation::LeakyRelu)
            .lowers(Lowering::As("LeakyRelu", &[0]))
            .scales(&[quantized_at(0)])
            .in_place(false)
            .unary(false)
            .has_integer_kernel()
            .infer(pointwise::same)
            .costs(cost::per_output::<5>),
        Operator::microsoft(
            "QLinearMul",
            &[Multiplied, Scale, Scale, Multiplied, Scale, Scale, Scale, Scale],
        )
        .class(Class::Elementwise)
        .lowers(Lowering::As("Mul", &[0, 3]))
        .scales(&[quantized_at(0), quantized_at(3)])
        .in_place(false)
        .has_integer_kernel()
        .infer(qlinear::pair)
        .costs(cost::per_output::<7>),
        Operator::microsoft("QLinearReduceMean", &[Data, Scale, Scale, Scale, Scale])
            .class(Class::Reduction)
            .lowers(Lowering::As("ReduceMean", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(qlinear::reduce_mean)
            .costs(cost::per_input::<1>),
        Operator::microsoft("QLinearSigmoid", &[Data, Scale, Scale, Scale, Scale])
            .activates(Activation::Sigmoid)
            .lowers(Lowering::As("Sigmoid", &[0]))
            .scales(&[quantized_at(0)])
            .in_place(false)
            .unary(false)
            .has_integer_kernel()
            .infer(pointwise::same)
            .costs(cost::per_output::<5>),
        Operator::microsoft("QLinearSoftmax", &[Data, Scale, Scale, Scale, Scale])
            .class(Class::Softmax)
            .lowers(Lowering::As("Softmax", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(pointwise::same)
            .costs(cost::per_output::<9>),
        Operator::microsoft(
            "QLinearWhere",
            &[Data, Data, Scale, Scale, Data, Scale, Scale, Scale, Scale],
        )
        .class(Class::Elementwise)
        .lowers(Lowering::As("Where", &[0, 1, 4]))
        .scales(&[quantized_at(1), quantized_at(4)])
        .in_place(false)
        .has_integer_kernel()
        .infer(qlinear::choose)
        .costs(cost::per_output::<4>),
        Operator::microsoft("QOrderedGelu", &[Data, Scale, Scale])
            .activates(Activation::Gelu)
            .in_place(false)
            .unary(false)
            .has_integer_kernel()
            .infer(pointwise::same)
            .costs(cost::per_output::<5>),
        Operator::microsoft("QOrderedLayerNormalization", &[Data, Scale, Weight, Weight, Scale])
            .normalizes(Norm::Layer)
            .has_integer_kernel()
            .infer(pointwise::same)
            .costs(cost::per_output::<11>),
        Operator::microsoft("QuantizeBFP", &[Moved])
            .passes(Movement::Convert)
            .infer(linear::quantize_bfp)
            .costs(cost::per_output::<2>),
        Operator::microsoft("QuantizeLinear", &[Moved, Scale, Scale])
            .passes(Movement::Convert)
            .lowers(Lowering::Forward)
            .scales(&[quantized_at(0)])
            .in_place(true)
            .grows_when_folded()
            .infer(linear::quantize_linear)
            .costs(cost::per_output::<2>),
        Operator::microsoft("QuantizeWithOrder", &[Moved, Scale])
            .passes(Movement::Convert)
            .infer(linear::quantize_with_order)
            .costs(cost::per_output::<2>),
        Operator::microsoft("ReduceSumInteger", &[Data])
            .class(Class::Reduction)
            .has_integer_kernel()
            .infer(qlinear::reduce_sum_integer)
            .costs(cost::per_input::<1>),
        Operator::new(NHWC, "QLinearAveragePool", &[Data, Scale, Scale, Scale, Scale])
            .pools(Pool::Average)
            .lowers(Lowering::As("AveragePool", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(qlinear::average_pool_last)
            .costs(cost::window::quantized_pool),
        Operator::new(NHWC, "QLinearGlobalAveragePool", &[Data, Scale, Scale, Scale, Scale])
            .pools(Pool::GlobalAverage)
            .lowers(Lowering::As("GlobalAveragePool", &[0]))
            .scales(&[quantized_at(0)])
            .has_integer_kernel()
            .infer(qlinear::global_average_pool_last)
            .costs(cost::per_input::<1>),
    ],
);
