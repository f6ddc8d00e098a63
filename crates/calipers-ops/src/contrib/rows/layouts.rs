//! The operators of blocked and channels-last layouts.

use super::super::layout;
use super::super::pointwise;
use crate::InputRole::{Data, Moved, Setting, Statistic, Weight};
use crate::cost;
use crate::row::Operator;
use crate::traits::{Class, Extent, ImageOp, KernelClass, Lowering, Movement, Norm, Pool, family};
use crate::{NCHWC, NHWC};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        Operator::new(NCHWC, "AveragePool", &[Data])
            .pools(Pool::Average)
            .has_integer_kernel()
            .infer(layout::pool_first)
            .costs(cost::window::pool::<1>),
        Operator::new(NCHWC, "Conv", &[Data, Weight, Weight, Data])
            .class(Class::Contraction)
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::Convolution)
            .has_integer_kernel()
            .infer(layout::conv_first)
            .costs(cost::contraction::conv),
        Operator::new(NCHWC, "GlobalAveragePool", &[Data])
            .pools(Pool::GlobalAverage)
            .has_integer_kernel()
            .infer(layout::global_pool_first)
            .costs(cost::per_input::<1>),
        Operator::new(NCHWC, "GlobalMaxPool", &[Data])
            .pools(Pool::GlobalMax)
            .infer(layout::global_pool_first)
            .costs(cost::per_input::<1>),
        Operator::new(NCHWC, "MaxPool", &[Data])
            .pools(Pool::Max)
            .has_integer_kernel()
            .infer(layout::pool_first)
            .costs(cost::window::pool::<1>),
        Operator::new(NCHWC, "ReorderInput", &[Moved])
            .passes(Movement::Rearrange)
            .lowers(Lowering::Reorder)
            .infer(layout::reorder_input)
            .costs(cost::free),
        Operator::new(NCHWC, "ReorderOutput", &[Moved])
            .passes(Movement::Rearrange)
            .lowers(Lowering::Reorder)
            .infer(layout::reorder_output)
            .costs(cost::free),
        Operator::new(NCHWC, "Upsample", &[Data])
            .class(Class::Image(ImageOp::Resize))
            .raises_resolution()
            .infer(layout::upsample)
            .costs(cost::window::resize),
        Operator::new(NHWC, "AveragePool", &[Data])
            .pools(Pool::Average)
            .has_integer_kernel()
            .infer(layout::pool_last)
            .costs(cost::window::pool::<1>),
        Operator::new(NHWC, "BatchNormalization", &[Data, Weight, Weight, Statistic, Statistic])
            .normalizes(Norm::Batch)
            .lowers(Lowering::As("BatchNormalization", &[0, 1, 2, 3, 4]))
            .in_place(true)
            .has_integer_kernel()
            .infer(layout::norm_last)
            .costs(cost::pointwise::batch_norm),
        Operator::new(NHWC, "Conv", &[Data, Weight, Weight])
            .class(Class::Contraction)
            .contracts(KernelClass::Convolution, &[1])
            .lowers(Lowering::Convolution)
            .has_integer_kernel()
            .infer(layout::conv_last)
            .costs(cost::contraction::conv),
        Operator::new(NHWC, "ConvTranspose", &[Data, Weight, Weight])
            .raises_resolution()
            .class(Class::Contraction)
            .contracts(KernelClass::Convolution, &[1])
            .has_integer_kernel()
            .infer(layout::conv_transpose_last)
            .costs(cost::contraction::conv_transpose),
        Operator::new(NHWC, "DepthToSpace", &[Moved])
            .raises_resolution()
            .passes(Movement::Rearrange)
            .has_integer_kernel()
            .infer(layout::depth_to_space_last)
            .costs(cost::free),
        Operator::new(NHWC, "GlobalAveragePool", &[Data])
            .pools(Pool::GlobalAverage)
            .has_integer_kernel()
            .infer(layout::global_pool_last)
            .costs(cost::per_input::<1>),
        Operator::new(NHWC, "GlobalLpPool", &[Data])
            .pools(Pool::GlobalLp)
            .infer(layout::global_pool_last)
            .costs(cost::per_input::<2>),
        Operator::new(NHWC, "GlobalMaxPool", &[Data])
            .pools(Pool::GlobalMax)
            .infer(layout::global_pool_last)
            .costs(cost::per_input::<1>),
        Operator::new(NHWC, "GridSample", &[Data, Data])
            .class(Class::Image(ImageOp::Warp))
            .infer(layout::grid_sample_last)
            .costs(cost::window::grid_sample),
        Operator::new(NHWC, "InstanceNormalization", &[Data, Weight, Weight])
            .normalizes(Norm::Instance)
            .infer(pointwise::same)
            .costs(cost::per_output::<7>),
        Operator::new(NHWC, "LRN", &[Data])
            .normalizes(Norm::LocalResponse)
            .infer(pointwise::same)
            .costs(cost::pointwise::lrn),
        Operator::new(NHWC, "LpPool", &[Data])
            .pools(Pool::Lp)
            .infer(layout::pool_last)
            .costs(cost::window::pool::<2>),
        Operator::new(NHWC, "MaxPool", &[Data])
            .pools(Pool::Max)
            .has_integer_kernel()
            .infer(layout::pool_last)
            .costs(cost::window::pool::<1>),
        Operator::new(NHWC, "MaxUnpool", &[Data, Data, Setting])
            .raises_resolution()
            .infer(layout::max_unpool_last)
            .costs(cost::free),
        Operator::new(NHWC, "Resize", &[Data, Setting, Setting, Setting])
            .class(Class::Image(ImageOp::Resize))
            .raises_resolution()
            .extent(Extent::Inputs(&[2, 3]))
            .has_integer_kernel()
            .infer(layout::resize)
            .costs(cost::window::resize),
        Operator::new(NHWC, "SpaceToDepth", &[Moved])
            .passes(Movement::Rearrange)
            .has_integer_kernel()
            .infer(layout::space_to_depth_last)
            .costs(cost::free),
    ],
);
