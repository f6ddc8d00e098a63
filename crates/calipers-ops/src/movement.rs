//! Moving data: the output holds elements of the input, elsewhere or in another form.

use crate::Slot::{Data, Joined, Moved, Setting, Table};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("CenterCropPad", &[]).since(&[18]),
    Operator::onnx("Col2Im", &[]).since(&[18]),
    Operator::onnx("Compress", &[]).since(&[9, 11, 28]),
    Operator::onnx("Concat", &[Joined]).variadic().since(&[1, 4, 11, 13]),
    Operator::onnx("DepthToSpace", &[Moved]).since(&[1, 11, 13, 28]),
    Operator::onnx("Expand", &[Moved, Setting]).since(&[8, 13]),
    Operator::onnx("Flatten", &[Moved]).since(&[1, 9, 11, 13, 21, 23, 24, 25]),
    Operator::onnx("Gather", &[Table, Data]).since(&[1, 11, 13]),
    Operator::onnx("GatherElements", &[Table, Data]).since(&[11, 13]),
    Operator::onnx("GatherND", &[Table, Data]).since(&[11, 12, 13]),
    Operator::onnx("Identity", &[Moved]).since(&[1, 13, 14, 16, 19, 21, 23, 24, 25]),
    Operator::onnx("NonZero", &[]).since(&[9, 13]),
    Operator::onnx("OneHot", &[]).since(&[9, 11, 28]),
    Operator::onnx("Pad", &[Moved, Setting, Setting])
        .since(&[1, 2, 11, 13, 18, 19, 21, 23, 24, 25]),
    Operator::onnx("Reshape", &[Moved, Setting]).since(&[1, 5, 13, 14, 19, 21, 23, 24, 25]),
    Operator::onnx("ReverseSequence", &[Moved, Setting]).since(&[10, 28]),
    Operator::onnx("Scatter", &[]).since(&[9, 11]),
    Operator::onnx("ScatterElements", &[Joined, Setting, Joined]).since(&[11, 13, 16, 18]),
    Operator::onnx("ScatterND", &[Joined, Setting, Joined]).since(&[11, 13, 16, 18]),
    Operator::onnx("Shape", &[]).since(&[1, 13, 15, 19, 21, 23, 24, 25]),
    Operator::onnx("Size", &[]).since(&[1, 13, 19, 21, 23, 24, 25]),
    Operator::onnx("Slice", &[Moved, Setting, Setting, Setting, Setting]).since(&[1, 10, 11, 13]),
    Operator::onnx("SpaceToDepth", &[Moved]).since(&[1, 13, 28]),
    Operator::onnx("Split", &[Moved, Setting]).since(&[1, 2, 11, 13, 18]),
    Operator::onnx("Squeeze", &[Moved, Setting]).since(&[1, 11, 13, 21, 23, 24, 25]),
    Operator::onnx("TensorScatter", &[]).since(&[24]),
    Operator::onnx("Tile", &[Moved, Setting]).since(&[1, 6, 13]),
    Operator::onnx("TopK", &[]).since(&[1, 10, 11, 24]),
    Operator::onnx("Transpose", &[Moved]).since(&[1, 13, 21, 23, 24, 25]),
    Operator::onnx("Trilu", &[Moved, Setting]).since(&[14]),
    Operator::onnx("Unique", &[]).since(&[11, 28]),
    Operator::onnx("Unsqueeze", &[Moved, Setting]).since(&[1, 11, 13, 21, 23, 24, 25]),
];
