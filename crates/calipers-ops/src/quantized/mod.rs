//! Quantised operators: weights beside their scales and zero points.

mod linear;
mod lstm;
mod packed;
mod product;
mod qlinear;

pub(crate) use linear::{dequantize_bfp, dequantize_linear};
pub(crate) use lstm::attention_lstm;

use crate::Slot::{Added, Data, Dequantized, Moved, Multiplied, Scale, Table, Weight};
use crate::contrib::{matmul, misc, pointwise, q_attention};
use crate::cost::{self, Traffic};
use crate::row::{Operator, Packing};

const NHWC: &str = "com.ms.internal.nhwc";

const PACKED_PRODUCT: Packing = Packing::Product { rows: "N", columns: "K", bits: "bits" };

/// Rows of the family.
#[rustfmt::skip]
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("ConvInteger", &[Data, Weight, Scale, Scale]).since(&[10]).infer(product::conv_integer).costs(cost::contraction::conv_integer),
    Operator::onnx("DequantizeLinear", &[Dequantized, Scale, Scale]).since(&[10, 13, 19, 21, 23, 24, 25, 28]).infer(linear::dequantize_linear).costs(cost::per_output::<2>),
    Operator::onnx("DynamicQuantizeLinear", &[Moved]).since(&[11]).infer(linear::dynamic_quantize_linear).costs(cost::per_output::<4>),
    Operator::onnx("MatMulInteger", &[Weight, Weight, Scale, Scale]).since(&[10]).infer(product::matmul_integer).costs(cost::contraction::matmul),
    Operator::onnx("QLinearConv", &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight]).since(&[10]).infer(product::qlinear_conv).costs(cost::contraction::qlinear_conv),
    Operator::onnx("QLinearMatMul", &[Weight, Scale, Scale, Weight, Scale, Scale, Scale, Scale]).since(&[10, 21]).infer(product::qlinear_matmul).costs(cost::contraction::qlinear_matmul),
    Operator::onnx("QuantizeLinear", &[Moved, Scale, Scale]).since(&[10, 13, 19, 21, 23, 24, 25, 28]).infer(linear::quantize_linear).costs(cost::per_output::<2>),
    Operator::microsoft("ConvInteger", &[Data, Weight, Scale, Scale]).infer(product::conv_integer).costs(cost::contraction::conv_integer),
    Operator::microsoft("DequantizeWithOrder", &[Dequantized, Scale]).infer(linear::dequantize_with_order).costs(cost::per_output::<2>),
    Operator::microsoft("DynamicQuantizeLSTM", &[Data, Weight, Weight, Weight, Data, Data, Data, Weight, Scale, Scale, Scale, Scale]).infer(lstm::dynamic_quantize_lstm).costs(cost::recurrent::quantized_lstm),
    Operator::microsoft("DynamicQuantizeMatMul", &[Data, Weight, Scale, Scale, Weight]).infer(matmul::matmul).costs(cost::contraction::dynamic_matmul),
    Operator::microsoft("GatherBlockQuantized", &[Table, Data, Scale, Scale]).packed(Packing::Bits { bits: "bits" }).infer(packed::gather).costs(cost::per_output::<2>).moves(Traffic::Gathered),
    Operator::microsoft("MatMulBlockQuantizedFp4Weight", &[Data, Weight, Scale, Scale, Scale, Weight]).infer(matmul::matmul_rows).costs(cost::contraction::matmul_packed),
    Operator::microsoft("MatMulBlockQuantizedFp8Weight", &[Data, Weight, Scale, Scale, Weight]).infer(matmul::matmul_rows).costs(cost::contraction::matmul_packed),
    Operator::microsoft("MatMulBnb4", &[Data, Weight, Scale]).packed(PACKED_PRODUCT).infer(matmul::matmul_bnb4).costs(cost::contraction::matmul_bnb4),
    Operator::microsoft("MatMulFpQ4", &[Data, Weight, Data]).infer(matmul::matmul_fpq4).costs(cost::contraction::matmul_packed),
    Operator::microsoft("MatMulInteger16", &[Weight, Weight]).infer(product::matmul_integer).costs(cost::contraction::matmul),
    Operator::microsoft("MatMulIntegerToFloat", &[Weight, Weight, Scale, Scale, Scale, Scale, Weight]).infer(product::matmul_integer_to_float).costs(cost::contraction::matmul_to_float),
    Operator::microsoft("MatMulNBits", &[Data, Weight, Scale, Scale, Data, Weight]).packed(PACKED_PRODUCT).infer(matmul::matmul_nbits).costs(cost::contraction::matmul_nbits),
    Operator::microsoft("MatMulNBitsMlp", &[Data, Data, Weight, Weight, Scale, Weight, Weight, Scale, Weight]).packed(PACKED_PRODUCT).infer(matmul::matmul_nbits_mlp).costs(cost::contraction::matmul_nbits_mlp),
    Operator::microsoft("MatMulNBitsQkv", &[Data, Data, Weight, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale, Weight]).packed(Packing::Bits { bits: "bits" }).infer(matmul::matmul_nbits_qkv).costs(cost::contraction::matmul_nbits_qkv),
    Operator::microsoft("MulInteger", &[Multiplied, Scale, Multiplied, Scale]).infer(misc::mul_integer).costs(cost::per_output::<1>),
    Operator::microsoft("QAttention", &[Data, Weight, Weight, Scale, Scale, Data, Scale, Scale, Data]).infer(q_attention).costs(cost::projected::q_attention),
    Operator::microsoft("QEmbedLayerNormalization", &[Data, Data, Table, Table, Table, Weight, Weight, Data, Scale, Scale, Scale, Scale, Scale, Scale, Scale, Scale, Scale, Scale]).infer(pointwise::q_embed_layer_norm).costs(cost::pointwise::q_embed_layer_norm).moves(Traffic::Rows(&[2, 3, 4])),
    Operator::microsoft("QGemm", &[Weight, Scale, Scale, Weight, Scale, Scale, Weight, Scale, Scale]).infer(product::qgemm).costs(cost::contraction::qgemm),
    Operator::microsoft("QLinearAdd", &[Added, Scale, Scale, Added, Scale, Scale, Scale, Scale]).infer(qlinear::pair).costs(cost::per_output::<7>),
    Operator::microsoft("QLinearAveragePool", &[Data, Scale, Scale, Scale, Scale]).infer(qlinear::average_pool).costs(cost::window::quantized_pool),
    Operator::microsoft("QLinearConcat", &[Scale]).variadic().infer(qlinear::concat).costs(cost::per_output::<4>),
    Operator::microsoft("QLinearConv", &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight]).infer(product::qlinear_conv).costs(cost::contraction::qlinear_conv),
    Operator::microsoft("QLinearConvTranspose", &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight]).infer(product::qlinear_conv_transpose).costs(cost::contraction::qlinear_conv_transpose),
    Operator::microsoft("QLinearGlobalAveragePool", &[Data, Scale, Scale, Scale, Scale]).infer(qlinear::global_average_pool).costs(cost::per_input::<1>),
    Operator::microsoft("QLinearLeakyRelu", &[Data, Scale, Scale, Scale, Scale]).infer(pointwise::same).costs(cost::per_output::<5>),
    Operator::microsoft("QLinearMul", &[Multiplied, Scale, Scale, Multiplied, Scale, Scale, Scale, Scale]).infer(qlinear::pair).costs(cost::per_output::<7>),
    Operator::microsoft("QLinearReduceMean", &[Data, Scale, Scale, Scale, Scale]).infer(qlinear::reduce_mean).costs(cost::per_input::<1>),
    Operator::microsoft("QLinearSigmoid", &[Data, Scale, Scale, Scale, Scale]).infer(pointwise::same).costs(cost::per_output::<5>),
    Operator::microsoft("QLinearSoftmax", &[Data, Scale, Scale, Scale, Scale]).infer(pointwise::same).costs(cost::per_output::<9>),
    Operator::microsoft("QLinearWhere", &[Data, Data, Scale, Scale, Data, Scale, Scale, Scale, Scale]).infer(qlinear::choose).costs(cost::per_output::<4>),
    Operator::microsoft("QMoE", &[Data, Data, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale, Weight, Scale, Scale, Scale, Data, Scale, Scale, Scale, Scale, Scale, Scale]).packed(Packing::Bits { bits: "expert_weight_bits" }).infer(pointwise::same).costs(cost::experts::packed_experts),
    Operator::microsoft("QOrderedAttention", &[Data, Scale, Scale, Scale, Scale, Weight, Weight, Weight, Scale, Scale, Scale, Weight, Weight, Weight, Scale, Scale, Scale, Data, Data, Data]).infer(qlinear::ordered_attention).costs(cost::projected::ordered),
    Operator::microsoft("QOrderedGelu", &[Data, Scale, Scale]).infer(pointwise::same).costs(cost::per_output::<5>),
    Operator::microsoft("QOrderedLayerNormalization", &[Data, Scale, Weight, Weight, Scale]).infer(pointwise::same).costs(cost::per_output::<11>),
    Operator::microsoft("QOrderedLongformerAttention", &[Data, Scale, Weight, Scale, Weight, Scale, Scale, Data, Weight, Scale, Weight, Scale, Data, Scale]).infer(pointwise::same).costs(cost::projected::ordered_longformer),
    Operator::microsoft("QOrderedMatMul", &[Data, Scale, Weight, Scale, Scale, Weight, Data, Scale]).infer(product::ordered_matmul).costs(cost::contraction::ordered_matmul),
    Operator::microsoft("QuantizeBFP", &[Moved]).infer(linear::quantize_bfp).costs(cost::per_output::<2>),
    Operator::microsoft("QuantizeLinear", &[Moved, Scale, Scale]).infer(linear::quantize_linear).costs(cost::per_output::<2>),
    Operator::microsoft("QuantizeWithOrder", &[Moved, Scale]).infer(linear::quantize_with_order).costs(cost::per_output::<2>),
    Operator::microsoft("ReduceSumInteger", &[Data]).infer(qlinear::reduce_sum_integer).costs(cost::per_input::<1>),
    Operator::new(NHWC, "QLinearAveragePool", &[Data, Scale, Scale, Scale, Scale]).infer(qlinear::average_pool_last).costs(cost::window::quantized_pool),
    Operator::new(NHWC, "QLinearConv", &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight]).infer(product::qlinear_conv_last).costs(cost::contraction::qlinear_conv),
    Operator::new(NHWC, "QLinearConvTranspose", &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight]).infer(product::qlinear_conv_transpose_last).costs(cost::contraction::qlinear_conv_transpose),
    Operator::new(NHWC, "QLinearGlobalAveragePool", &[Data, Scale, Scale, Scale, Scale]).infer(qlinear::global_average_pool_last).costs(cost::per_input::<1>),
];
