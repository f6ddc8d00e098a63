//! Operators on other layouts of images: channels last, and channels in blocks.
//!
//! `com.ms.internal.nhwc` takes and gives the first tensor with the channels last; weights stay as
//! the standard has them. `com.microsoft.nchwc` keeps the order of dimensions and rounds the number
//! of channels up to whole blocks, of 8 or 16 as the machine likes; weights are stored rounded up,
//! so a convolution gives as many channels as its weights have.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::inputs::{first_dtype, only, positive, shaped};
use super::pointwise::same;
use super::window::{Layout, Windows, conv, conv_transpose, global_pool, pool};
use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::Fact;

/// `Conv`, `FusedConv`: as the standard's, whatever is fused behind it.
pub(super) fn conv_first(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv(ctx, 0, 1, Layout::First);
    only(first_dtype(ctx, &[0, 1]), dims)
}

/// `Conv`, `NhwcConv`, `NhwcFusedConv`: the same with the channels last.
pub(super) fn conv_last(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv(ctx, 0, 1, Layout::Last);
    only(first_dtype(ctx, &[0, 1]), dims)
}

/// `ConvTranspose` with the channels last.
pub(super) fn conv_transpose_last(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv_transpose(ctx, 0, 1, None, Layout::Last);
    only(first_dtype(ctx, &[0, 1]), dims)
}

/// `ConvTransposeWithDynamicPads`: the pads are an input.
pub(super) fn conv_transpose_dynamic(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = conv_transpose(ctx, 0, 1, Some(2), Layout::First);
    only(first_dtype(ctx, &[0, 1]), dims)
}

fn pooled(ctx: &OpContext<'_>, layout: Layout) -> Outcome {
    let dims = pool(ctx, layout);
    Ok(vec![shaped(ctx.dtype(0), dims.clone())?, shaped(DType::Int64, dims)?])
}

/// `MaxPool`, `AveragePool`, `LpPool`, `MaxpoolWithMask`: perhaps with the places of what was
/// largest.
pub(super) fn pool_first(ctx: &mut OpContext<'_>) -> Outcome {
    pooled(ctx, Layout::First)
}

/// The same with the channels last.
pub(super) fn pool_last(ctx: &mut OpContext<'_>) -> Outcome {
    pooled(ctx, Layout::Last)
}

/// `GlobalMaxPool`, `GlobalAveragePool`.
pub(super) fn global_pool_first(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), global_pool(ctx, Layout::First))
}

/// The same with the channels last.
pub(super) fn global_pool_last(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), global_pool(ctx, Layout::Last))
}

/// `MaxUnpool` with the channels last.
pub(super) fn max_unpool_last(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let dims = Layout::Last.channels_first(ctx.dims(0)?);
        let axes = dims.len().saturating_sub(2);
        let mut output = dims.get(..2).unwrap_or_default().to_vec();
        match ctx.ints("kernel_shape") {
            Some(kernel) if kernel.len() == axes && !ctx.has(2) => {
                let windows = Windows::from_context(ctx, axes)?;
                let span =
                    |axis: usize| windows.span(axis, &dims[axis + 2], &Expr::from(kernel[axis]), 0);
                output.extend((0..axes).map(span));
            }
            _ => output.extend(ctx.fresh_dims(axes, "the size that is asked for")),
        }
        Ok(Layout::Last.restored(output))
    };
    let dims = dims(ctx);
    only(ctx.dtype(0), dims)
}

/// `DepthToSpace` with the channels last: channels become squares of space.
pub(super) fn depth_to_space_last(ctx: &mut OpContext<'_>) -> Outcome {
    let size = positive(ctx, "blocksize")?;
    let dims = ctx.dims_of_rank(0, 4).map(|dims| {
        let square = Expr::from(size) * size;
        vec![dims[0].clone(), &dims[1] * size, &dims[2] * size, dims[3].floor_div(&square)]
    });
    only(ctx.dtype(0), dims)
}

/// `SpaceToDepth` with the channels last: the inverse.
pub(super) fn space_to_depth_last(ctx: &mut OpContext<'_>) -> Outcome {
    let size = positive(ctx, "blocksize")?;
    let dims = ctx.dims_of_rank(0, 4).map(|dims| {
        let (side, square) = (Expr::from(size), Expr::from(size) * size);
        vec![dims[0].clone(), dims[1].floor_div(&side), dims[2].floor_div(&side), &dims[3] * square]
    });
    only(ctx.dtype(0), dims)
}

fn sampled(ctx: &OpContext<'_>, layout: Layout) -> Result<Vec<Expr>, Fail> {
    let image = layout.channels_first(ctx.dims(0)?);
    let grid = ctx.dims_of_rank(1, image.len())?;
    let mut dims = image.get(..2).unwrap_or_default().to_vec();
    dims.extend(grid.iter().skip(1).take(grid.len().saturating_sub(2)).cloned());
    Ok(layout.restored(dims))
}

