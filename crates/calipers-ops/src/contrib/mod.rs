//! ONNX Runtime's own operators: fused layers, attention, searches, other layouts.
//!
//! Exporters and the runtime's optimiser write them. They are described at
//! <https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md>; the operators of
//! the blocked and channels-last domains are internal and described nowhere.

mod attention;
mod generate;
mod layout;
mod legacy;
pub(crate) mod matmul;
pub(crate) mod misc;
pub(crate) mod pointwise;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod told;
pub(crate) mod window;

pub(crate) use attention::q_attention;

use crate::NCHWC;
use crate::Slot::{Data, Dequantized, Moved, Scale, Setting, Statistic, Table, Weight};
use crate::cost::{self, Traffic};
use crate::row::Operator;

const NHWC: &str = "com.ms.internal.nhwc";

/// Rows of the family.
#[rustfmt::skip]
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Affine", &[Data]).infer(pointwise::same).costs(cost::per_output::<2>),
    Operator::onnx("Crop", &[Data]).infer(legacy::crop).costs(cost::free).moves(Traffic::Gathered),
    Operator::onnx("ImageScaler", &[Data]).infer(pointwise::same).costs(cost::per_output::<2>),
    Operator::onnx("MemcpyFromHost", &[Moved]).infer(pointwise::same).costs(cost::free),
    Operator::onnx("MemcpyToHost", &[Moved]).infer(pointwise::same).costs(cost::free),
    Operator::onnx("ParametricSoftplus", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
    Operator::onnx("Scale", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
    Operator::onnx("ScaledTanh", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
    Operator::microsoft("Attention", &[Data, Weight, Weight, Data, Data, Weight, Setting]).infer(attention::attention).costs(cost::projected::with_projection),
    Operator::microsoft("AttnLSTM", &[Data, Weight, Weight, Weight, Setting, Data, Data, Weight, Weight, Weight, Weight, Data, Setting, Weight]).infer(crate::quantized::attention_lstm).costs(cost::recurrent::attention_lstm),
    Operator::microsoft("BeamSearch", &[Data]).infer(generate::beam).costs(cost::pointwise::search),
    Operator::microsoft("BiasAdd", &[Data, Weight, Data]).infer(pointwise::same).costs(cost::pointwise::with_added::<0>),
    Operator::microsoft("BiasDropout", &[Data, Weight, Data, Setting, Setting]).infer(pointwise::dropout).costs(cost::pointwise::bias_dropout),
    Operator::microsoft("BiasGelu", &[Data, Weight]).infer(pointwise::same).costs(cost::per_output::<2>),
    Operator::microsoft("BiasSoftmax", &[Data, Data]).infer(pointwise::same).costs(cost::per_output::<6>),
    Operator::microsoft("BiasSplitGelu", &[Data, Weight]).infer(pointwise::bias_split_gelu).costs(cost::per_output::<4>),
    Operator::microsoft("BifurcationDetector", &[Data, Data, Setting, Data]).infer(misc::bifurcation).costs(cost::per_input::<1>),
    Operator::microsoft("BitmaskBiasDropout", &[Data, Weight, Data, Setting, Setting]).infer(pointwise::bitmask_dropout).costs(cost::pointwise::bias_dropout),
    Operator::microsoft("BitmaskDropout", &[Data, Setting, Setting]).infer(pointwise::bitmask_dropout).costs(cost::pointwise::bitmask_dropout),
    Operator::microsoft("BranchwiseRMSNorm", &[Data, Weight]).infer(pointwise::same).costs(cost::per_output::<4>),
    Operator::microsoft("CDist", &[Data, Data]).infer(matmul::cdist).costs(cost::contraction::cdist),
    Operator::microsoft("CausalConvWithState", &[Data, Weight, Weight, Data]).infer(attention::causal_conv).costs(cost::contraction::causal_conv),
    Operator::microsoft("ComplexMul", &[Data, Data]).infer(pointwise::complex_mul).costs(cost::per_output::<3>),
    Operator::microsoft("ComplexMulConj", &[Data, Data]).infer(pointwise::complex_mul).costs(cost::per_output::<3>),
    Operator::microsoft("ConvTransposeWithDynamicPads", &[Data, Weight, Setting, Weight]).infer(layout::conv_transpose_dynamic).costs(cost::contraction::conv_transpose_dynamic),
    Operator::microsoft("CropAndResize", &[Data, Setting, Setting, Setting]).infer(misc::crop_and_resize).costs(cost::window::crop_and_resize),
    Operator::microsoft("DecoderAttention", &[Data, Data, Weight, Weight, Weight, Data, Data, Data]).infer(attention::decoder).costs(cost::projected::decoder),
    Operator::microsoft("DecoderMaskedMultiHeadAttention", &[Data, Data, Data, Data, Weight, Data, Data, Setting, Setting, Setting, Weight]).infer(attention::decoder_masked).costs(cost::attention::decoder_masked),
    Operator::microsoft("DecoderMaskedSelfAttention", &[Data, Weight, Weight, Data, Data, Weight, Setting, Setting, Setting]).infer(attention::attention).costs(cost::projected::with_projection),
    Operator::microsoft("DequantizeBFP", &[Dequantized, Setting, Setting]).infer(crate::quantized::dequantize_bfp).costs(cost::per_output::<2>),
    Operator::microsoft("DequantizeLinear", &[Dequantized, Scale, Scale]).infer(crate::quantized::dequantize_linear).costs(cost::per_output::<2>),
    Operator::microsoft("DynamicTimeWarping", &[Data]).infer(misc::dynamic_time_warping).costs(cost::per_input::<3>),
    Operator::microsoft("EmbedLayerNormalization", &[Data, Data, Table, Table, Table, Weight, Weight, Data, Data]).infer(pointwise::embed_layer_norm).costs(cost::pointwise::embed_layer_norm).moves(Traffic::Rows(&[2, 3, 4])),
    Operator::microsoft("ExpandDims", &[Moved, Setting]).infer(misc::expand_dims).costs(cost::free).moves(Traffic::Nothing),
    Operator::microsoft("FastGelu", &[Data, Weight]).infer(pointwise::same).costs(cost::pointwise::with_added::<1>),
    Operator::microsoft("FusedConv", &[Data, Weight, Weight, Data]).infer(layout::conv_first).costs(cost::contraction::conv),
    Operator::microsoft("FusedGemm", &[Weight, Weight, Weight]).infer(matmul::fused_gemm).costs(cost::contraction::gemm),
    Operator::microsoft("FusedMatMul", &[Weight, Weight]).infer(matmul::fused_matmul).costs(cost::contraction::fused_matmul),
    Operator::microsoft("FusedMatMulActivation", &[Weight, Weight]).infer(matmul::fused_matmul).costs(cost::contraction::fused_matmul),
    Operator::microsoft("GatedAdd", &[Data, Data, Data]).infer(pointwise::same).costs(cost::per_output::<2>),
    Operator::microsoft("GatedRMSNorm", &[Data, Weight, Data]).infer(pointwise::same).costs(cost::per_output::<6>),
    Operator::microsoft("GatedRelativePositionBias", &[Data, Weight, Data, Weight, Weight, Weight, Setting]).infer(attention::gated_relative_position_bias).costs(cost::experts::gated_position),
    Operator::microsoft("GatherND", &[Table, Setting]).infer(misc::gather_nd).costs(cost::free).moves(Traffic::Gathered),
    Operator::microsoft("Gelu", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
    Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight]).infer(matmul::matmul).costs(cost::contraction::matmul_gelu),
    Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight, Scale, Scale, Scale]).infer(matmul::gemm_float8).costs(cost::contraction::gemm),
    Operator::microsoft("GemmaRotaryEmbedding", &[Data, Data, Data, Data, Data]).infer(attention::gemma_rotary).costs(cost::pointwise::rotated_pair),
    Operator::microsoft("GreedySearch", &[Data]).infer(generate::greedy).costs(cost::pointwise::search),
    Operator::microsoft("GridSample", &[Data, Data]).infer(layout::grid_sample).costs(cost::window::grid_sample),
    Operator::microsoft("GroupNorm", &[Data, Weight, Weight]).infer(pointwise::same).costs(cost::pointwise::group_norm),
    Operator::microsoft("GroupQueryAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Data, Data, Setting, Data, Weight, Scale, Scale, Weight, Weight]).infer(attention::group_query).costs(cost::attention::group_query),
    Operator::microsoft("Inverse", &[Data]).infer(pointwise::same).costs(cost::pointwise::inverse),
    Operator::microsoft("Irfft", &[Data]).infer(misc::irfft).costs(cost::signal::irfft),
    Operator::microsoft("IsAllFinite", &[Data]).variadic().infer(misc::is_all_finite).costs(cost::pointwise::every_input),
    Operator::microsoft("LinearAttention", &[Data, Data, Data, Data, Data, Data]).infer(attention::linear_attention).costs(cost::attention::linear),
    Operator::microsoft("LinearAttentionGate", &[Data, Weight, Weight, Data]).infer(attention::linear_attention_gate).costs(cost::pointwise::linear_attention_gate),
    Operator::microsoft("LongformerAttention", &[Data, Weight, Weight, Data, Weight, Weight, Data]).infer(pointwise::same).costs(cost::projected::longformer),
    Operator::microsoft("MRotaryEmbedding", &[Data, Setting, Data, Data]).infer(pointwise::same).costs(cost::per_output::<3>),
    Operator::microsoft("MaxpoolWithMask", &[Data, Data]).infer(layout::pool_first).costs(cost::window::pool::<1>),
    Operator::microsoft("MoE", &[Data, Data, Weight, Weight, Weight, Weight, Weight, Weight]).infer(pointwise::same).costs(cost::experts::experts),
    Operator::microsoft("MultiHeadAttention", &[Data, Data, Data, Weight, Data, Weight, Data, Data, Setting, Setting]).infer(attention::multi_head).costs(cost::attention::multi_head),
    Operator::microsoft("MurmurHash3", &[Data]).infer(misc::murmur_hash).costs(cost::per_output::<1>),
    Operator::microsoft("NGramRepeatBlock", &[Data, Data]).infer(misc::ngram_repeat).costs(cost::free),
    Operator::microsoft("NhwcConv", &[Data, Weight, Weight]).infer(layout::conv_last).costs(cost::contraction::conv),
    Operator::microsoft("NhwcFusedConv", &[Data, Weight, Weight, Data]).infer(layout::conv_last).costs(cost::contraction::conv),
    Operator::microsoft("NhwcMaxPool", &[Data]).infer(layout::pool_last).costs(cost::window::pool::<1>),
    Operator::microsoft("PackedAttention", &[Data, Weight, Weight, Data, Data, Weight]).infer(attention::packed_attention).costs(cost::projected::packed_attention),
    Operator::microsoft("PackedMultiHeadAttention", &[Data, Data, Data, Weight, Data, Data, Weight]).infer(attention::packed_multi_head).costs(cost::attention::packed_multi_head),
    Operator::microsoft("Pad", &[Moved, Setting, Setting]).infer(misc::pad).costs(cost::free),
    Operator::microsoft("PagedAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Data, Data, Setting, Weight, Weight, Weight, Scale, Scale, Setting]).infer(attention::paged).costs(cost::attention::by_data),
    Operator::microsoft("QuickGelu", &[Data]).infer(pointwise::same).costs(cost::per_output::<1>),
    Operator::microsoft("Range", &[Setting, Setting, Setting]).infer(misc::range).costs(cost::per_output::<1>),
    Operator::microsoft("RelativePositionBias", &[Table, Setting, Setting]).infer(attention::relative_position_bias).costs(cost::free).moves(Traffic::Gathered),
    Operator::microsoft("RemovePadding", &[Data, Setting]).infer(attention::remove_padding).costs(cost::free),
    Operator::microsoft("RestorePadding", &[Data, Setting]).infer(attention::restore_padding).costs(cost::free),
    Operator::microsoft("Rfft", &[Data]).infer(misc::rfft).costs(cost::signal::rfft),
    Operator::microsoft("RotaryEmbedding", &[Data, Setting, Data, Data]).infer(pointwise::same).costs(cost::per_output::<3>),
    Operator::microsoft("SampleOp", &[Data]).infer(pointwise::same).costs(cost::free),
    Operator::microsoft("Sampling", &[Data]).infer(generate::greedy).costs(cost::pointwise::search),
    Operator::microsoft("ScaledSiLU", &[Data, Weight]).infer(pointwise::same).costs(cost::per_output::<2>),
    Operator::microsoft("SimplifiedLayerNormalization", &[Data, Weight]).infer(pointwise::simplified_layer_norm).costs(cost::per_output::<4>),
    Operator::microsoft("SkipGroupNorm", &[Data, Weight, Weight, Data, Weight]).infer(pointwise::same_twice).costs(cost::pointwise::skip_group_norm),
    Operator::microsoft("SkipLayerNormalization", &[Data, Data, Weight, Weight, Weight]).infer(pointwise::skip_layer_norm).costs(cost::pointwise::skip_layer_norm),
    Operator::microsoft("SkipSimplifiedLayerNormalization", &[Data, Data, Weight, Weight]).infer(pointwise::skip_layer_norm).costs(cost::pointwise::skip_rms_norm),
    Operator::microsoft("SparseAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Data, Data]).infer(attention::sparse).costs(cost::attention::by_data),
    Operator::microsoft("SparsePagedAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Setting, Setting, Data, Data, Setting, Data, Data, Weight, Weight, Weight, Scale, Scale, Setting]).infer(attention::paged).costs(cost::attention::by_data),
    Operator::microsoft("SparseToDenseMatMul", &[Weight, Weight]).infer(matmul::fused_matmul).costs(cost::contraction::fused_matmul),
    Operator::microsoft("Tokenizer", &[Data]).infer(misc::tokenizer).costs(cost::free),
    Operator::microsoft("TorchEmbedding", &[Table, Setting, Setting, Setting]).infer(misc::torch_embedding).costs(cost::free).moves(Traffic::Gathered),
    Operator::microsoft("TransposeMatMul", &[Weight, Weight]).infer(matmul::fused_matmul).costs(cost::contraction::fused_matmul),
    Operator::microsoft("Trilu", &[Moved, Setting]).infer(pointwise::same).costs(cost::free),
    Operator::microsoft("UnfoldTensor", &[Moved]).infer(misc::unfold).costs(cost::free),
    Operator::microsoft("Unique", &[Data]).infer(misc::unique).costs(cost::per_input::<1>),
    Operator::microsoft("VarlenCausalConvWithState", &[Data, Weight, Setting, Weight, Data, Setting]).infer(attention::varlen_causal_conv).costs(cost::contraction::varlen_causal_conv),
    Operator::microsoft("WhisperBeamSearch", &[Data]).infer(generate::beam).costs(cost::pointwise::search),
    Operator::microsoft("WordConvEmbedding", &[Data, Weight, Weight, Table]).infer(misc::word_conv_embedding).costs(cost::contraction::word_conv),
    Operator::new(NCHWC, "AveragePool", &[Data]).infer(layout::pool_first).costs(cost::window::pool::<1>),
    Operator::new(NCHWC, "Conv", &[Data, Weight, Weight, Data]).infer(layout::conv_first).costs(cost::contraction::conv),
    Operator::new(NCHWC, "GlobalAveragePool", &[Data]).infer(layout::global_pool_first).costs(cost::per_input::<1>),
    Operator::new(NCHWC, "GlobalMaxPool", &[Data]).infer(layout::global_pool_first).costs(cost::per_input::<1>),
    Operator::new(NCHWC, "MaxPool", &[Data]).infer(layout::pool_first).costs(cost::window::pool::<1>),
    Operator::new(NCHWC, "ReorderInput", &[Moved]).infer(layout::reorder_input).costs(cost::free),
    Operator::new(NCHWC, "ReorderOutput", &[Moved]).infer(layout::reorder_output).costs(cost::free),
    Operator::new(NCHWC, "Upsample", &[Data]).infer(layout::upsample).costs(cost::window::resize),
    Operator::new(NHWC, "AveragePool", &[Data]).infer(layout::pool_last).costs(cost::window::pool::<1>),
    Operator::new(NHWC, "BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic]).infer(layout::norm_last).costs(cost::pointwise::batch_norm),
    Operator::new(NHWC, "Conv", &[Data, Weight, Weight]).infer(layout::conv_last).costs(cost::contraction::conv),
    Operator::new(NHWC, "ConvTranspose", &[Data, Weight, Weight]).infer(layout::conv_transpose_last).costs(cost::contraction::conv_transpose),
    Operator::new(NHWC, "DepthToSpace", &[Moved]).infer(layout::depth_to_space_last).costs(cost::free),
    Operator::new(NHWC, "GlobalAveragePool", &[Data]).infer(layout::global_pool_last).costs(cost::per_input::<1>),
    Operator::new(NHWC, "GlobalLpPool", &[Data]).infer(layout::global_pool_last).costs(cost::per_input::<2>),
    Operator::new(NHWC, "GlobalMaxPool", &[Data]).infer(layout::global_pool_last).costs(cost::per_input::<1>),
    Operator::new(NHWC, "GridSample", &[Data, Data]).infer(layout::grid_sample_last).costs(cost::window::grid_sample),
    Operator::new(NHWC, "InstanceNormalization", &[Data, Weight, Weight]).infer(pointwise::same).costs(cost::per_output::<7>),
    Operator::new(NHWC, "LRN", &[Data]).infer(pointwise::same).costs(cost::pointwise::lrn),
    Operator::new(NHWC, "LpPool", &[Data]).infer(layout::pool_last).costs(cost::window::pool::<2>),
    Operator::new(NHWC, "MaxPool", &[Data]).infer(layout::pool_last).costs(cost::window::pool::<1>),
    Operator::new(NHWC, "MaxUnpool", &[Data, Data, Setting]).infer(layout::max_unpool_last).costs(cost::free),
    Operator::new(NHWC, "Resize", &[Data, Setting, Setting, Setting]).infer(layout::resize).costs(cost::window::resize),
    Operator::new(NHWC, "SpaceToDepth", &[Moved]).infer(layout::space_to_depth_last).costs(cost::free),
];
