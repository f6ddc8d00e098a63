//! Windows over images: convolutions, pooling, normalization of channels, and other sizes.

use super::{Mapped, Op, Stop, need};
use crate::tensorflow::operand::Operand;

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.node.op {
        "Conv2D" => convolution(op, 4),
        "Conv3D" => convolution(op, 5),
        "_FusedConv2D" => fused(op),
        "DepthwiseConv2dNative" => depthwise(op),
        "Conv2DBackpropInput" => transposed(op, 4),
        "Conv3DBackpropInputV2" => transposed(op, 5),
        "AvgPool" | "AvgPool3D" => {
            op.call.is("AveragePool");
            pool(op)
        }
        "MaxPool" | "MaxPool3D" | "MaxPoolWithArgmax" => {
            op.call.is("MaxPool");
            pool(op)
        }
        "FusedBatchNorm" | "FusedBatchNormV2" | "FusedBatchNormV3" => batch_norm(op),
        "LRN" => {
            let (radius, bias) = (op.node.int("depth_radius"), op.node.float("bias"));
            let (alpha, beta) = (op.node.float("alpha"), op.node.float("beta"));
            let size = radius.unwrap_or(5).saturating_mul(2).saturating_add(1);
            op.call.is("LRN").int("size", size).channels_last(4);
            op.call.float("bias", bias.unwrap_or(1.0));
            op.call.float("alpha", alpha.unwrap_or(1.0)).float("beta", beta.unwrap_or(0.5));
            op.shaped_like(0);
            Ok(())
        }
        "ResizeBilinear" => resize(op, "linear"),
        "ResizeNearestNeighbor" => resize(op, "nearest"),
        "ResizeBicubic" => resize(op, "cubic"),
        _ => Err(Stop::Unmapped),
    }
}

/// The part of a list with one element per dimension that belongs to space.
fn spatial(op: &Op<'_, '_, '_>, list: &[i64], rank: usize) -> Option<Vec<i64>> {
    let from = if op.is_channels_last() { 1 } else { 2 };
    let to = from + rank.checked_sub(2)?;
    Some(list.get(from..to)?.to_vec())
}

/// Strides, dilations and padding. `padded` is the attribute that holds explicit padding.
fn window(op: &mut Op<'_, '_, '_>, rank: usize, padded: &str) -> Mapped {
    let strides = need(spatial(op, &op.node.ints("strides"), rank))?;
    op.call.ints("strides", &strides);
    if let Some(dilations) = spatial(op, &op.node.ints("dilations"), rank) {
        op.call.ints("dilations", &dilations);
    }
    match op.node.text("padding") {
        Some("SAME") => _ = op.call.text("auto_pad", "SAME_UPPER"),
        Some("VALID") => _ = op.call.text("auto_pad", "VALID"),
        Some("EXPLICIT") => {
            // Before and after each dimension in turn; ONNX has all befores first.
            let pairs = op.node.ints(padded);
            let (pairs, _) = pairs.as_chunks::<2>();
            let of = |side: usize| {
                let all: Vec<i64> = pairs.iter().map(|pair| pair[side]).collect();
                spatial(op, &all, rank)
            };
            let pads = [need(of(0))?, need(of(1))?].concat();
            op.call.ints("pads", &pads);
        }
        _ => return Err(Stop::Unmapped),
    }
    Ok(())
}

/// The dimension of an operand's channels.
fn channels(op: &Op<'_, '_, '_>, input: &Operand) -> Option<i64> {
    input.dim(if op.is_channels_last() { -1 } else { 1 })
}

/// Kernels have the output channels last, and the input channels before them.
fn convolution(op: &mut Op<'_, '_, '_>, rank: u8) -> Mapped {
    op.call.is("Conv");
    window(op, usize::from(rank), "explicit_paddings")?;
    if op.is_channels_last() {
        op.call.channels_last(rank);
    }
    let kernel: Vec<u8> = [rank - 1, rank - 2].into_iter().chain(0..rank - 2).collect();
    op.call.input_order(1, &kernel);
    // A kernel with fewer channels than the image is one of several groups.
    let (image, kernel) = (op.input(0)?, op.input(1)?);
    let each = kernel.dim(-2).filter(|each| *each > 0);
    let group = channels(op, image).zip(each).map(|(all, each)| (all / each, all % each));
    let made = kernel.dim(-1).unwrap_or(-1);
    if let Some((group, 0)) = group.filter(|(group, _)| *group > 1) {
        op.call.int("group", group);
    }
    op.produces(Some(image_of(op, rank, made)));
    Ok(())
}

/// An image whose channels alone are known.
fn image_of(op: &Op<'_, '_, '_>, rank: u8, channels: i64) -> Vec<i64> {
    let mut dims = vec![-1; usize::from(rank)];
    let place = if op.is_channels_last() { usize::from(rank) - 1 } else { 1 };
    if let Some(dim) = dims.get_mut(place) {
        *dim = channels;
    }
    dims
}