/// `GridSample`: an element for each point of the grid.
pub(super) fn grid_sample(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), sampled(ctx, Layout::First))
}

/// The same with the channels last.
pub(super) fn grid_sample_last(ctx: &mut OpContext<'_>) -> Outcome {
    only(ctx.dtype(0), sampled(ctx, Layout::Last))
}

/// `Resize`: its sizes and scales are in the order of the dimensions.
pub(super) fn resize(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let dims = ctx.dims(0)?;
        let partly = ctx.ints("axes").is_some()
            || ctx.text_or("keep_aspect_ratio_policy", "segment") != "segment"
            || ctx.text_or("coordinate_transformation_mode", "") == "tf_crop_and_resize";
        if partly {
            return Ok(ctx.fresh_dims(dims.len(), "the size that is asked for"));
        }
        let sizes = ctx.value(3).filter(|sizes| sizes.len() == dims.len());
        let scales = ctx.value(2).filter(|scales| scales.len() == dims.len());
        let sized = |axis: usize| sizes?[axis].as_expr().cloned();
        let scaled = |axis: usize| {
            if sizes.is_some() { None } else { scaled(&dims[axis], &scales?[axis]) }
        };
        let reported: Vec<_> =
            (0..dims.len()).map(|axis| sized(axis).or_else(|| scaled(axis))).collect();
        let reported = reported.into_iter();
        Ok(reported
            .map(|dim| dim.unwrap_or_else(|| ctx.fresh("the size that is asked for")))
            .collect())
    };
    let dims = dims(ctx);
    only(ctx.dtype(0), dims)
}

/// A size times a scale, rounded down as in single precision.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "as the runtime computes; what it cannot hold is refused"
)]
fn scaled(size: &Expr, scale: &Elem) -> Option<Expr> {
    if let Some(scale) = scale.as_i64() {
        return (scale > 0).then(|| size * scale);
    }
    let size = size.as_const().filter(|size| (0..1 << 24).contains(size))?;
    let product = (size as f32) * (scale.as_f64()? as f32);
    (0.0..16_777_216.0).contains(&product).then(|| Expr::from(product.floor() as i64))
}

/// Channels rounded up to whole blocks, where blocks of 8 and of 16 agree.
fn blocked(channels: i64) -> Option<i64> {
    let up = |block: i64| channels.checked_add(block - 1).map(|sum| sum / block * block);
    up(8).filter(|channels| up(16) == Some(*channels))
}

/// `ReorderInput`: into blocks of channels.
pub(super) fn reorder_input(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &mut OpContext<'_>| {
        let mut dims = Layout::from_context(ctx).channels_first(ctx.dims(0)?);
        let Some(channels) = dims.get_mut(1) else {
            return Err(Fail::contradiction("ReorderInput has an input without channels"));
        };
        *channels = match channels.as_const().and_then(blocked) {
            Some(channels) => channels.into(),
            None => ctx.fresh("how many channels a block has on the machine"),
        };
        Ok(dims)
    };
    let dims = dims(ctx);
    only(ctx.dtype(0), dims)
}

