//! Operators that look up, choose and place elements by index.

use calipers_ir::assembly::{Assembly, Call};

use super::movement::{batch_dims, gather_axis};
use super::{Found, arrange, own, shared};
use crate::openvino::graph::Site;

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let empty = assembly.none();
    match layer.kind.as_str() {
        "Gather" => match (gather_axis(site), batch_dims(layer)) {
            (Some(axis), 0) => {
                call.is("Gather").int("axis", axis);
            }
            (Some(axis), batch) => {
                shared(call, "GatherBatch");
                call.int("batch_dims", batch).int("axis", axis);
            }
            (None, _) => own(call, "Gather"),
        },
        "GatherElements" => {
            call.is("GatherElements").int("axis", layer.int("axis").unwrap_or(0));
        }
        // The first version joins the batch dimensions of its result.
        "GatherND" if layer.opset() != Some(5) || layer.int("batch_dims").unwrap_or(0) < 2 => {
            call.is("GatherND").int("batch_dims", layer.int("batch_dims").unwrap_or(0));
        }
        "ScatterUpdate" => own(call, "ScatterUpdate"),
        "ScatterElementsUpdate" => {
            if let Some(axis) = site.integer(3) {
                call.is("ScatterElements").int("axis", axis);
            } else {
                // Its result has the shape of the data, whatever the axis is.
                own(call, "ScatterUpdate");
            }
        }
        "ScatterNDUpdate" => {
            call.is("ScatterND");
        }
        "TopK" => {
            let largest = layer.text("mode").is_none_or(|mode| mode == "max");
            let sorted = layer.text("sort").is_none_or(|sort| sort != "none");
            call.is("TopK").int("axis", layer.int("axis").unwrap_or(-1));
            call.int("largest", i64::from(largest)).int("sorted", i64::from(sorted));
        }
        "NonMaxSuppression" => {
            let corners = layer.text("box_encoding").is_none_or(|encoding| encoding == "corner");
            call.is("NonMaxSuppression").int("center_point_box", i64::from(!corners));
        }
        "Bucketize" => own(call, "Bucketize"),
        "GatherTree" => own(call, "GatherTree"),
        "SliceScatter" => own(call, "SliceScatter"),
        "CumSum" => {
            call.is("CumSum");
            for key in ["exclusive", "reverse"] {
                call.int(key, i64::from(layer.flag(key).unwrap_or(false)));
            }
        }
        "OneHot" => {
            // The two values are inputs of their own; the row takes the type from the first.
            call.is("OneHot").int("axis", layer.int("axis").unwrap_or(-1));
        }
        "NonZero" => {
            call.is("NonZero");
        }
        "EmbeddingBagOffsets" | "EmbeddingBagOffsetsSum" => own(call, "EmbeddingBagOffsets"),
        "EmbeddingBagPacked" | "EmbeddingBagPackedSum" => own(call, "EmbeddingBagPacked"),
        "EmbeddingSegmentsSum" => own(call, "EmbeddingSegmentsSum"),
        "Unique" if layer.inputs.len() == 1 => {
            call.is("Unique");
        }
        "Col2Im" => {
            call.is("Col2Im");
            super::products::window(layer, call);
        }
        "DFT" | "IDFT" => fourier(site, call, empty),
        "STFT" if layer.rank(0) == 2 => {
            call.is("STFT");
            if layer.flag("transpose_frames").unwrap_or(false) {
                call.output_order(0, &[0, 2, 1, 3]);
            }
            // Here: signal, window, length of a frame, step.
            arrange(call, &[Some(0), Some(3), Some(1), Some(2)], empty);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The row transforms along one axis. Axes counted from the back leave out the last dimension, of
/// real and imaginary parts.
fn fourier(site: Site<'_>, call: &mut Call, empty: calipers_ir::NameId) {
    if site.integer(1).is_some_and(|axis| axis >= 0) {
        call.is("DFT").int("inverse", i64::from(site.layer.kind == "IDFT"));
        arrange(call, &[Some(0), Some(2), Some(1)], empty);
    }
}
