//! Pooling and resizing.

use super::{ATEN, Mapped, Op};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.base {
        "max_pool1d" => pool(op, 1, "MaxPool"),
        "max_pool2d" | "max_pool2d_with_indices" => pool(op, 2, "MaxPool"),
        "max_pool3d" | "max_pool3d_with_indices" => pool(op, 3, "MaxPool"),
        "avg_pool1d" => pool(op, 1, "AveragePool"),
        "avg_pool2d" => pool(op, 2, "AveragePool"),
        "avg_pool3d" => pool(op, 3, "AveragePool"),
        "adaptive_avg_pool1d" => adaptive(op, 1, false),
        "adaptive_avg_pool2d" | "_adaptive_avg_pool2d" => adaptive(op, 2, false),
        "adaptive_avg_pool3d" | "_adaptive_avg_pool3d" => adaptive(op, 3, false),
        "adaptive_max_pool1d" => adaptive(op, 1, true),
        "adaptive_max_pool2d" => adaptive(op, 2, true),
        "adaptive_max_pool3d" => adaptive(op, 3, true),
        "upsample_nearest1d"
        | "upsample_nearest2d"
        | "upsample_nearest3d"
        | "_upsample_nearest_exact1d"
        | "_upsample_nearest_exact2d"
        | "_upsample_nearest_exact3d" => return resize(op, "nearest"),
        "upsample_linear1d"
        | "upsample_bilinear2d"
        | "upsample_trilinear3d"
        | "_upsample_bilinear2d_aa" => return resize(op, "linear"),
        "upsample_bicubic2d" | "_upsample_bicubic2d_aa" => return resize(op, "cubic"),
        "grid_sampler" | "grid_sampler_2d" | "grid_sampler_3d" => {
            let mode = match op.int_or("interpolation_mode", 0) {
                1 => "nearest",
                2 => "cubic",
                _ => "linear",
            };
            op.take(&["input", "grid"]);
            op.call.is("GridSample").text("mode", mode);
        }
        _ => {}
    }
    Ok(())
}

fn pool(op: &mut Op<'_, '_, '_>, axes: usize, name: &'static str) {
    if op.rank("self") != Some(axes + 2) {
        return;
    }
    let Some(kernel) = op.spatial("kernel_size", axes, 1) else { return };
    // Windows follow each other where no step is given.
    let stride = match op.ints("stride") {
        Some(stride) if !stride.is_empty() => op.spatial("stride", axes, 1),
        _ => Some(kernel.clone()),
    };
    let padding = op.spatial("padding", axes, 0);
    let dilation = op.spatial("dilation", axes, 1);
    let (Some(stride), Some(padding), Some(dilation)) = (stride, padding, dilation) else { return };
    let pads = [padding.as_slice(), padding.as_slice()].concat();
    let ceil = i64::from(op.flag("ceil_mode"));
    op.call.inputs.truncate(1);
    let call = op.call.is(name).ints("kernel_shape", &kernel).ints("strides", &stride);
    call.ints("pads", &pads).int("ceil_mode", ceil);
    if name == "MaxPool" {
        call.ints("dilations", &dilation);
    } else {
        let counts = i64::from(op.int("count_include_pad") != Some(0));
        op.call.int("count_include_pad", counts);
    }
}

/// Pooling to a given size: over everything, over windows of one size, or of several.
fn adaptive(op: &mut Op<'_, '_, '_>, axes: usize, is_max: bool) {
    let (Some(from), Some(to)) = (op.dims("self"), op.output_dims()) else { return };
    if from.len() != axes + 2 || to.len() != axes + 2 {
        return;
    }
    op.call.inputs.truncate(1);
    op.keep_outputs(1);
    let spatial = || from.iter().zip(&to).skip(2);
    if spatial().all(|(_, to)| *to == Some(1)) {
        op.call.is(if is_max { "GlobalMaxPool" } else { "GlobalAveragePool" });
        return;
    }
    let kernel: Option<Vec<i64>> = spatial()
        .map(|(from, to)| {
            let (from, to) = ((*from)?, (*to).filter(|to| *to > 0)?);
            (from % to == 0).then_some(from / to)
        })
        .collect();
    match kernel {
        Some(kernel) => {
            let call = op.call.is(if is_max { "MaxPool" } else { "AveragePool" });
            call.ints("kernel_shape", &kernel).ints("strides", &kernel);
        }
        None => _ = op.call.is_of(ATEN, "adaptive_pool"),
    }
}

/// A change of size, to the size that the output has.
fn resize(op: &mut Op<'_, '_, '_>, mode: &'static str) -> Mapped {
    let Some(to) = op.output_dims() else { return Ok(()) };
    let spatial: Option<Vec<i64>> = to.iter().skip(2).copied().collect();
    let axes: Vec<i64> = (2..).take(to.len().saturating_sub(2)).collect();
    op.call.inputs.truncate(1);
    let Some(spatial) = spatial else {
        op.call.is_of(ATEN, "resize");
        return Ok(());
    };
    let none = op.assembly.none();
    let sizes = op.integers("sizes", &spatial)?;
    op.call.inputs.extend([none, none, sizes]);
    op.call.is("Resize").text("mode", mode).ints("axes", &axes);
    Ok(())
}