/// A convolution that the optimizer of TensorFlow fused with what follows it.
fn fused(op: &mut Op<'_, '_, '_>) -> Mapped {
    let after = op.node.texts("fused_ops");
    let activation = match after.as_slice() {
        ["BiasAdd"] => None,
        ["BiasAdd", activation] => Some(*activation),
        _ => return Err(Stop::Unmapped),
    };
    convolution(op, 4)?;
    op.call.is_of("com.microsoft", "FusedConv");
    match activation {
        None => _ = op.call.is_of("", "Conv"),
        Some("Relu6") => {
            let bounds = calipers_ir::assembly::Setting::Floats(vec![0.0, 6.0]);
            op.call.text("activation", "Clip").with("activation_params", bounds);
        }
        Some(name @ ("Relu" | "Sigmoid" | "Tanh" | "LeakyRelu")) => {
            op.call.text("activation", name);
        }
        Some(_) => return Err(Stop::Unmapped),
    }
    op.keep(3);
    Ok(())
}

/// Kernels have their place, the input channel, and how many they make of each.
fn depthwise(op: &mut Op<'_, '_, '_>) -> Mapped {
    window(op, 4, "explicit_paddings")?;
    if op.is_channels_last() {
        op.call.channels_last(4);
    }
    let kernel = op.input(1)?;
    let (each, makes) = (kernel.dim(2), kernel.dim(3));
    let made = each.zip(makes).and_then(|(each, makes)| each.checked_mul(makes));
    if let (Some(group), Some(1)) = (each, makes) {
        op.call.is("Conv").int("group", group).input_order(1, &[2, 3, 0, 1]);
    } else {
        op.tensorflow("DepthwiseConv2dNative");
    }
    op.produces(Some(image_of(op, 4, made.unwrap_or(-1))));
    Ok(())
}

/// Inputs are the size of the result, the kernel, and what is spread.
fn transposed(op: &mut Op<'_, '_, '_>, rank: u8) -> Mapped {
    let count = usize::from(rank);
    op.call.is("ConvTranspose");
    window(op, count, "explicit_paddings")?;
    op.call.inputs = vec![op.name(2)?, op.name(1)?];
    if op.is_channels_last() {
        op.call.channels_last(rank);
    }
    let kernel: Vec<u8> = [rank - 1, rank - 2].into_iter().chain(0..rank - 2).collect();
    op.call.input_order(1, &kernel);
    let stated = op.output_dims.first().copied().flatten();
    let dims = op.input(0)?.integers().or(stated).filter(|dims| dims.len() == count);
    let sizes = dims.and_then(|dims| spatial(op, dims, count));
    if let Some(sizes) = sizes.filter(|sizes| sizes.iter().all(|size| *size > 0)) {
        op.call.ints("output_shape", &sizes);
    }
    let made = op.input(1)?.dim(-2).unwrap_or(-1);
    op.produces(Some(image_of(op, rank, made)));
    Ok(())
}

fn pool(op: &mut Op<'_, '_, '_>) -> Mapped {
    let rank = if op.node.op.ends_with("3D") { 5 } else { 4 };
    let kernel = need(spatial(op, &op.node.ints("ksize"), usize::from(rank)))?;
    op.call.ints("kernel_shape", &kernel);
    window(op, usize::from(rank), "explicit_paddings")?;
    if op.is_channels_last() {
        op.call.channels_last(rank);
    }
    if op.node.op == "MaxPoolWithArgmax" {
        op.call.output_order(1, &[0, 3, 1, 2]);
    }
    let channels = op.input(0).ok().and_then(|image| channels(op, image));
    op.produces(Some(image_of(op, rank, channels.unwrap_or(-1))));
    Ok(())
}

/// Image, scale, offset, mean, variance.
fn batch_norm(op: &mut Op<'_, '_, '_>) -> Mapped {
    let epsilon = op.node.float("epsilon").unwrap_or(1e-4);
    op.call.is("BatchNormalization").float("epsilon", epsilon);
    if op.is_channels_last() {
        let rank = op.rank(4);
        op.call.channels_last(rank);
    }
    // In training, mean and variance are those of the batch, and these inputs are empty.
    let is_training = !matches!(
        op.node.attribute("is_training"),
        Some(crate::tensorflow::node::Attr::Bool(false))
    );
    if is_training {
        let (image, scale, offset) = (op.name(0)?, op.name(1)?, op.name(2)?);
        op.call.inputs = vec![image, scale, offset, scale, offset];
    }
    op.shaped_like(0);
    Ok(())
}

/// An image and its new size, of two dimensions.
fn resize(op: &mut Op<'_, '_, '_>, mode: &str) -> Mapped {
    let (image, size, none) = (op.name(0)?, op.name(1)?, op.assembly.none());
    let transform = match (op.node.bool("align_corners"), op.node.bool("half_pixel_centers")) {
        (true, _) => "align_corners",
        (_, true) => "half_pixel",
        _ => "asymmetric",
    };
    op.call.is("Resize").text("mode", mode).ints("axes", &[2, 3]).channels_last(4);
    op.call.text("coordinate_transformation_mode", transform);
    op.call.inputs = vec![image, none, none, size];
    let channels = op.input(0)?.dim(-1).unwrap_or(-1);
    op.produces(Some(vec![-1, -1, -1, channels]));
    Ok(())
}
