//! Normalisation, and the activations that have parameters.

use crate::Slot::{Setting, Statistic, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("BatchNormalization", &[Setting, Weight, Weight, Statistic, Statistic]),
    Operator::onnx("GroupNormalization", &[Setting, Weight, Weight]),
    Operator::onnx("InstanceNormalization", &[Setting, Weight, Weight]),
    Operator::onnx("LayerNormalization", &[Setting, Weight, Weight]),
    Operator::onnx("PRelu", &[Setting, Weight]),
    Operator::onnx("RMSNormalization", &[Setting, Weight]),
    Operator::onnx("SimplifiedLayerNormalization", &[Setting, Weight]),
    Operator::microsoft("BiasAdd", &[Setting, Weight, Setting]),
    Operator::microsoft("BiasGelu", &[Setting, Weight]),
    Operator::microsoft("BiasSoftmax", &[Setting, Setting]),
    Operator::microsoft("BiasSplitGelu", &[Setting, Weight]),
    Operator::microsoft("FastGelu", &[Setting, Weight]),
    Operator::microsoft("GroupNorm", &[Setting, Weight, Weight]),
    Operator::microsoft("SimplifiedLayerNormalization", &[Setting, Weight]),
    Operator::microsoft("SkipGroupNorm", &[Setting, Weight, Weight, Setting, Weight]),
    Operator::microsoft("SkipLayerNormalization", &[Setting, Setting, Weight, Weight, Weight]),
    Operator::microsoft("SkipSimplifiedLayerNormalization", &[Setting, Setting, Weight, Weight]),
];
