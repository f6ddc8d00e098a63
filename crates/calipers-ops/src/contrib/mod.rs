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
use crate::row::Operator;

const NHWC: &str = "com.ms.internal.nhwc";

/// Rows of the family.
#[rustfmt::skip]
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("Affine", &[Data]).infer(pointwise::same),
    Operator::onnx("Crop", &[Data]).infer(legacy::crop),
    Operator::onnx("ImageScaler", &[Data]).infer(pointwise::same),
    Operator::onnx("MemcpyFromHost", &[Moved]).infer(pointwise::same),
    Operator::onnx("MemcpyToHost", &[Moved]).infer(pointwise::same),
    Operator::onnx("ParametricSoftplus", &[Data]).infer(pointwise::same),
    Operator::onnx("Scale", &[Data]).infer(pointwise::same),
    Operator::onnx("ScaledTanh", &[Data]).infer(pointwise::same),
    Operator::microsoft("Attention", &[Data, Weight, Weight, Data, Data, Weight, Setting]).infer(attention::attention),
    Operator::microsoft("AttnLSTM", &[Data, Weight, Weight, Weight, Setting, Data, Data, Weight, Weight, Weight, Weight, Data, Setting, Weight]).infer(crate::quantized::attention_lstm),
    Operator::microsoft("BeamSearch", &[Data]).infer(generate::beam),
    Operator::microsoft("BiasAdd", &[Data, Weight, Data]).infer(pointwise::same),
    Operator::microsoft("BiasDropout", &[Data, Weight, Data, Setting, Setting]).infer(pointwise::dropout),
    Operator::microsoft("BiasGelu", &[Data, Weight]).infer(pointwise::same),
    Operator::microsoft("BiasSoftmax", &[Data, Data]).infer(pointwise::same),
    Operator::microsoft("BiasSplitGelu", &[Data, Weight]).infer(pointwise::bias_split_gelu),
    Operator::microsoft("BifurcationDetector", &[Data, Data, Setting, Data]).infer(misc::bifurcation),
    Operator::microsoft("BitmaskBiasDropout", &[Data, Weight, Data, Setting, Setting]).infer(pointwise::bitmask_dropout),
    Operator::microsoft("BitmaskDropout", &[Data, Setting, Setting]).infer(pointwise::bitmask_dropout),
    Operator::microsoft("BranchwiseRMSNorm", &[Data, Weight]).infer(pointwise::same),
    Operator::microsoft("CDist", &[Data, Data]).infer(matmul::cdist),
    Operator::microsoft("CausalConvWithState", &[Data, Weight, Weight, Data]).infer(attention::causal_conv),
    Operator::microsoft("ComplexMul", &[Data, Data]).infer(pointwise::complex_mul),
    Operator::microsoft("ComplexMulConj", &[Data, Data]).infer(pointwise::complex_mul),
    Operator::microsoft("ConvTransposeWithDynamicPads", &[Data, Weight, Setting, Weight]).infer(layout::conv_transpose_dynamic),
    Operator::microsoft("CropAndResize", &[Data, Setting, Setting, Setting]).infer(misc::crop_and_resize),
    Operator::microsoft("DecoderAttention", &[Data, Data, Weight, Weight, Weight, Data, Data, Data]).infer(attention::decoder),
    Operator::microsoft("DecoderMaskedMultiHeadAttention", &[Data, Data, Data, Data, Weight, Data, Data, Setting, Setting, Setting, Weight]).infer(attention::decoder_masked),
    Operator::microsoft("DecoderMaskedSelfAttention", &[Data, Weight, Weight, Data, Data, Weight, Setting, Setting, Setting]).infer(attention::attention),
    Operator::microsoft("DequantizeBFP", &[Dequantized, Setting, Setting]).infer(crate::quantized::dequantize_bfp),
    Operator::microsoft("DequantizeLinear", &[Dequantized, Scale, Scale]).infer(crate::quantized::dequantize_linear),
    Operator::microsoft("DynamicTimeWarping", &[Data]).infer(misc::dynamic_time_warping),
    Operator::microsoft("EmbedLayerNormalization", &[Data, Data, Table, Table, Table, Weight, Weight, Data, Data]).infer(pointwise::embed_layer_norm),
    Operator::microsoft("ExpandDims", &[Moved, Setting]).infer(misc::expand_dims),
    Operator::microsoft("FastGelu", &[Data, Weight]).infer(pointwise::same),
    Operator::microsoft("FusedConv", &[Data, Weight, Weight, Data]).infer(layout::conv_first),
    Operator::microsoft("FusedGemm", &[Weight, Weight, Weight]).infer(matmul::fused_gemm),
    Operator::microsoft("FusedMatMul", &[Weight, Weight]).infer(matmul::fused_matmul),
    Operator::microsoft("FusedMatMulActivation", &[Weight, Weight]).infer(matmul::fused_matmul),
    Operator::microsoft("GatedAdd", &[Data, Data, Data]).infer(pointwise::same),
    Operator::microsoft("GatedRMSNorm", &[Data, Weight, Data]).infer(pointwise::same),
    Operator::microsoft("GatedRelativePositionBias", &[Data, Weight, Data, Weight, Weight, Weight, Setting]).infer(attention::gated_relative_position_bias),
    Operator::microsoft("GatherND", &[Table, Setting]).infer(misc::gather_nd),
    Operator::microsoft("Gelu", &[Data]).infer(pointwise::same),
    Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight]).infer(matmul::matmul),
    Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight, Scale, Scale, Scale]).infer(matmul::gemm_float8),
    Operator::microsoft("GemmaRotaryEmbedding", &[Data, Data, Data, Data, Data]).infer(attention::gemma_rotary),
    Operator::microsoft("GreedySearch", &[Data]).infer(generate::greedy),
    Operator::microsoft("GridSample", &[Data, Data]).infer(layout::grid_sample),
    Operator::microsoft("GroupNorm", &[Data, Weight, Weight]).infer(pointwise::same),
    Operator::microsoft("GroupQueryAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Data, Data, Setting, Data, Weight, Scale, Scale, Weight, Weight]).infer(attention::group_query),
    Operator::microsoft("Inverse", &[Data]).infer(pointwise::same),
    Operator::microsoft("Irfft", &[Data]).infer(misc::irfft),
    Operator::microsoft("IsAllFinite", &[Data]).variadic().infer(misc::is_all_finite),
    Operator::microsoft("LinearAttention", &[Data, Data, Data, Data, Data, Data]).infer(attention::linear_attention),
    Operator::microsoft("LinearAttentionGate", &[Data, Weight, Weight, Data]).infer(attention::linear_attention_gate),
    Operator::microsoft("LongformerAttention", &[Data, Weight, Weight, Data, Weight, Weight, Data]).infer(pointwise::same),
    Operator::microsoft("MRotaryEmbedding", &[Data, Setting, Data, Data]).infer(pointwise::same),
    Operator::microsoft("MaxpoolWithMask", &[Data, Data]).infer(layout::pool_first),
    Operator::microsoft("MoE", &[Data, Data, Weight, Weight, Weight, Weight, Weight, Weight]).infer(pointwise::same),
    Operator::microsoft("MultiHeadAttention", &[Data, Data, Data, Weight, Data, Weight, Data, Data, Setting, Setting]).infer(attention::multi_head),
    Operator::microsoft("MurmurHash3", &[Data]).infer(misc::murmur_hash),
    Operator::microsoft("NGramRepeatBlock", &[Data, Data]).infer(misc::ngram_repeat),
    Operator::microsoft("NhwcConv", &[Data, Weight, Weight]).infer(layout::conv_last),
    Operator::microsoft("NhwcFusedConv", &[Data, Weight, Weight, Data]).infer(layout::conv_last),
    Operator::microsoft("NhwcMaxPool", &[Data]).infer(layout::pool_last),
    Operator::microsoft("PackedAttention", &[Data, Weight, Weight, Data, Data, Weight]).infer(attention::packed_attention),
    Operator::microsoft("PackedMultiHeadAttention", &[Data, Data, Data, Weight, Data, Data, Weight]).infer(attention::packed_multi_head),
    Operator::microsoft("Pad", &[Moved, Setting, Setting]).infer(misc::pad),
    Operator::microsoft("PagedAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Data, Data, Setting, Weight, Weight, Weight, Scale, Scale, Setting]).infer(attention::paged),
    Operator::microsoft("QuickGelu", &[Data]).infer(pointwise::same),
    Operator::microsoft("Range", &[Setting, Setting, Setting]).infer(misc::range),
    Operator::microsoft("RelativePositionBias", &[Table, Setting, Setting]).infer(attention::relative_position_bias),
    Operator::microsoft("RemovePadding", &[Data, Setting]).infer(attention::remove_padding),
    Operator::microsoft("RestorePadding", &[Data, Setting]).infer(attention::restore_padding),
    Operator::microsoft("Rfft", &[Data]).infer(misc::rfft),
    Operator::microsoft("RotaryEmbedding", &[Data, Setting, Data, Data]).infer(pointwise::same),
    Operator::microsoft("SampleOp", &[Data]).infer(pointwise::same),
    Operator::microsoft("Sampling", &[Data]).infer(generate::greedy),
    Operator::microsoft("ScaledSiLU", &[Data, Weight]).infer(pointwise::same),
    Operator::microsoft("SimplifiedLayerNormalization", &[Data, Weight]).infer(pointwise::simplified_layer_norm),
    Operator::microsoft("SkipGroupNorm", &[Data, Weight, Weight, Data, Weight]).infer(pointwise::same_twice),
    Operator::microsoft("SkipLayerNormalization", &[Data, Data, Weight, Weight, Weight]).infer(pointwise::skip_layer_norm),
    Operator::microsoft("SkipSimplifiedLayerNormalization", &[Data, Data, Weight, Weight]).infer(pointwise::skip_layer_norm),
    Operator::microsoft("SparseAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Data, Data]).infer(attention::sparse),
    Operator::microsoft("SparsePagedAttention", &[Data, Data, Data, Data, Data, Setting, Setting, Setting, Setting, Setting, Setting, Data, Data, Setting, Data, Data, Weight, Weight, Weight, Scale, Scale, Setting]).infer(attention::paged),
    Operator::microsoft("SparseToDenseMatMul", &[Weight, Weight]).infer(matmul::fused_matmul),
    Operator::microsoft("Tokenizer", &[Data]).infer(misc::tokenizer),
    Operator::microsoft("TorchEmbedding", &[Table, Setting, Setting, Setting]).infer(misc::torch_embedding),
    Operator::microsoft("TransposeMatMul", &[Weight, Weight]).infer(matmul::fused_matmul),
    Operator::microsoft("Trilu", &[Moved, Setting]).infer(pointwise::same),
    Operator::microsoft("UnfoldTensor", &[Moved]).infer(misc::unfold),
    Operator::microsoft("Unique", &[Data]).infer(misc::unique),
    Operator::microsoft("VarlenCausalConvWithState", &[Data, Weight, Setting, Weight, Data, Setting]).infer(attention::varlen_causal_conv),
    Operator::microsoft("WhisperBeamSearch", &[Data]).infer(generate::beam),
    Operator::microsoft("WordConvEmbedding", &[Data, Weight, Weight, Table]).infer(misc::word_conv_embedding),
    Operator::new(NCHWC, "AveragePool", &[Data]).infer(layout::pool_first),
    Operator::new(NCHWC, "Conv", &[Data, Weight, Weight, Data]).infer(layout::conv_first),
    Operator::new(NCHWC, "GlobalAveragePool", &[Data]).infer(layout::global_pool_first),
    Operator::new(NCHWC, "GlobalMaxPool", &[Data]).infer(layout::global_pool_first),
    Operator::new(NCHWC, "MaxPool", &[Data]).infer(layout::pool_first),
    Operator::new(NCHWC, "ReorderInput", &[Moved]).infer(layout::reorder_input),
    Operator::new(NCHWC, "ReorderOutput", &[Moved]).infer(layout::reorder_output),
    Operator::new(NCHWC, "Upsample", &[Data]).infer(layout::upsample),
    Operator::new(NHWC, "AveragePool", &[Data]).infer(layout::pool_last),
    Operator::new(NHWC, "BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic]).infer(layout::norm_last),
    Operator::new(NHWC, "Conv", &[Data, Weight, Weight]).infer(layout::conv_last),
    Operator::new(NHWC, "ConvTranspose", &[Data, Weight, Weight]).infer(layout::conv_transpose_last),
    Operator::new(NHWC, "DepthToSpace", &[Moved]).infer(layout::depth_to_space_last),
    Operator::new(NHWC, "GlobalAveragePool", &[Data]).infer(layout::global_pool_last),
    Operator::new(NHWC, "GlobalLpPool", &[Data]).infer(layout::global_pool_last),
    Operator::new(NHWC, "GlobalMaxPool", &[Data]).infer(layout::global_pool_last),
    Operator::new(NHWC, "GridSample", &[Data, Data]).infer(layout::grid_sample_last),
    Operator::new(NHWC, "InstanceNormalization", &[Data, Weight, Weight]).infer(pointwise::same),
    Operator::new(NHWC, "LRN", &[Data]).infer(pointwise::same),
    Operator::new(NHWC, "LpPool", &[Data]).infer(layout::pool_last),
    Operator::new(NHWC, "MaxPool", &[Data]).infer(layout::pool_last),
    Operator::new(NHWC, "MaxUnpool", &[Data, Data, Setting]).infer(layout::max_unpool_last),
    Operator::new(NHWC, "Resize", &[Data, Setting, Setting, Setting]).infer(layout::resize),
    Operator::new(NHWC, "SpaceToDepth", &[Moved]).infer(layout::space_to_depth_last),
];
