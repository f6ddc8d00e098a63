//! Moving data: the output holds elements of the input, elsewhere or in another form.

mod arrange;
mod gather;
pub(crate) mod given;
mod join;
mod pad;
mod place;
mod query;
mod reshape;
mod scatter;
mod select;
mod slice;
#[cfg(test)]
pub(crate) mod testing;
mod unique;

use crate::Slot::{Data, Joined, Moved, Setting, Table};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("CenterCropPad", &[]).since(&[18]).infer(pad::center_crop_pad),
    Operator::onnx("Col2Im", &[]).since(&[18]).infer(arrange::col2im),
    Operator::onnx("Compress", &[]).since(&[9, 11, 28]).infer(select::compress),
    Operator::onnx("Concat", &[Joined]).variadic().since(&[1, 4, 11, 13]).infer(join::concat),
    Operator::onnx("DepthToSpace", &[Moved]).since(&[1, 11, 13, 28]).infer(arrange::depth_to_space),
    Operator::onnx("Expand", &[Moved, Setting]).since(&[8, 13]).infer(join::expand),
    Operator::onnx("Flatten", &[Moved])
        .since(&[1, 9, 11, 13, 21, 23, 24, 25])
        .infer(reshape::flatten),
    Operator::onnx("Gather", &[Table, Data]).since(&[1, 11, 13]).infer(gather::gather),
    Operator::onnx("GatherElements", &[Table, Data])
        .since(&[11, 13])
        .infer(gather::gather_elements),
    Operator::onnx("GatherND", &[Table, Data]).since(&[11, 12, 13]).infer(gather::gather_nd),
    Operator::onnx("Identity", &[Moved])
        .since(&[1, 13, 14, 16, 19, 21, 23, 24, 25])
        .infer(query::identity),
    Operator::onnx("NonZero", &[]).since(&[9, 13]).infer(select::non_zero),
    Operator::onnx("OneHot", &[]).since(&[9, 11, 28]).infer(select::one_hot),
    Operator::onnx("Pad", &[Moved, Setting, Setting])
        .since(&[1, 2, 11, 13, 18, 19, 21, 23, 24, 25])
        .infer(pad::pad),
    Operator::onnx("Reshape", &[Moved, Setting])
        .since(&[1, 5, 13, 14, 19, 21, 23, 24, 25])
        .infer(reshape::reshape),
    Operator::onnx("ReverseSequence", &[Moved, Setting])
        .since(&[10, 28])
        .infer(arrange::reverse_sequence),
    Operator::onnx("Scatter", &[]).since(&[9, 11]).infer(scatter::scatter_elements),
    Operator::onnx("ScatterElements", &[Joined, Setting, Joined])
        .since(&[11, 13, 16, 18])
        .infer(scatter::scatter_elements),
    Operator::onnx("ScatterND", &[Joined, Setting, Joined])
        .since(&[11, 13, 16, 18])
        .infer(scatter::scatter_nd),
    Operator::onnx("Shape", &[]).since(&[1, 13, 15, 19, 21, 23, 24, 25]).infer(query::shape),
    Operator::onnx("Size", &[]).since(&[1, 13, 19, 21, 23, 24, 25]).infer(query::count),
    Operator::onnx("Slice", &[Moved, Setting, Setting, Setting, Setting])
        .since(&[1, 10, 11, 13])
        .infer(slice::slice),
    Operator::onnx("SpaceToDepth", &[Moved]).since(&[1, 13, 28]).infer(arrange::space_to_depth),
    Operator::onnx("Split", &[Moved, Setting]).since(&[1, 2, 11, 13, 18]).infer(slice::split),
    Operator::onnx("Squeeze", &[Moved, Setting])
        .since(&[1, 11, 13, 21, 23, 24, 25])
        .infer(reshape::squeeze),
    Operator::onnx("TensorScatter", &[]).since(&[24]).infer(scatter::tensor_scatter),
    Operator::onnx("Tile", &[Moved, Setting]).since(&[1, 6, 13]).infer(join::tile),
    Operator::onnx("TopK", &[]).since(&[1, 10, 11, 24]).infer(select::top_k),
    Operator::onnx("Transpose", &[Moved]).since(&[1, 13, 21, 23, 24, 25]).infer(arrange::transpose),
    Operator::onnx("Trilu", &[Moved, Setting]).since(&[14]).infer(arrange::trilu),
    Operator::onnx("Unique", &[]).since(&[11, 28]).infer(unique::unique),
    Operator::onnx("Unsqueeze", &[Moved, Setting])
        .since(&[1, 11, 13, 21, 23, 24, 25])
        .infer(reshape::unsqueeze),
];
