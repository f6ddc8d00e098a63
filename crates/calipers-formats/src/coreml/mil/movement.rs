//! Operators that move elements: shapes, slices, joins, lookups.

use super::lower::{FRAMEWORKS, OWN};
use super::scope::Scope;
use crate::error::Trace;

/// Operators with one counterpart: their arguments are its inputs, and no setting is needed.
const SAME: &[(&str, &str, &str, &[&str])] = &[
    ("reshape", "", "Reshape", &["x", "shape"]),
    ("tile", "", "Tile", &["x", "reps"]),
    ("shape", "", "Shape", &["x"]),
    ("range_1d", "", "Range", &["start", "end", "step"]),
    ("fill", FRAMEWORKS, "Fill", &["shape", "value"]),
    ("fill_like", OWN, "FillLike", &["ref_tensor", "value"]),
    ("argsort", OWN, "ArgSort", &["x"]),
    ("random_bernoulli", OWN, "Random", &["shape"]),
    ("random_normal", OWN, "Random", &["shape"]),
    ("random_uniform", OWN, "Random", &["shape"]),
    ("write_state", OWN, "WriteState", &["input", "data"]),
    ("band_part", OWN, "BandPart", &["x"]),
    ("reverse", OWN, "Reverse", &["x"]),
    ("scatter", OWN, "Scatter", &["data", "indices", "updates"]),
    ("slice_update", OWN, "SliceUpdate", &["x", "update"]),
    ("sliding_windows", OWN, "SlidingWindows", &["x"]),
    ("space_to_batch", OWN, "SpaceToBatch", &["x"]),
    ("batch_to_space", OWN, "BatchToSpace", &["x"]),
];

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let kind = scope.operation.kind.as_str();
    if let Some((_, domain, op, arguments)) = SAME.iter().find(|row| row.0 == kind) {
        scope.call.is_of(domain, op);
        scope.take(arguments)?;
        return Ok(());
    }
    match kind {
        "reshape_like" => {
            scope.take(&["x"])?.call.is_of(OWN, "ReshapeLike");
            let like = scope.values("ref_tensors")?;
            scope.call.inputs.extend(like);
            Ok(())
        }
        "flatten2d" => {
            let axis = scope.int("axis").unwrap_or(1);
            scope.take(&["x"])?.call.is("Flatten").int("axis", axis);
            Ok(())
        }
        "transpose" => {
            let Some(perm) = scope.ints("perm") else { return Ok(()) };
            let axes = perm.iter().map(|axis| scope.axis(*axis, "x"));
            let counted: Option<Vec<i64>> = axes.map(|axis| i64::try_from(axis?).ok()).collect();
            let perm = counted.unwrap_or(perm);
            scope.take(&["x"])?.call.is("Transpose").ints("perm", &perm);
            Ok(())
        }
        "expand_dims" => with_axes(scope, "Unsqueeze"),
        "squeeze" => with_axes(scope, "Squeeze"),
        "concat" => joined(scope, "", "Concat"),
        "stack" => joined(scope, FRAMEWORKS, "Stack"),
        "split" => split(scope),
        "slice_by_index" => slice_by_index(scope),
        "slice_by_size" => slice_by_size(scope),
        "gather" => gather(scope),
        "gather_along_axis" => {
            let axis = scope.int("axis").unwrap_or(0);
            scope.take(&["x", "indices"])?.call.is("GatherElements").int("axis", axis);
            Ok(())
        }
        "gather_nd" => {
            let batch = scope.int("batch_dims").unwrap_or(0);
            scope.take(&["x", "indices"])?.call.is("GatherND").int("batch_dims", batch);
            Ok(())
        }
        "scatter_along_axis" => {
            let axis = scope.int("axis").unwrap_or(0);
            scatter(scope, "ScatterElements")?;
            if scope.call.op == "ScatterElements" {
                scope.call.int("axis", axis);
            }
            Ok(())
        }
        "scatter_nd" => scatter(scope, "ScatterND"),
        "pad" => pad(scope),
        "crop" => crop(scope),
        "topk" => topk(scope),
        "one_hot" => one_hot(scope),
        "non_zero" => {
            scope.take(&["x"])?.call.is("NonZero").output_order(0, &[1, 0]);
            Ok(())
        }
        "depth_to_space" => blocks(scope, "DepthToSpace", "block_size", Some("DCR")),
        "pixel_shuffle" => blocks(scope, "DepthToSpace", "upscale_factor", Some("CRD")),
        "space_to_depth" => blocks(scope, "SpaceToDepth", "block_size", None),
        "pixel_unshuffle" => blocks(scope, "SpaceToDepth", "downscale_factor", None),
        "reverse_sequence" => {
            let time = scope.int("seq_axis").unwrap_or(0);
            let batch = scope.int("batch_axis").unwrap_or(0);
            scope.take(&["x", "lengths"])?;
            scope.call.is("ReverseSequence").int("time_axis", time).int("batch_axis", batch);
            Ok(())
        }
        _ => Ok(()),
    }
}

fn with_axes(scope: &mut Scope<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    scope.take(&["x"])?.call.is(op);
    if let Some(axes) = scope.ints("axes") {
        scope.take_integers("axes", &axes)?;
    }
    Ok(())
}

fn joined(
    scope: &mut Scope<'_, '_, '_>,
    domain: &'static str,
    op: &'static str,
) -> Result<(), Trace> {
    let Some(axis) = scope.int("axis") else { return Ok(()) };
    scope.call.inputs = scope.values("values")?;
    scope.call.is_of(domain, op).int("axis", axis);
    Ok(())
}

