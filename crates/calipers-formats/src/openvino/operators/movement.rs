//! Operators that move, cut and join elements.

use calipers_ir::assembly::{Assembly, Call};

use super::{Found, arrange, from_front, own, shared};
use crate::openvino::document::Layer;
use crate::openvino::graph::Site;

/// Largest number of dimensions whose order is stated.
const MAX_RANK: usize = 64;

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let empty = assembly.none();
    match layer.kind.as_str() {
        "Reshape" => {
            let copies = layer.flag("special_zero").unwrap_or(false);
            call.is("Reshape").int("allowzero", i64::from(!copies));
            if site.integers(1).is_none()
                && let Some(shape) = stated_shape(layer)
            {
                let shape = assembly.integers("shape", &shape)?;
                // The constant of the file stays an input, behind those of the row.
                call.inputs.insert(1, shape);
            }
        }
        "Squeeze" => {
            call.is("Squeeze");
        }
        "Unsqueeze" => {
            call.is("Unsqueeze");
        }
        "Transpose" => match order(site) {
            Some(order) => {
                call.is("Transpose").ints("perm", &order);
            }
            None => {
                own(call, "Transpose");
                if let Some(places) = places_of_sizes(layer) {
                    call.ints("sizes", &places);
                }
            }
        },
        "Concat" => {
            call.is("Concat").int("axis", layer.int("axis").unwrap_or(0));
        }
        "Split" | "VariadicSplit" => split(site, call, empty),
        "StridedSlice" => {
            shared(call, "StridedSlice");
            for key in
                ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]
            {
                call.int(key, mask(layer, key));
            }
        }
        "Slice" => {
            call.is("Slice");
            arrange(call, &[Some(0), Some(1), Some(2), Some(4), Some(3)], empty);
        }
        "Pad" => pad(site, call),
        "ShapeOf" => {
            call.is("Shape");
        }
        "Broadcast" => match layer.text("mode").unwrap_or("numpy") {
            "bidirectional" => {
                call.is("Expand");
            }
            "numpy" => shared(call, "BroadcastTo"),
            "explicit" => own(call, "Broadcast"),
            _ => {}
        },
        "Tile" => {
            call.is("Tile");
        }
        "Range" => {
            call.is("Range");
        }
        "DepthToSpace" | "SpaceToDepth" if layer.rank(0) == 4 => {
            let first = layer.text("mode").is_none_or(|mode| mode == "blocks_first");
            let is_to_space = layer.kind == "DepthToSpace";
            call.is(if is_to_space { "DepthToSpace" } else { "SpaceToDepth" });
            call.int("blocksize", layer.int("block_size").unwrap_or(1));
            if is_to_space {
                call.text("mode", if first { "DCR" } else { "CRD" });
            }
        }
        "ShuffleChannels" => own(call, "ShuffleChannels"),
        "Roll" => own(call, "Roll"),
        "ReorgYolo" => own(call, "ReorgYolo"),
        "ExtractImagePatches" => own(call, "ExtractImagePatches"),
        "ReverseSequence" => {
            call.is("ReverseSequence").int("time_axis", layer.int("seq_axis").unwrap_or(1));
            call.int("batch_axis", layer.int("batch_axis").unwrap_or(0));
        }
        "BatchToSpace" => own(call, "BatchToSpace"),
        "SpaceToBatch" => own(call, "SpaceToBatch"),
        // A first run reads what the state starts with.
        "ReadValue" if !layer.inputs.is_empty() => {
            call.is("Identity");
        }
        "ReadValue" => own(call, "ReadValue"),
        "Assign" => {
            call.is("Identity");
        }
        "Eye" => own(call, "Eye"),
        "RandomUniform" => own(call, "RandomUniform"),
        _ => return Ok(false),
    }
    Ok(true)
}

/// The order of dimensions after a `Transpose`: its second input, or what the shapes that the file
/// states allow.
fn order(site: Site<'_>) -> Option<Vec<i64>> {
    let layer = site.layer;
    let rank = layer.rank(0).max(layer.output_dims(0).len());
    if rank > MAX_RANK {
        return None;
    }
    if let Some(order) = site.integers(1) {
        if !order.is_empty() {
            return Some(order.to_vec());
        }
        return (0..i64::try_from(rank).ok()?).rev().map(Some).collect();
    }
    let (from, to) = (layer.dims(0), layer.output_dims(0));
    if from.is_empty() || from.len() != to.len() {
        return None;
    }
    let place_of = |size: &Option<i64>| {
        // Of two equal sizes, either may have become this one.
        let mut places = from.iter().enumerate().filter(|(_, other)| *other == size);
        let (place, _) = places.next()?;
        places.next().is_none().then(|| i64::try_from(place).ok())?
    };
    to.iter().map(place_of).collect()
}

