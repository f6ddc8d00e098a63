//! Pools, and interpolation of images.

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, per_output, ranked, unknown};
use crate::context::OpContext;
use crate::fact::Fact;

/// The kernel's size for each output element, `N` times.
pub(crate) fn pool<const N: i64>(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let Some(kernel) = ctx.ints("kernel_shape").filter(|kernel| !kernel.is_empty()) else {
        return unknown(format!("the kernel of {} is not known", ctx.op));
    };
    let size = kernel.iter().fold(Expr::ONE, |size, side| size * *side);
    Ok(Work::of_flops(elements(ctx, outputs.first())? * size * N))
}

/// `QLinearAveragePool`: the same, with numbers made of integers and back.
pub(crate) fn quantized_pool(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let work = pool::<1>(ctx, outputs)?;
    let output = elements(ctx, outputs.first())?;
    Ok(Work::of_flops(work.other_flops + output * 2))
}

/// Elements among which an interpolated one is found.
fn taps(mode: &str, axes: u32) -> Option<i64> {
    match mode {
        "linear" | "bilinear" => 2_i64.checked_pow(axes),
        "cubic" | "bicubic" => 4_i64.checked_pow(axes),
        _ => None,
    }
}

/// A product and a sum for each tap.
fn interpolated(ctx: &OpContext<'_>, outputs: &[Fact], mode: &str, axes: u32) -> Cost {
    if mode == "nearest" {
        return Ok(Work::none());
    }
    match taps(mode, axes) {
        Some(taps) => Ok(Work::of_flops(elements(ctx, outputs.first())? * taps * 2)),
        None => unknown(format!("{} interpolates by {mode:?}", ctx.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__Resize.html>, `onnx__Upsample`: over space.
pub(crate) fn resize(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let mode = ctx.text_or("mode", "nearest");
    if mode == "nearest" {
        return Ok(Work::none());
    }
    if ctx.int_or("antialias", 0) != 0 {
        return unknown(format!("how far {} smooths depends on its scale", ctx.op));
    }
    over_space(ctx, outputs, mode)
}

/// Interpolation over all axes but the batch and the channels.
fn over_space(ctx: &OpContext<'_>, outputs: &[Fact], mode: &str) -> Cost {
    let rank = dims(ctx, ctx.optional(0))?.len();
    match u32::try_from(if rank > 2 { rank - 2 } else { rank }) {
        Ok(axes) => interpolated(ctx, outputs, mode, axes),
        Err(_) => unknown(format!("{} has too many dimensions", ctx.op)),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__GridSample.html>: over space.
pub(crate) fn grid_sample(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    over_space(ctx, outputs, ctx.text_or("mode", "linear"))
}

/// <https://onnx.ai/onnx/operators/onnx__AffineGrid.html>: a matrix for each point. A row
/// is a sum of as many products as space has axes, and a shift.
pub(crate) fn affine_grid(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    match dims(ctx, outputs.first())?.last().and_then(Expr::as_const) {
        Some(2) => per_output::<4>(ctx, outputs),
        Some(3) => per_output::<6>(ctx, outputs),
        _ => unknown("whether AffineGrid is for images or volumes is not known"),
    }
}

/// <https://onnx.ai/onnx/operators/onnx__RoiAlign.html>: every output element is the mean or the
/// largest of samples among four elements each.
pub(crate) fn roi_align(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    match ctx.int_or("sampling_ratio", 0) {
        ratio if ratio > 0 => {
            let samples = Expr::from(ratio) * ratio;
            Ok(Work::of_flops(elements(ctx, outputs.first())? * samples * 9))
        }
        _ => unknown("how often RoiAlign samples depends on the size of its regions"),
    }
}

/// `MaxRoiPool`: regions are as large as their data says.
pub(crate) fn max_roi_pool(_: &OpContext<'_>, _: &[Fact]) -> Cost {
    unknown("how much MaxRoiPool compares depends on the size of its regions")
}

/// `CropAndResize`: every element among four.
pub(crate) fn crop_and_resize(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let _ = ranked(ctx, 0, 4)?;
    interpolated(ctx, outputs, ctx.text_or("mode", "bilinear"), 2)
}

#[cfg(test)]
mod tests {
    use super::super::testing::work;
    use crate::contrib::testing::{ints, text};

    #[test]
    fn pools_by_their_kernel() {
        // 8 · 14 · 14 = 1,568 outputs of 4.
        let pool = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
        assert_eq!(work("", "MaxPool", &["float32[1, 8, 28, 28]"], &pool).1, "6272");
        assert_eq!(work("", "LpPool", &["float32[1, 8, 28, 28]"], &pool).1, "12544");
        assert_eq!(work("", "GlobalAveragePool", &["float32[1, 8, 7, 7]"], &[]).1, "392");
    }

    #[test]
    fn interpolation_by_taps() {
        let inputs = ["float32[1, 3, 4, 4]", "", "", "int64[4]={1, 3, 8, 8}"];
        // 3 · 64 = 192 outputs among 2 · 2 = 4 or 4 · 4 = 16.
        assert_eq!(work("", "Resize", &inputs, &[]).1, "0");
        assert_eq!(work("", "Resize", &inputs, &[("mode", text("linear"))]).1, "1536");
        assert_eq!(work("", "Resize", &inputs, &[("mode", text("cubic"))]).1, "6144");
    }
}