fn split(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let Some(axis) = scope.int("axis") else { return Ok(()) };
    scope.take(&["x"])?.call.is("Split").int("axis", axis);
    if let Some(sizes) = scope.ints("split_sizes") {
        return scope.take_integers("split sizes", &sizes);
    }
    let count = scope.int("num_splits").unwrap_or(1);
    scope.call.int("num_outputs", count);
    Ok(())
}

/// The truth values of a mask as the bits of a number.
fn mask(scope: &Scope<'_, '_, '_>, argument: &str) -> i64 {
    let flags = scope.ints(argument).unwrap_or_default();
    let set = flags.iter().take(32).enumerate().filter(|(_, flag)| **flag != 0);
    set.fold(0, |mask, (place, _)| mask | 1 << place)
}

fn slice_by_index(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let masks = [
        ("begin_mask", "begin_mask"),
        ("end_mask", "end_mask"),
        ("shrink_axis_mask", "squeeze_mask"),
    ];
    scope.call.is_of(FRAMEWORKS, "StridedSlice");
    for (attribute, argument) in masks {
        let mask = mask(scope, argument);
        scope.call.int(attribute, mask);
    }
    scope.take(&["x", "begin", "end", "stride"])?;
    Ok(())
}

/// A size of -1 reaches to the end.
fn slice_by_size(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let (Some(begin), Some(size)) = (scope.ints("begin"), scope.ints("size")) else {
        scope.take(&["x", "begin", "size"])?.call.is_of(OWN, "SliceBySize");
        return Ok(());
    };
    let ends: Vec<i64> = begin
        .iter()
        .zip(&size)
        .map(|(begin, size)| match size {
            -1 => i64::MAX,
            size => begin.saturating_add(*size),
        })
        .collect();
    scope.take(&["x"])?.call.is("Slice");
    scope.take_integers("starts", &begin)?;
    scope.take_integers("ends", &ends)
}

fn gather(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let axis = scope.int("axis").unwrap_or(0);
    let batch = scope.int("batch_dims").unwrap_or(0);
    scope.take(&["x", "indices"])?;
    if batch == 0 {
        scope.call.is("Gather").int("axis", axis);
    } else {
        scope.call.is_of(FRAMEWORKS, "GatherBatch").int("axis", axis).int("batch_dims", batch);
    }
    Ok(())
}

/// Where what is there already is combined in a way that ONNX lacks, the shape is still the same.
fn scatter(scope: &mut Scope<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    let mode = scope.text("mode").unwrap_or_else(|| "add".to_owned());
    let reduction = match mode.as_str() {
        "update" => "none",
        "add" => "add",
        "mul" => "mul",
        "max" => "max",
        "min" => "min",
        _ => "",
    };
    scope.take(&["data", "indices", "updates"])?;
    match reduction {
        "" => scope.call.is_of(OWN, "Scatter"),
        reduction => scope.call.is(op).text("reduction", reduction),
    };
    Ok(())
}

/// Pairs for the last dimensions become all beginnings, then all ends.
fn pad(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let mode = match scope.text("mode").as_deref() {
        Some("reflect") => "reflect",
        Some("replicate") => "edge",
        _ => "constant",
    };
    let (Some(pairs), Some(rank)) = (scope.ints("pad"), scope.rank("x")) else {
        return Ok(());
    };
    let (pairs, _) = pairs.as_chunks::<2>();
    let Some(first) = rank.checked_sub(pairs.len()) else { return Ok(()) };
    let pads: Vec<i64> =
        pairs.iter().map(|pair| pair[0]).chain(pairs.iter().map(|pair| pair[1])).collect();
    let axes: Vec<i64> = (first..rank).filter_map(|axis| i64::try_from(axis).ok()).collect();
    scope.take(&["x"])?.call.is("Pad").text("mode", mode);
    scope.take_integers("pads", &pads)?;
    let value = match mode {
        "constant" => scope.value("constant_val")?,
        _ => scope.none(),
    };
    scope.call.inputs.push(value);
    scope.take_integers("axes", &axes)
}

/// Elements are taken off both ends of the last two dimensions.
fn crop(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let amounts = ["crop_height", "crop_width"].map(|name| scope.ints(name).unwrap_or_default());
    let added = amounts.map(|ends| ends.iter().fold(0, |sum: i64, end| sum.saturating_sub(*end)));
    scope.take(&["x"])?.call.is_of(OWN, "Resized").ints("added", &added);
    Ok(())
}

fn topk(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let axis = scope.int("axis").unwrap_or(-1);
    let largest = i64::from(!scope.flag("ascending"));
    let sorted = scope.int("sort").unwrap_or(1);
    let known = match scope.has("k") {
        true => scope.int("k"),
        false => Some(1),
    };
    scope.take(&["x"])?;
    match known {
        Some(count) => scope.take_integers("k", &[count])?,
        None => {
            scope.take(&["k"])?;
        }
    }
    scope.call.is("TopK").int("axis", axis).int("largest", largest).int("sorted", sorted);
    Ok(())
}

fn one_hot(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    let axis = scope.int("axis").unwrap_or(-1);
    let on = scope.number("on_value").unwrap_or(1.0);
    let off = scope.number("off_value").unwrap_or(0.0);
    scope.take(&["indices", "one_hot_vector_size"])?;
    let values = scope.assembly().floats("values", &[off, on])?;
    scope.call.inputs.push(values);
    scope.call.is("OneHot").int("axis", axis);
    Ok(())
}

fn blocks(
    scope: &mut Scope<'_, '_, '_>,
    op: &'static str,
    argument: &str,
    mode: Option<&str>,
) -> Result<(), Trace> {
    let Some(size) = scope.int(argument) else { return Ok(()) };
    scope.take(&["x"])?.call.is(op).int("blocksize", size);
    if let Some(mode) = mode {
        scope.call.text("mode", mode);
    }
    Ok(())
}
