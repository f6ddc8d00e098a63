//! Images: resizing, sampling, regions, boxes.

mod regions;
mod resize;
mod sampling;

use crate::cost;
use crate::row::Operator;
use crate::traits::{Class, Extent, ImageOp, KernelClass, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Image(ImageOp::Resize),
    [
        Operator::onnx("AffineGrid", &[])
            .class(Class::Image(ImageOp::Warp))
            .since(&[20])
            .infer(sampling::affine_grid)
            .costs(cost::window::affine_grid),
        Operator::onnx("GridSample", &[])
            .class(Class::Image(ImageOp::Warp))
            .since(&[16, 20, 22])
            .infer(sampling::grid_sample)
            .costs(cost::window::grid_sample),
        Operator::onnx("ImageDecoder", &[])
            .class(Class::Image(ImageOp::Decode))
            .since(&[20])
            .infer(sampling::image_decoder)
            .costs(cost::free),
        Operator::onnx("MaxRoiPool", &[])
            .class(Class::Image(ImageOp::Regions))
            .since(&[1, 22])
            .infer(regions::max_roi_pool)
            .costs(cost::window::max_roi_pool),
        Operator::onnx("NonMaxSuppression", &[])
            .class(Class::Image(ImageOp::Suppress))
            .decides()
            .kernel(KernelClass::Irregular)
            .extent(Extent::Data)
            .since(&[10, 11])
            .infer(regions::non_max_suppression)
            .costs(cost::pointwise::non_max_suppression),
        Operator::onnx("Resize", &[])
            .raises_resolution()
            .extent(Extent::Inputs(&[2, 3]))
            .has_integer_kernel()
            .since(&[10, 11, 13, 18, 19])
            .infer(resize::resize)
            .costs(cost::window::resize),
        Operator::onnx("RoiAlign", &[])
            .class(Class::Image(ImageOp::Regions))
            .kernel(KernelClass::Irregular)
            .since(&[10, 16, 22])
            .infer(regions::roi_align)
            .costs(cost::window::roi_align),
        Operator::onnx("Upsample", &[])
            .raises_resolution()
            .since(&[1, 7, 9, 10])
            .infer(resize::upsample)
            .costs(cost::window::resize),
    ],
);
