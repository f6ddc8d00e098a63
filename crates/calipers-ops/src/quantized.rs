//! Quantised operators: weights beside their scales and zero points.

use crate::Slot::{Added, Dequantized, Moved, Multiplied, Scale, Setting, Table, Weight};
use crate::row::{Operator, Packing};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("ConvInteger", &[Setting, Weight, Scale, Scale]),
    Operator::onnx("DequantizeLinear", &[Dequantized, Scale, Scale]),
    Operator::onnx("DynamicQuantizeLinear", &[Moved]),
    Operator::onnx("MatMulInteger", &[Weight, Weight, Scale, Scale]),
    Operator::onnx(
        "QLinearConv",
        &[Setting, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
    Operator::onnx("QLinearMatMul", &[Weight, Scale, Scale, Weight, Scale, Scale, Scale, Scale]),
    Operator::onnx("QuantizeLinear", &[Moved, Scale, Scale]),
    Operator::microsoft("ConvInteger", &[Setting, Weight, Scale, Scale]),
    Operator::microsoft("DequantizeBFP", &[Dequantized]),
    Operator::microsoft("DequantizeLinear", &[Dequantized, Scale, Scale]),
    Operator::microsoft(
        "DynamicQuantizeLSTM",
        &[
            Setting, Weight, Weight, Weight, Setting, Setting, Setting, Weight, Scale, Scale,
            Scale, Scale,
        ],
    ),
    Operator::microsoft("DynamicQuantizeMatMul", &[Setting, Weight, Scale, Scale, Weight]),
    Operator::microsoft("GatherBlockQuantized", &[Table, Setting, Scale, Scale])
        .packed(Packing::Bits { bits: "bits" }),
    Operator::microsoft("MatMulBnb4", &[Setting, Weight, Scale]).packed(Packing::Product {
        rows: "N",
        columns: "K",
        bits: "bits",
    }),
    Operator::microsoft("MatMulFpQ4", &[Setting, Weight, Setting]),
    Operator::microsoft(
        "MatMulIntegerToFloat",
        &[Weight, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
    Operator::microsoft("MatMulNBits", &[Setting, Weight, Scale, Scale, Setting, Weight])
        .packed(Packing::Product { rows: "N", columns: "K", bits: "bits" }),
    Operator::microsoft(
        "QAttention",
        &[Setting, Weight, Weight, Scale, Scale, Setting, Scale, Scale, Setting],
    ),
    Operator::microsoft(
        "QEmbedLayerNormalization",
        &[
            Setting, Setting, Table, Table, Table, Weight, Weight, Setting, Scale, Scale, Scale,
            Scale, Scale, Scale, Scale, Scale, Scale, Scale,
        ],
    ),
    Operator::microsoft(
        "QGemm",
        &[Weight, Scale, Scale, Weight, Scale, Scale, Weight, Scale, Scale],
    ),
    Operator::microsoft("QLinearAdd", &[Added, Scale, Scale, Added, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearAveragePool", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearConcat", &[Scale]).variadic(),
    Operator::microsoft(
        "QLinearConv",
        &[Setting, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
    Operator::microsoft("QLinearGlobalAveragePool", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearLeakyRelu", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft(
        "QLinearMul",
        &[Multiplied, Scale, Scale, Multiplied, Scale, Scale, Scale, Scale],
    ),
    Operator::microsoft("QLinearReduceMean", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearSigmoid", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearSoftmax", &[Setting, Scale, Scale, Scale, Scale]),
    Operator::microsoft(
        "QLinearWhere",
        &[Setting, Setting, Scale, Scale, Setting, Scale, Scale, Scale, Scale],
    ),
    Operator::microsoft(
        "QMoE",
        &[
            Setting, Setting, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale, Weight,
            Scale, Scale, Scale,
        ],
    )
    .packed(Packing::Bits { bits: "expert_weight_bits" }),
    Operator::microsoft("QuantizeLinear", &[Moved, Scale, Scale]),
    Operator::new(
        "com.ms.internal.nhwc",
        "QLinearConv",
        &[Setting, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
];