/// `ReorderOutput`: out of blocks of channels, without those that only filled a block.
pub(super) fn reorder_output(ctx: &mut OpContext<'_>) -> Outcome {
    let channels = positive(ctx, "channels")?;
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        match dims.get_mut(1) {
            Some(place) => *place = channels.into(),
            None => return Err(Fail::contradiction("ReorderOutput has an input without channels")),
        }
        Ok(Layout::from_context(ctx).restored(dims))
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `Upsample` in blocks: whole scales for every dimension.
pub(super) fn upsample(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let dims = ctx.dims(0)?;
        let scales = super::inputs::list(ctx, "scales", dims.len(), 1)?;
        Ok(dims.iter().zip(scales).map(|(dim, scale)| dim * scale).collect())
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `BatchNormalization` with the channels last: outputs beyond the first are of training.
pub(super) fn norm_last(ctx: &mut OpContext<'_>) -> Outcome {
    same(ctx).map(|outputs| outputs.into_iter().take(1).collect::<Vec<Fact>>())
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ask, int, ints, reported, text};

    const NHWC: &str = "com.ms.internal.nhwc";

    #[test]
    fn blocked_convolutions_give_the_channels_of_their_weights() {
        // (224 + 2 - 3) / 2 + 1 = 112, from 223 / 2 = 111.
        let inputs = ["float32[N, 3, 224, 224]", "float32[32, 3, 3, 3]", "float32[32]"];
        let attributes = [("strides", ints(&[2, 2])), ("pads", ints(&[1, 1, 1, 1]))];
        assert_eq!(
            reported(crate::NCHWC, "Conv", &inputs, &attributes, 1),
            ["float32[N, 32, 112, 112]"]
        );
    }

    #[test]
    fn blocks_come_and_go() {
        let into = |dims: &str| reported(crate::NCHWC, "ReorderInput", &[dims], &[], 1);
        assert_eq!(into("float32[N, 64, 7, 7]"), ["float32[N, 64, 7, 7]"]);
        // 12 channels fill 2 blocks of 8 and 1 of 16; 24 fill 3 of 8, and 2 of 16 with group.
        assert_eq!(into("float32[N, 12, 7, 7]"), ["float32[N, 16, 7, 7]"]);
        assert_eq!(into("float32[N, 24, 7, 7]"), ["float32[N, fresh_0, 7, 7]"]);
        let last = [("channels_last", int(1))];
        assert_eq!(
            reported(crate::NCHWC, "ReorderInput", &["float32[N, 7, 9, 32]"], &last, 1),
            ["float32[N, 32, 7, 9]"]
        );
        let out = [("channels", int(58)), ("channels_last", int(1))];
        assert_eq!(
            reported(crate::NCHWC, "ReorderOutput", &["float32[N, 64, 7, 9]"], &out, 1),
            ["float32[N, 7, 9, 58]"]
        );
    }

    #[test]
    fn blocked_pools_and_scales() {
        // ceil((112 - 3) / 2) + 1 = 56 with group to start; floor gives 55.
        let pool = [("kernel_shape", ints(&[3, 3])), ("strides", ints(&[2, 2]))];
        let input = ["float32[N, 64, 112, 112]"];
        assert_eq!(reported(crate::NCHWC, "MaxPool", &input, &pool, 1), ["float32[N, 64, 55, 55]"]);
        let up = [pool[0].clone(), pool[1].clone(), ("ceil_mode", int(1))];
        assert_eq!(reported(crate::NCHWC, "MaxPool", &input, &up, 1), ["float32[N, 64, 56, 56]"]);
        let scales = [("scales", ints(&[1, 1, 2, 2]))];
        assert_eq!(
            reported(crate::NCHWC, "Upsample", &["float32[N, 16, H, W]"], &scales, 1),
            ["float32[N, 16, 2*H, 2*W]"]
        );
        assert_eq!(
            reported(crate::NCHWC, "GlobalAveragePool", &["float32[N, 16, H, W]"], &[], 1),
            ["float32[N, 16, 1, 1]"]
        );
    }

    #[test]
    fn channels_last() {
        let inputs = ["float16[N, 15, 20, 8]", "float16[12, 8, 3, 3]"];
        assert_eq!(reported(NHWC, "Conv", &inputs, &[], 1), ["float16[N, 13, 18, 12]"]);
        let same = [("auto_pad", text("SAME_UPPER")), ("strides", ints(&[2, 2]))];
        assert_eq!(reported(NHWC, "Conv", &inputs, &same, 1), ["float16[N, 8, 10, 12]"]);
        // (15 - 1) * 2 + 3 = 31; two groups of 5 kernels.
        let inputs = ["float16[N, 15, 20, 8]", "float16[8, 5, 3, 3]"];
        let attributes = [("group", int(2)), ("strides", ints(&[2, 2]))];
        assert_eq!(
            reported(NHWC, "ConvTranspose", &inputs, &attributes, 1),
            ["float16[N, 31, 41, 10]"]
        );
        let pool = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
        assert_eq!(
            reported(NHWC, "MaxPool", &["float32[N, 15, 20, 8]"], &pool, 2),
            ["float32[N, 7, 10, 8]", "int64[N, 7, 10, 8]"]
        );
        let grid = ["float32[N, 15, 20, 8]", "float32[N, 4, 5, 2]"];
        assert_eq!(reported(NHWC, "GridSample", &grid, &[], 1), ["float32[N, 4, 5, 8]"]);
        let block = [("blocksize", int(2))];
        assert_eq!(
            reported(NHWC, "DepthToSpace", &["float32[N, 3, 5, 8]"], &block, 1),
            ["float32[N, 6, 10, 2]"]
        );
    }

    #[test]
    fn sizes_in_the_order_of_dimensions() {
        let inputs = ["float32[N, 15, 20, 8]", "", "", "int64[4]={N, 30, 41, 8}"];
        assert_eq!(reported(NHWC, "Resize", &inputs, &[], 1), ["float32[N, 30, 41, 8]"]);
        let inputs = ["float32[N, 15, 20, 8]", "", "float32[4]={1, 2, 3, 1}"];
        assert_eq!(reported(NHWC, "Resize", &inputs, &[], 1), ["float32[N, 30, 60, 8]"]);
    }

    #[test]
    fn kernels_that_do_not_fit() {
        let inputs = ["float32[N, 3, 4, 4]", "float32[32, 3, 7, 7]"];
        assert!(ask(crate::NCHWC, "Conv", 1, &inputs, &[], 1).is_err());
    }
}
