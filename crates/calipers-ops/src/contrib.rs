//! ONNX Runtime's own operators: fused layers, attention, blocked layouts.

use crate::NCHWC;
use crate::Slot::{Data, Dequantized, Moved, Scale, Setting, Table, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::microsoft("Attention", &[Data, Weight, Weight, Data, Data, Weight, Data]),
    Operator::microsoft("BiasAdd", &[Data, Weight, Data]),
    Operator::microsoft("BiasGelu", &[Data, Weight]),
    Operator::microsoft("BiasSoftmax", &[Data, Data]),
    Operator::microsoft("BiasSplitGelu", &[Data, Weight]),
    Operator::microsoft("DecoderAttention", &[Data, Data, Weight, Weight, Weight]),
    Operator::microsoft("DequantizeBFP", &[Dequantized]),
    Operator::microsoft("DequantizeLinear", &[Dequantized, Scale, Scale]),
    Operator::microsoft(
        "EmbedLayerNormalization",
        &[Data, Data, Table, Table, Table, Weight, Weight],
    ),
    Operator::microsoft("ExpandDims", &[Moved, Setting]),
    Operator::microsoft("FastGelu", &[Data, Weight]),
    Operator::microsoft("FusedConv", &[Data, Weight, Weight]),
    Operator::microsoft("FusedGemm", &[Weight, Weight, Weight]),
    Operator::microsoft("FusedMatMul", &[Weight, Weight]),
    Operator::microsoft("GatedRelativePositionBias", &[Data, Weight, Data, Weight, Weight]),
    Operator::microsoft("GemmFastGelu", &[Weight, Weight, Weight]),
    Operator::microsoft("GemmFloat8", &[Weight, Weight, Weight]),
    Operator::microsoft("GroupNorm", &[Data, Weight, Weight]),
    Operator::microsoft("LongformerAttention", &[Data, Weight, Weight, Data, Weight, Weight]),
    Operator::microsoft("MoE", &[Data, Data, Weight, Weight, Weight, Weight, Weight, Weight]),
    Operator::microsoft("MultiHeadAttention", &[Data, Data, Data, Weight, Data, Weight]),
    Operator::microsoft("NhwcConv", &[Data, Weight, Weight]),
    Operator::microsoft("PackedAttention", &[Data, Weight, Weight, Data, Data, Weight]),
    Operator::microsoft(
        "PackedMultiHeadAttention",
        &[Data, Data, Data, Weight, Data, Data, Weight],
    ),
    Operator::microsoft("RelativePositionBias", &[Table]),
    Operator::microsoft("SimplifiedLayerNormalization", &[Data, Weight]),
    Operator::microsoft("SkipGroupNorm", &[Data, Weight, Weight, Data, Weight]),
    Operator::microsoft("SkipLayerNormalization", &[Data, Data, Weight, Weight, Weight]),
    Operator::microsoft("SkipSimplifiedLayerNormalization", &[Data, Data, Weight, Weight]),
    Operator::microsoft("TransposeMatMul", &[Weight, Weight]),
    Operator::new(NCHWC, "Conv", &[Data, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "Conv", &[Data, Weight, Weight]),
    Operator::new("com.ms.internal.nhwc", "ConvTranspose", &[Data, Weight, Weight]),
];
