//! Pools, normalizations and reductions.

use calipers_ir::assembly::{Assembly, Call};

use super::products::window;
use super::{Found, arrange, own};
use crate::openvino::document::Layer;
use crate::openvino::graph::Site;

/// Reductions: their axes are an input in both.
const REDUCTIONS: &[(&str, &str)] = &[
    ("ReduceL1", "ReduceL1"),
    ("ReduceL2", "ReduceL2"),
    // The least of truth values is whether all are true.
    ("ReduceLogicalAnd", "ReduceMin"),
    ("ReduceLogicalOr", "ReduceMax"),
    ("ReduceMax", "ReduceMax"),
    ("ReduceMean", "ReduceMean"),
    ("ReduceMin", "ReduceMin"),
    ("ReduceProd", "ReduceProd"),
    ("ReduceSum", "ReduceSum"),
];

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let kind = layer.kind.as_str();
    if let Some((_, op)) = REDUCTIONS.iter().find(|(written, _)| *written == kind) {
        let keeps = layer.flag("keep_dims").unwrap_or(false);
        call.is(op).int("keepdims", i64::from(keeps)).int("noop_with_empty_axes", 1);
        return Ok(true);
    }
    let empty = assembly.none();
    match kind {
        "AvgPool" => {
            let excluded = layer.flag("exclude-pad").or_else(|| layer.flag("exclude_pad"));
            let counted = i64::from(!excluded.unwrap_or(false));
            pool(layer, call.is("AveragePool").int("count_include_pad", counted));
        }
        "MaxPool" => pool(layer, call.is("MaxPool")),
        "AdaptiveAvgPool" => own(call, "AdaptiveAvgPool"),
        "AdaptiveMaxPool" => own(call, "AdaptiveMaxPool"),
        "BatchNormInference" => {
            call.is("BatchNormalization").float("epsilon", epsilon(layer));
            // The first version has the data behind scale and shift.
            if layer.opset().is_some_and(|opset| opset < 5) {
                arrange(call, &[Some(2), Some(0), Some(1), Some(3), Some(4)], empty);
            }
        }
        "GroupNormalization" => {
            call.is("GroupNormalization").float("epsilon", epsilon(layer));
            call.int("num_groups", layer.int("num_groups").unwrap_or(1));
        }
        "LRN" => {
            call.is("LRN").int("size", layer.int("size").unwrap_or(1));
        }
        "MVN" => {
            call.is("MeanVarianceNormalization");
            if let Some(axes) = site.integers(1) {
                call.ints("axes", axes);
            }
        }
        "GRN" => own(call, "GRN"),
        "NormalizeL2" => own(call, "NormalizeL2"),
        _ => return Ok(false),
    }
    Ok(true)
}

fn pool(layer: &Layer, call: &mut Call) {
    if let Some(kernel) = layer.ints("kernel") {
        call.ints("kernel_shape", &kernel);
    }
    let rounding = layer.text("rounding_type").unwrap_or("floor");
    call.int("ceil_mode", i64::from(rounding.starts_with("ceil")));
    window(layer, call);
}

fn epsilon(layer: &Layer) -> f32 {
    layer.float("epsilon").or_else(|| layer.float("eps")).unwrap_or(1e-5)
}
