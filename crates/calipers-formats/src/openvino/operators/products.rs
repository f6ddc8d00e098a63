//! Convolutions, matrix products and attention.

use calipers_ir::assembly::{Assembly, Call};

use super::{Found, arrange, shared};
use crate::openvino::document::Layer;
use crate::openvino::graph::Site;

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let empty = assembly.none();
    match layer.kind.as_str() {
        "Convolution" => window(layer, call.is("Conv")),
        "GroupConvolution" => {
            call.is("Conv");
            groups(site, call);
            window(layer, call);
        }
        "ConvolutionBackpropData" => {
            call.is("ConvTranspose");
            transposed(site, call);
            // The row has a bias where the shape of the output is here.
            arrange(call, &[Some(0), Some(1), None, Some(2)], empty);
        }
        "GroupConvolutionBackpropData" => {
            call.is("ConvTranspose");
            groups(site, call);
            transposed(site, call);
            arrange(call, &[Some(0), Some(1), None, Some(2)], empty);
        }
        "DeformableConvolution" => {
            call.is("DeformConv");
            for (name, key) in [("group", "group"), ("offset_group", "deformable_group")] {
                call.int(name, layer.int(key).unwrap_or(1));
            }
            window(layer, call);
            arrange(call, &[Some(0), Some(2), Some(1), None, Some(3)], empty);
        }
        "MatMul" => product(site, call),
        "Inverse" => {
            call.is_of("com.microsoft", "Inverse");
        }
        "Einsum" => {
            call.is("Einsum").text("equation", layer.text("equation").unwrap_or_default());
        }
        "ScaledDotProductAttention" => {
            // With other numbers of dimensions there are no heads.
            if layer.rank(0) == 4 && layer.rank(1) == 4 && layer.rank(2) == 4 {
                let causal = layer.flag("causal").unwrap_or(false);
                call.is("Attention").int("is_causal", i64::from(causal));
                // The scale is behind the caches and lengths that the row has.
                let order = [Some(0), Some(1), Some(2), Some(3), None, None, None, Some(4)];
                arrange(call, &order, empty);
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Attributes of a window that slides over space.
pub(super) fn window(layer: &Layer, call: &mut Call) {
    for key in ["strides", "dilations"] {
        if let Some(values) = layer.ints(key).filter(|values| !values.is_empty()) {
            call.ints(key, &values);
        }
    }
    match layer.text("auto_pad") {
        Some("same_upper") => call.text("auto_pad", "SAME_UPPER"),
        Some("same_lower") => call.text("auto_pad", "SAME_LOWER"),
        Some("valid") => call.text("auto_pad", "VALID"),
        _ => match layer.ints("pads_begin").zip(layer.ints("pads_end")) {
            Some((before, after)) if !before.is_empty() => {
                call.ints("pads", &[before, after].concat())
            }
            _ => call,
        },
    };
}

/// The number of groups: the first dimension of the weights.
/// Kernels of groups have the group first, and then the channel: the row has both in one dimension.
fn groups(site: Site<'_>, call: &mut Call) {
    let dims = site.layer.dims(1);
    if let Some(Some(groups)) = dims.first() {
        call.int("group", *groups);
    }
    let axes: Vec<u8> = (0..u8::try_from(dims.len()).unwrap_or(0)).collect();
    if let Some((merged, others)) = axes.split_at_checked(2) {
        let places: Vec<&[u8]> = std::iter::once(merged).chain(others.chunks(1)).collect();
        call.input_groups(1, &places);
    }
}

fn transposed(site: Site<'_>, call: &mut Call) {
    let layer = site.layer;
    window(layer, call);
    if let Some(added) = layer.ints("output_padding").filter(|added| !added.is_empty()) {
        call.ints("output_padding", &added);
    }
    if layer.inputs.len() < 3 {
        return;
    }
    let stated = || {
        let sizes = layer.output_dims(0).get(2..)?;
        sizes.iter().copied().collect::<Option<Vec<i64>>>()
    };
    if let Some(sizes) = site.integers(2).map(<[i64]>::to_vec).or_else(stated) {
        call.ints("output_shape", &sizes);
    }
}

fn product(site: Site<'_>, call: &mut Call) {
    let layer = site.layer;
    // A vector has nothing to transpose.
    let turned =
        |key: &str, input: usize| layer.flag(key).unwrap_or(false) && layer.rank(input) != 1;
    let (left, right) = (turned("transpose_a", 0), turned("transpose_b", 1));
    match (left, right) {
        (false, false) => {
            call.is("MatMul");
        }
        (false, true) if site.is_constant(1) && layer.rank(1) == 2 && layer.rank(0) > 1 => {
            shared(call, "Linear");
            call.input_order(1, &[1, 0]);
        }
        _ => {
            call.is_of("com.microsoft", "FusedMatMul");
            call.int("transA", i64::from(left)).int("transB", i64::from(right));
        }
    }
}
