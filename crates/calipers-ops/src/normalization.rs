//! Normalisation, and the activations that have parameters.

use crate::Slot::{Data, Statistic, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic]),
    Operator::onnx("GroupNormalization", &[Data, Weight, Weight]),
    Operator::onnx("InstanceNormalization", &[Data, Weight, Weight]),
    Operator::onnx("LayerNormalization", &[Data, Weight, Weight]),
    Operator::onnx("PRelu", &[Data, Weight]),
    Operator::onnx("RMSNormalization", &[Data, Weight]),
    Operator::onnx("SimplifiedLayerNormalization", &[Data, Weight]),
    Operator::microsoft("BiasAdd", &[Data, Weight, Data]),
    Operator::microsoft("BiasGelu", &[Data, Weight]),
    Operator::microsoft("BiasSoftmax", &[Data, Data]),
    Operator::microsoft("BiasSplitGelu", &[Data, Weight]),
    Operator::microsoft("FastGelu", &[Data, Weight]),
    Operator::microsoft("GroupNorm", &[Data, Weight, Weight]),
    Operator::microsoft("SimplifiedLayerNormalization", &[Data, Weight]),
    Operator::microsoft("SkipGroupNorm", &[Data, Weight, Weight, Data, Weight]),
    Operator::microsoft("SkipLayerNormalization", &[Data, Data, Weight, Weight, Weight]),
    Operator::microsoft("SkipSimplifiedLayerNormalization", &[Data, Data, Weight, Weight]),
];
