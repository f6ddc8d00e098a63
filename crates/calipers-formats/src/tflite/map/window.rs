//! Convolutions, pooling and matrix products.

use calipers_ir::assembly::Call;

use super::super::operand::Op;
use super::{FRAMEWORKS, MICROSOFT, Mapped, activation, with_activation};

/// Kernels with the output channels first: `[O, H, W, I]`.
const OUTPUT_FIRST: &[u8] = &[0, 3, 1, 2];
/// Kernels with the output channels last: `[1, H, W, O]`; of a transposed convolution, `[O, H, W, I]`
/// where its row has `[I, O, H, W]`.
const OUTPUT_LAST: &[u8] = &[3, 0, 1, 2];
/// Kernels in space and time: `[D, H, W, I, O]`.
const VOLUME: &[u8] = &[4, 3, 0, 1, 2];

/// Maps an operator that slides a window, or multiplies matrices.
pub(super) fn map(op: &Op<'_, '_>, call: &mut Call) -> Mapped {
    match op.name {
        "CONV_2D" => {
            spatial(op, call, [2, 1], Some([5, 4]))?;
            call.input_order(1, OUTPUT_FIRST);
            let channels = op.dim(0, 3).zip(op.dim(1, 3));
            group(call, channels);
            convolution(op, call, 3)
        }
        "DEPTHWISE_CONV_2D" => {
            spatial(op, call, [2, 1], Some([6, 5]))?;
            call.input_order(1, OUTPUT_LAST);
            let channels = op.dim(0, 3).filter(|channels| *channels > 0);
            let factor = op.int(3, 0)?.max(1);
            let kernels = op.dim(1, 3).and_then(|kernels| kernels.checked_div(factor));
            call.int("group", channels.or(kernels).unwrap_or(1).max(1));
            convolution(op, call, 4)
        }
        "CONV_3D" => {
            volume(op, call, 5)?;
            call.ints("dilations", &[op.int(5, 1)?, op.int(7, 1)?, op.int(6, 1)?]);
            group(call, op.dim(0, 4).zip(op.dim(1, 3)));
            convolution(op, call, 4)
        }
        "TRANSPOSE_CONV" => {
            transposed(op, call, 4);
            call.input_order(1, OUTPUT_LAST);
            call.channels_last(4).text("auto_pad", padding(op.i8(0, 0)?));
            call.ints("strides", &[op.int(2, 0)?, op.int(1, 0)?]);
            with_activation(op, call, 3)
        }
        "CONV_3D_TRANSPOSE" => {
            transposed(op, call, 5);
            volume(op, call, 5)?;
            with_activation(op, call, 4)
        }
        "AVERAGE_POOL_2D" | "MAX_POOL_2D" => {
            spatial(op, call, [2, 1], None)?;
            call.ints("kernel_shape", &[op.int(4, 0)?, op.int(3, 0)?]);
            call.is(if op.name == "MAX_POOL_2D" { "MaxPool" } else { "AveragePool" });
            with_activation(op, call, 5)
        }
        "FULLY_CONNECTED" => {
            call.is_of(FRAMEWORKS, "Linear").input_order(1, &[1, 0]);
            let is_matrix = op.rank(0) == 2 && op.dim(0, 1) == op.dim(1, 1);
            if !op.flag(2)? && !is_matrix {
                call.int("flatten", 1);
            }
            with_activation(op, call, 0)
        }
        "BATCH_MATMUL" => {
            match (op.flag(0)?, op.flag(1)?) {
                (false, false) => _ = call.is("MatMul"),
                (x, y) => {
                    call.is_of(MICROSOFT, "FusedMatMul");
                    call.int("transA", i64::from(x)).int("transB", i64::from(y));
                }
            }
            Ok(())
        }
        "LOCAL_RESPONSE_NORMALIZATION" => {
            let size = op.int(0, 0)?.saturating_mul(2).saturating_add(1);
            // The row divides the factor by the size of the window.
            let whole = i16::try_from(size).map_or(f32::MAX, f32::from);
            call.is("LRN").channels_last(4).int("size", size);
            call.float("bias", op.f32(1, 0.0)?).float("alpha", op.f32(2, 0.0)? * whole);
            call.float("beta", op.f32(3, 0.0)?);
            Ok(())
        }
        _ => {
            call.is("LpNormalization").int("axis", -1).int("p", 2);
            with_activation(op, call, 0)
        }
    }
}

