//! Resizing of images, and regions in them.

use calipers_ir::assembly::{Assembly, Call};

use super::{Found, arrange, own};
use crate::openvino::graph::Site;

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let empty = assembly.none();
    match layer.kind.as_str() {
        "Interpolate" => interpolate(site, call, empty),
        "ROIAlign" => {
            call.is("RoiAlign");
            for (name, key) in [
                ("output_height", "pooled_h"),
                ("output_width", "pooled_w"),
                ("sampling_ratio", "sampling_ratio"),
            ] {
                call.int(name, layer.int(key).unwrap_or(1));
            }
        }
        "ROIPooling" if layer.text("method").is_none_or(|method| method == "max") => {
            let size = layer
                .ints("output_roi")
                .or_else(|| layer.ints("output_size"))
                .or_else(|| Some(vec![layer.int("pooled_h")?, layer.int("pooled_w")?]));
            if let Some(size) = size {
                call.is("MaxRoiPool").ints("pooled_shape", &size);
            }
        }
        "GridSample" => {
            call.is("GridSample");
            let mode = match layer.text("mode") {
                Some("nearest") => "nearest",
                Some("bicubic") => "cubic",
                _ => "linear",
            };
            call.text("mode", mode);
        }
        "PriorBox" | "PriorBoxClustered" => own(call, "PriorBox"),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The first version has the axes in an attribute and sizes as its second input; the fourth has
/// sizes, scales and axes as inputs; the eleventh has sizes or scales, and axes.
fn interpolate(site: Site<'_>, call: &mut Call, empty: calipers_ir::NameId) {
    let layer = site.layer;
    let mode = match layer.text("mode").unwrap_or("nearest") {
        "linear" | "linear_onnx" | "bilinear_pillow" => "linear",
        "cubic" | "bicubic_pillow" => "cubic",
        "nearest" => "nearest",
        _ => return,
    };
    let by_scales = layer.text("shape_calculation_mode") == Some("scales");
    let (sizes, scales, axes) = match layer.opset() {
        Some(11..) => (Some(1).filter(|_| !by_scales), Some(1).filter(|_| by_scales), Some(2)),
        Some(4..) => (Some(1).filter(|_| !by_scales), Some(2).filter(|_| by_scales), Some(3)),
        _ => (Some(1), None, None),
    };
    let pads = ["pads_begin", "pads_end"].iter().filter_map(|key| layer.ints(key));
    if pads.flatten().any(|pad| pad != 0) {
        return;
    }
    let has_axes = axes.is_some_and(|axes| axes < layer.inputs.len());
    let stated = match axes.filter(|_| has_axes) {
        Some(axes) => site.integers(axes).map(<[i64]>::to_vec),
        None => layer.ints("axes"),
    };
    if stated.is_none() && has_axes {
        // Without its axes, only the shape that the file states says what is resized.
        own(call, "Interpolate");
        call.text("mode", mode);
        return;
    }
    call.is("Resize").text("mode", mode);
    if let Some(axes) = stated.filter(|axes| !axes.is_empty()) {
        call.ints("axes", &axes);
    }
    if layer.flag("antialias").unwrap_or(false) {
        call.int("antialias", 1);
    }
    let order: Vec<Option<usize>> = vec![Some(0), None, scales, sizes, axes];
    arrange(call, &order, empty);
}
