//! Images: resizing, sampling, regions, boxes.

use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("AffineGrid", &[]).since(&[20]),
    Operator::onnx("GridSample", &[]).since(&[16, 20, 22]),
    Operator::onnx("ImageDecoder", &[]).since(&[20]),
    Operator::onnx("MaxRoiPool", &[]).since(&[1, 22]),
    Operator::onnx("NonMaxSuppression", &[]).since(&[10, 11]),
    Operator::onnx("Resize", &[]).since(&[10, 11, 13, 18, 19]),
    Operator::onnx("RoiAlign", &[]).since(&[10, 16, 22]),
    Operator::onnx("Upsample", &[]).since(&[1, 7, 9, 10]),
];
