//! Moving data: the output holds elements of the input, elsewhere or in another form.

mod arrange;
mod gather;
pub(crate) mod given;
pub(crate) mod join;
pub(crate) mod pad;
mod place;
mod query;
mod reshape;
mod scatter;
mod select;
mod slice;
pub(crate) mod strided;
#[cfg(test)]
pub(crate) mod testing;
mod unique;

use crate::InputRole::{Data, Joined, Moved, Setting, Table};
use crate::cost::{self, Traffic};
use crate::row::Operator;
use crate::traits::{Class, Extent, ImageOp, KernelClass, Lowering, Movement, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        Operator::onnx("CenterCropPad", &[])
            .since(&[18])
            .infer(pad::center_crop_pad)
            .costs(cost::free),
        Operator::onnx("Col2Im", &[])
            .class(Class::Image(ImageOp::Fold))
            .since(&[18])
            .infer(arrange::col2im)
            .costs(cost::per_input::<1>),
        Operator::onnx("Compress", &[])
            .passes(Movement::Gather)
            .kernel(KernelClass::Elementwise)
            .extent(Extent::Data)
            .since(&[9, 11, 28])
            .infer(select::compress)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("Concat", &[Joined])
            .passes(Movement::Join)
            .has_integer_kernel()
            .variadic()
            .since(&[1, 4, 11, 13])
            .infer(join::concat)
            .costs(cost::free),
        Operator::onnx("DepthToSpace", &[Moved])
            .raises_resolution()
            .passes(Movement::Rearrange)
            .has_integer_kernel()
            .since(&[1, 11, 13, 28])
            .infer(arrange::depth_to_space)
            .costs(cost::free),
        Operator::onnx("Expand", &[Moved, Setting])
            .passes(Movement::Expand)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .grows_when_folded()
            .since(&[8, 13])
            .infer(join::expand)
            .costs(cost::free),
        Operator::onnx("Flatten", &[Moved])
            .passes(Movement::View)
            .has_integer_kernel()
            .since(&[1, 9, 11, 13, 21, 23, 24, 25])
            .infer(reshape::flatten)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("Gather", &[Table, Data])
            .passes(Movement::Gather)
            .has_integer_kernel()
            .since(&[1, 11, 13])
            .infer(gather::gather)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("GatherElements", &[Table, Data])
            .passes(Movement::Gather)
            .since(&[11, 13])
            .infer(gather::gather_elements)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("GatherND", &[Table, Data])
            .passes(Movement::Gather)
            .since(&[11, 12, 13])
            .infer(gather::gather_nd)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("Identity", &[Moved])
            .passes(Movement::View)
            .lowers(Lowering::Forward)
            .unary(true)
            .has_integer_kernel()
            .since(&[1, 13, 14, 16, 19, 21, 23, 24, 25])
            .infer(query::identity)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("NonZero", &[])
            .decides()
            .class(Class::Reduction)
            .kernel(KernelClass::Irregular)
            .extent(Extent::Data)
            .since(&[9, 13])
            .infer(select::non_zero)
            .costs(cost::per_input::<1>),
        Operator::onnx("OneHot", &[])
            .extent(Extent::Inputs(&[1]))
            .since(&[9, 11, 28])
            .infer(select::one_hot)
            .costs(cost::free),
        Operator::onnx("Pad", &[Moved, Setting, Setting])
            .passes(Movement::Pad)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .since(&[1, 2, 11, 13, 18, 19, 21, 23, 24, 25])
            .infer(pad::pad)
            .costs(cost::free),
        Operator::onnx("Reshape", &[Moved, Setting])
            .passes(Movement::View)
            .extent(Extent::Inputs(&[1]))
            .has_integer_kernel()
            .since(&[1, 5, 13, 14, 19, 21, 23, 24, 25])
            .infer(reshape::reshape)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("ReverseSequence", &[Moved, Setting])
            .passes(Movement::Rearrange)
            .since(&[10, 28])
            .infer(arrange::reverse_sequence)
            .costs(cost::free),
        Operator::onnx("Scatter", &[])
            .passes(Movement::Scatter { updates: 2 })
            .since(&[9, 11])
            .infer(scatter::scatter_elements)
            .costs(cost::pointwise::scatter),
        Operator::onnx("ScatterElements", &[Joined, Setting, Joined])
            .passes(Movement::Scatter { updates: 2 })
            .since(&[11, 13, 16, 18])
            .infer(scatter::scatter_elements)
            .costs(cost::pointwise::scatter),
        Operator::onnx("ScatterND", &[Joined, Setting, Joined])
            .passes(Movement::Scatter { updates: 2 })
            .since(&[11, 13, 16, 18])
            .infer(scatter::scatter_nd)
            .costs(cost::pointwise::scatter),
        Operator::onnx("Shape", &[])
            .class(Class::ShapeQuery)
            .since(&[1, 13, 15, 19, 21, 23, 24, 25])
            .infer(query::shape)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("Size", &[])
            .class(Class::ShapeQuery)
            .since(&[1, 13, 19, 21, 23, 24, 25])
            .infer(query::count)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("Slice", &[Moved, Setting, Setting, Setting, Setting])
            .passes(Movement::Slice)
            .extent(Extent::Inputs(&[1, 2, 4]))
            .has_integer_kernel()
            .since(&[1, 10, 11, 13])
            .infer(slice::slice)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        Operator::onnx("SpaceToDepth", &[Moved])
            .passes(Movement::Rearrange)
            .has_integer_kernel()
            .since(&[1, 13, 28])
            .infer(arrange::space_to_depth)
            .costs(cost::free),
        Operator::onnx("Split", &[Moved, Setting])
            .passes(Movement::Slice)
            .has_integer_kernel()
            .since(&[1, 2, 11, 13, 18])
            .infer(slice::split)
            .costs(cost::free),
        Operator::onnx("Squeeze", &[Moved, Setting])
            .passes(Movement::View)
            .has_integer_kernel()
            .since(&[1, 11, 13, 21, 23, 24, 25])
            .infer(reshape::squeeze)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("TensorScatter", &[])
            .passes(Movement::Scatter { updates: 1 })
            .since(&[24])
            .infer(scatter::tensor_scatter)
            .costs(cost::free),
        Operator::onnx("Tile", &[Moved, Setting])
            .passes(Movement::Repeat)
            .extent(Extent::Inputs(&[1]))
            .grows_when_folded()
            .since(&[1, 6, 13])
            .infer(join::tile)
            .costs(cost::free),
        Operator::onnx("TopK", &[])
            .class(Class::Reduction)
            .extent(Extent::Inputs(&[1]))
            .since(&[1, 10, 11, 24])
            .infer(select::top_k)
            .costs(cost::per_input::<1>),
        Operator::onnx("Transpose", &[Moved])
            .passes(Movement::Transpose)
            .has_integer_kernel()
            .since(&[1, 13, 21, 23, 24, 25])
            .infer(arrange::transpose)
            .costs(cost::free),
        Operator::onnx("Trilu", &[Moved, Setting])
            .since(&[14])
            .infer(arrange::trilu)
            .costs(cost::free),
        Operator::onnx("Unique", &[])
            .class(Class::Reduction)
            .kernel(KernelClass::Irregular)
            .extent(Extent::Data)
            .since(&[11, 28])
            .infer(unique::unique)
            .costs(cost::per_input::<1>),
        Operator::onnx("Unsqueeze", &[Moved, Setting])
            .passes(Movement::View)
            .has_integer_kernel()
            .since(&[1, 11, 13, 21, 23, 24, 25])
            .infer(reshape::unsqueeze)
            .costs(cost::free)
            .moves(Traffic::Nothing),
    ],
);
