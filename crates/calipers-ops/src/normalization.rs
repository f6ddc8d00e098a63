//! Normalisation.

use crate::Slot::{Data, Statistic, Weight};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic])
        .since(&[1, 6, 7, 9, 14, 15]),
    Operator::onnx("GroupNormalization", &[Data, Weight, Weight]).since(&[18, 21]),
    Operator::onnx("InstanceNormalization", &[Data, Weight, Weight]).since(&[1, 6, 22]),
    Operator::onnx("LRN", &[]).since(&[1, 13]),
    Operator::onnx("LayerNormalization", &[Data, Weight, Weight]).since(&[17]),
    Operator::onnx("LpNormalization", &[]).since(&[1, 22]),
    Operator::onnx("MeanVarianceNormalization", &[]).since(&[9, 13]),
    Operator::onnx("RMSNormalization", &[Data, Weight]).since(&[23]),
    Operator::onnx("SimplifiedLayerNormalization", &[Data, Weight]),
];