/// For each dimension of the output, one of the input that has its size; each is taken once.
fn places_of_sizes(layer: &Layer) -> Option<Vec<i64>> {
    let (from, to) = (layer.dims(0), layer.output_dims(0));
    let mut left: Vec<usize> = (0..from.len()).collect();
    let mut places = Vec::with_capacity(to.len());
    for size in to {
        let place = left.iter().position(|axis| from.get(*axis) == Some(size))?;
        places.push(i64::try_from(left.remove(place)).ok()?);
    }
    Some(places)
}

/// The axis is an input here, and an attribute in ONNX.
fn split(site: Site<'_>, call: &mut Call, empty: calipers_ir::NameId) {
    let layer = site.layer;
    let Some(axis) = site.integer(1).or_else(|| split_axis(layer)) else {
        return own(call, "Split");
    };
    call.is("Split").int("axis", axis);
    if layer.kind == "VariadicSplit" {
        arrange(call, &[Some(0), Some(2), Some(1)], empty);
    } else {
        let parts = i64::try_from(layer.outputs.len()).unwrap_or(i64::MAX);
        call.int("num_outputs", parts);
        arrange(call, &[Some(0), None, Some(1)], empty);
    }
}

/// The axis along which the stated shapes differ.
fn split_axis(layer: &Layer) -> Option<i64> {
    let (from, to) = (layer.dims(0), layer.output_dims(0));
    let differs = from.iter().zip(to).position(|(from, to)| from != to);
    i64::try_from(differs?).ok().filter(|_| from.len() == to.len())
}

/// Masks are lists of bits.
fn mask(layer: &Layer, key: &str) -> i64 {
    let bits = layer.ints(key).unwrap_or_default();
    let set = bits.iter().take(63).enumerate().filter(|(_, bit)| **bit != 0);
    set.fold(0, |mask, (place, _)| mask | 1_i64 << place)
}

/// What goes before and what goes after are two inputs, so the row is one of OpenVINO.
fn pad(site: Site<'_>, call: &mut Call) {
    let mode = match site.layer.text("pad_mode") {
        Some("edge") => "edge",
        Some("reflect") => "reflect",
        Some("symmetric") => "symmetric",
        _ => "constant",
    };
    own(call, "Pad");
    call.text("mode", mode);
}

/// The axis of a gather, which is an input here and an attribute in ONNX.
pub(super) fn gather_axis(site: Site<'_>) -> Option<i64> {
    if let Some(axis) = site.integer(2) {
        return Some(axis);
    }
    let layer = site.layer;
    let (table, indices, result) = (layer.dims(0), layer.dims(1), layer.output_dims(0));
    let rank = table.len();
    if rank > MAX_RANK || rank + indices.len() != result.len() + 1 {
        return None;
    }
    let fits = |axis: &usize| {
        let rest = table.get(axis + 1..).unwrap_or_default();
        let joined = table.iter().take(*axis).chain(indices).chain(rest);
        joined.eq(result)
    };
    let axis = (0..rank).find(fits)?;
    i64::try_from(axis).ok()
}

/// The number of dimensions that go together in a gather.
pub(super) fn batch_dims(layer: &Layer) -> i64 {
    let written = layer.int("batch_dims").unwrap_or(0);
    from_front(written, layer.rank(1)).and_then(|it| i64::try_from(it).ok()).unwrap_or(0)
}

/// The shape that a layer states, as `Reshape` takes it: at most one dimension is open.
fn stated_shape(layer: &Layer) -> Option<Vec<i64>> {
    let dims = layer.output_dims(0);
    let open = dims.iter().filter(|dim| dim.is_none()).count();
    let shape = dims.iter().map(|dim| dim.unwrap_or(-1)).collect();
    (!dims.is_empty() && open <= 1).then_some(shape)
}