/// Operators of MediaPipe that are those of TensorFlow Lite with something added.
pub(super) fn custom(op: &Op<'_, '_>, call: &mut Call) -> Mapped {
    // The options are three numbers of 32 bits: the padding, and the strides along width and height.
    let ([padding, width, height, ..], _) = op.custom_options.as_chunks::<4>() else {
        return Ok(());
    };
    let [padding, width, height] = [padding, width, height].map(|it| i32::from_le_bytes(*it));
    let padding = match padding {
        1 => "SAME_UPPER",
        2 => "VALID",
        _ => return Ok(()),
    };
    if op.name == "Convolution2DTransposeBias" {
        call.is("ConvTranspose").channels_last(4).input_order(1, OUTPUT_LAST);
        call.ints("strides", &[i64::from(height), i64::from(width)]).text("auto_pad", padding);
    }
    Ok(())
}

fn padding(number: i8) -> &'static str {
    if number == 0 { "SAME_UPPER" } else { "VALID" }
}

/// The order of dimensions, the padding and the strides of an operator on images. `strides` and
/// `dilations` are the fields of the height and the width.
fn spatial(
    op: &Op<'_, '_>,
    call: &mut Call,
    strides: [u16; 2],
    dilations: Option<[u16; 2]>,
) -> Mapped {
    call.channels_last(4).text("auto_pad", padding(op.i8(0, 0)?));
    call.ints("strides", &[op.int(strides[0], 0)?, op.int(strides[1], 0)?]);
    if let Some([height, width]) = dilations {
        call.ints("dilations", &[op.int(height, 1)?, op.int(width, 1)?]);
    }
    Ok(())
}

fn volume(op: &Op<'_, '_>, call: &mut Call, rank: u8) -> Mapped {
    call.channels_last(rank).input_order(1, VOLUME).text("auto_pad", padding(op.i8(0, 0)?));
    call.ints("strides", &[op.int(1, 0)?, op.int(3, 0)?, op.int(2, 0)?]);
    Ok(())
}

/// The groups of a convolution: a kernel has the channels of one.
fn group(call: &mut Call, channels: Option<(i64, i64)>) {
    if let Some((all, each)) = channels
        && each > 0
        && all > each
        && all % each == 0
    {
        call.int("group", all / each);
    }
}

/// A convolution with what is fused behind it.
fn convolution(op: &Op<'_, '_>, call: &mut Call, field: u16) -> Mapped {
    let number = op.i8(field, 0)?;
    let (name, limits) = match activation(number) {
        None => {
            call.is("Conv");
            return Ok(());
        }
        Some("Relu6") => ("Clip", Some([0.0, 6.0])),
        Some("ReluN1To1") => ("Clip", Some([-1.0, 1.0])),
        Some(name) => (name, None),
    };
    call.is_of(MICROSOFT, "FusedConv").text("activation", name);
    if let Some(limits) = limits {
        call.with("activation_params", calipers_ir::assembly::Setting::Floats(limits.to_vec()));
    }
    Ok(())
}

/// A transposed convolution: the file has the output's shape first.
fn transposed(op: &Op<'_, '_>, call: &mut Call, rank: usize) {
    call.is("ConvTranspose");
    if let Some(shape) = op.integers(0).filter(|shape| shape.len() == rank) {
        call.ints("output_shape", shape.get(1..rank - 1).unwrap_or_default());
    }
    let mut inputs = call.inputs.iter().copied();
    let (shape, kernel, data) = (inputs.next(), inputs.next(), inputs.next());
    let (Some(shape), Some(kernel), Some(data)) = (shape, kernel, data) else {
        call.op = "";
        return;
    };
    let bias = inputs.next();
    call.inputs = vec![data, kernel];
    // The shape stays in the graph behind what the row asks for, where a bias is given.
    call.inputs.extend(bias.into_iter().flat_map(|bias| [bias, shape]));
}
