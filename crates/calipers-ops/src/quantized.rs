//! Quantised operators: weights beside their scales and zero points.

use crate::Slot::{Added, Data, Dequantized, Moved, Multiplied, Scale, Table, Weight};
use crate::row::{Operator, Packing};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("ConvInteger", &[Data, Weight, Scale, Scale]).since(&[10]),
    Operator::onnx("DequantizeLinear", &[Dequantized, Scale, Scale])
        .since(&[10, 13, 19, 21, 23, 24, 25, 28]),
    Operator::onnx("DynamicQuantizeLinear", &[Moved]).since(&[11]),
    Operator::onnx("MatMulInteger", &[Weight, Weight, Scale, Scale]).since(&[10]),
    Operator::onnx(
        "QLinearConv",
        &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    )
    .since(&[10]),
    Operator::onnx("QLinearMatMul", &[Weight, Scale, Scale, Weight, Scale, Scale, Scale, Scale])
        .since(&[10, 21]),
    Operator::onnx("QuantizeLinear", &[Moved, Scale, Scale])
        .since(&[10, 13, 19, 21, 23, 24, 25, 28]),
    Operator::microsoft("ConvInteger", &[Data, Weight, Scale, Scale]),
    Operator::microsoft(
        "DynamicQuantizeLSTM",
        &[Data, Weight, Weight, Weight, Data, Data, Data, Weight, Scale, Scale, Scale, Scale],
    ),
    Operator::microsoft("DynamicQuantizeMatMul", &[Data, Weight, Scale, Scale, Weight]),
    Operator::microsoft("GatherBlockQuantized", &[Table, Data, Scale, Scale])
        .packed(Packing::Bits { bits: "bits" }),
    Operator::microsoft("MatMulBnb4", &[Data, Weight, Scale]).packed(Packing::Product {
        rows: "N",
        columns: "K",
        bits: "bits",
    }),
    Operator::microsoft("MatMulFpQ4", &[Data, Weight, Data]),
    Operator::microsoft(
        "MatMulIntegerToFloat",
        &[Weight, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
    Operator::microsoft("MatMulNBits", &[Data, Weight, Scale, Scale, Data, Weight])
        .packed(Packing::Product { rows: "N", columns: "K", bits: "bits" }),
    Operator::microsoft(
        "QAttention",
        &[Data, Weight, Weight, Scale, Scale, Data, Scale, Scale, Data],
    ),
    Operator::microsoft(
        "QEmbedLayerNormalization",
        &[
            Data, Data, Table, Table, Table, Weight, Weight, Data, Scale, Scale, Scale, Scale,
            Scale, Scale, Scale, Scale, Scale, Scale,
        ],
    ),
    Operator::microsoft(
        "QGemm",
        &[Weight, Scale, Scale, Weight, Scale, Scale, Weight, Scale, Scale],
    ),
    Operator::microsoft("QLinearAdd", &[Added, Scale, Scale, Added, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearAveragePool", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearConcat", &[Scale]).variadic(),
    Operator::microsoft(
        "QLinearConv",
        &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
    Operator::microsoft("QLinearGlobalAveragePool", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearLeakyRelu", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft(
        "QLinearMul",
        &[Multiplied, Scale, Scale, Multiplied, Scale, Scale, Scale, Scale],
    ),
    Operator::microsoft("QLinearReduceMean", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearSigmoid", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft("QLinearSoftmax", &[Data, Scale, Scale, Scale, Scale]),
    Operator::microsoft(
        "QLinearWhere",
        &[Data, Data, Scale, Scale, Data, Scale, Scale, Scale, Scale],
    ),
    Operator::microsoft(
        "QMoE",
        &[
            Data, Data, Weight, Scale, Weight, Weight, Scale, Weight, Weight, Scale, Weight, Scale,
            Scale, Scale,
        ],
    )
    .packed(Packing::Bits { bits: "expert_weight_bits" }),
    Operator::microsoft("QuantizeLinear", &[Moved, Scale, Scale]),
    Operator::new(
        "com.ms.internal.nhwc",
        "QLinearConv",
        &[Data, Scale, Scale, Weight, Scale, Scale, Scale, Scale, Weight],
    ),
];
