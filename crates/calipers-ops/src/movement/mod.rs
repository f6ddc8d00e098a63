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
use crate::cost::{self, Traffic};
use crate::row::Operator;

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &[
    Operator::onnx("CenterCropPad", &[]).since(&[18]).infer(pad::center_crop_pad).costs(cost::free),
    Operator::onnx("Col2Im", &[]).since(&[18]).infer(arrange::col2im).costs(cost::per_input::<1>),
    Operator::onnx("Compress", &[])
        .since(&[9, 11, 28])
        .infer(select::compress)
        .costs(cost::free)
        .moves(Traffic::Gathered),
    Operator::onnx("Concat", &[Joined])
        .variadic()
        .since(&[1, 4, 11, 13])
        .infer(join::concat)
        .costs(cost::free),
    Operator::onnx("DepthToSpace", &[Moved])
        .since(&[1, 11, 13, 28])
        .infer(arrange::depth_to_space)
        .costs(cost::free),
    Operator::onnx("Expand", &[Moved, Setting])
        .since(&[8, 13])
        .infer(join::expand)
        .costs(cost::free),
    Operator::onnx("Flatten", &[Moved])
        .since(&[1, 9, 11, 13, 21, 23, 24, 25])
        .infer(reshape::flatten)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("Gather", &[Table, Data])
        .since(&[1, 11, 13])
        .infer(gather::gather)
        .costs(cost::free)
        .moves(Traffic::Gathered),
    Operator::onnx("GatherElements", &[Table, Data])
        .since(&[11, 13])
        .infer(gather::gather_elements)
        .costs(cost::free)
        .moves(Traffic::Gathered),
    Operator::onnx("GatherND", &[Table, Data])
        .since(&[11, 12, 13])
        .infer(gather::gather_nd)
        .costs(cost::free)
        .moves(Traffic::Gathered),
    Operator::onnx("Identity", &[Moved])
        .since(&[1, 13, 14, 16, 19, 21, 23, 24, 25])
        .infer(query::identity)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("NonZero", &[])
        .since(&[9, 13])
        .infer(select::non_zero)
        .costs(cost::per_input::<1>),
    Operator::onnx("OneHot", &[]).since(&[9, 11, 28]).infer(select::one_hot).costs(cost::free),
    Operator::onnx("Pad", &[Moved, Setting, Setting])
        .since(&[1, 2, 11, 13, 18, 19, 21, 23, 24, 25])
        .infer(pad::pad)
        .costs(cost::free),
    Operator::onnx("Reshape", &[Moved, Setting])
        .since(&[1, 5, 13, 14, 19, 21, 23, 24, 25])
        .infer(reshape::reshape)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("ReverseSequence", &[Moved, Setting])
        .since(&[10, 28])
        .infer(arrange::reverse_sequence)
        .costs(cost::free),
    Operator::onnx("Scatter", &[])
        .since(&[9, 11])
        .infer(scatter::scatter_elements)
        .costs(cost::pointwise::scatter),
    Operator::onnx("ScatterElements", &[Joined, Setting, Joined])
        .since(&[11, 13, 16, 18])
        .infer(scatter::scatter_elements)
        .costs(cost::pointwise::scatter),
    Operator::onnx("ScatterND", &[Joined, Setting, Joined])
        .since(&[11, 13, 16, 18])
        .infer(scatter::scatter_nd)
        .costs(cost::pointwise::scatter),
    Operator::onnx("Shape", &[])
        .since(&[1, 13, 15, 19, 21, 23, 24, 25])
        .infer(query::shape)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("Size", &[])
        .since(&[1, 13, 19, 21, 23, 24, 25])
        .infer(query::count)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("Slice", &[Moved, Setting, Setting, Setting, Setting])
        .since(&[1, 10, 11, 13])
        .infer(slice::slice)
        .costs(cost::free)
        .moves(Traffic::Gathered),
    Operator::onnx("SpaceToDepth", &[Moved])
        .since(&[1, 13, 28])
        .infer(arrange::space_to_depth)
        .costs(cost::free),
    Operator::onnx("Split", &[Moved, Setting])
        .since(&[1, 2, 11, 13, 18])
        .infer(slice::split)
        .costs(cost::free),
    Operator::onnx("Squeeze", &[Moved, Setting])
        .since(&[1, 11, 13, 21, 23, 24, 25])
        .infer(reshape::squeeze)
        .costs(cost::free)
        .moves(Traffic::Nothing),
    Operator::onnx("TensorScatter", &[])
        .since(&[24])
        .infer(scatter::tensor_scatter)
        .costs(cost::free),
    Operator::onnx("Tile", &[Moved, Setting])
        .since(&[1, 6, 13])
        .infer(join::tile)
        .costs(cost::free),
    Operator::onnx("TopK", &[])
        .since(&[1, 10, 11, 24])
        .infer(select::top_k)
        .costs(cost::per_input::<1>),
    Operator::onnx("Transpose", &[Moved])
        .since(&[1, 13, 21, 23, 24, 25])
        .infer(arrange::transpose)
        .costs(cost::free),
    Operator::onnx("Trilu", &[Moved, Setting]).since(&[14]).infer(arrange::trilu).costs(cost::free),
    Operator::onnx("Unique", &[])
        .since(&[11, 28])
        .infer(unique::unique)
        .costs(cost::per_input::<1>),
    Operator::onnx("Unsqueeze", &[Moved, Setting])
        .since(&[1, 11, 13, 21, 23, 24, 25])
        .infer(reshape::unsqueeze)
        .costs(cost::free)
        .moves(Traffic::Nothing),
];
