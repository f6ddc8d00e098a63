//! Layers that give values another shape or size.

use serde_json::Value;

use super::convolution::has_channels_last;
use super::{KERAS, Mapped, Site};
use crate::keras::json::{Config, whole};

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    match class {
        "Flatten" => {
            // Keras moves the channels to the end first; the size is the same.
            site.node.is("Flatten").int("axis", 1);
            site.operands(1, &[]);
            site.rank = Some(2);
            Ok(true)
        }
        "Reshape" => {
            let Some(Value::Array(sizes)) = site.layer.config.get("target_shape") else {
                return Ok(false);
            };
            // The batch stays what it is.
            let mut shape = vec![0];
            for size in sizes {
                let Some(size) = whole(size).or(size.is_null().then_some(-1)) else {
                    return Ok(false);
                };
                shape.push(size);
            }
            let rank = shape.len();
            let shape = site.assembly.integers("shape", &shape)?;
            site.node.is("Reshape");
            site.operands(1, &[shape]);
            site.rank = Some(rank);
            Ok(true)
        }
        "Permute" => {
            let Some(Value::Array(dims)) = site.layer.config.get("dims") else { return Ok(false) };
            let order: Option<Vec<i64>> = dims.iter().map(whole).collect();
            let Some(order) = order else { return Ok(false) };
            let order: Vec<i64> = [0].into_iter().chain(order).collect();
            site.node.is("Transpose").ints("perm", &order);
            site.operands(1, &[]);
            site.rank = Some(order.len());
            Ok(true)
        }
        "RepeatVector" => {
            let Some(count) = site.config().int("n") else { return Ok(false) };
            site.node.is_of(KERAS, "RepeatVector").int("n", count);
            site.operands(1, &[]);
            site.rank = Some(3);
            Ok(true)
        }
        "ZeroPadding1D" => pad(site, 1),
        "ZeroPadding2D" => pad(site, 2),
        "ZeroPadding3D" => pad(site, 3),
        "Cropping1D" => crop(site, 1),
        "Cropping2D" => crop(site, 2),
        "Cropping3D" => crop(site, 3),
        "UpSampling1D" => enlarge(site, 1),
        "UpSampling2D" => enlarge(site, 2),
        "UpSampling3D" => enlarge(site, 3),
        "Resizing" => resize(site),
        _ => Ok(false),
    }
}

/// Sizes before and after, of each axis of space: one number for all, one for each, or two for each.
fn pairs(value: Option<&Value>, space: usize) -> Option<Vec<[i64; 2]>> {
    let value = value?;
    if let Some(all) = whole(value).filter(|_| !value.is_array()) {
        return Some(vec![[all, all]; space]);
    }
    let values = value.as_array()?;
    let is_flat = values.iter().all(|value| !value.is_array());
    if space == 1 && is_flat {
        let [before, after] = values.as_slice() else { return None };
        return Some(vec![[whole(before)?, whole(after)?]]);
    }
    if values.len() != space {
        return None;
    }
    let pair = |value: &Value| match value.as_array().map(Vec::as_slice) {
        None => whole(value).map(|both| [both, both]),
        Some([before, after]) => Some([whole(before)?, whole(after)?]),
        Some(_) => None,
    };
    values.iter().map(pair).collect()
}

/// The first axis of space.
fn first_axis(config: Config<'_>) -> usize {
    if has_channels_last(config) { 1 } else { 2 }
}

fn pad(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(pairs) = pairs(config.get("padding"), space) else { return Ok(false) };
    let rank = space + 2;
    let (mut before, mut after) = (vec![0; rank], vec![0; rank]);
    for (axis, [start, end]) in (first_axis(config)..).zip(pairs) {
        if let (Some(before), Some(after)) = (before.get_mut(axis), after.get_mut(axis)) {
            (*before, *after) = (start, end);
        }
    }
    before.extend(after);
    let pads = site.assembly.integers("pads", &before)?;
    site.node.is("Pad");
    site.operands(1, &[pads]);
    site.rank = Some(rank);
    Ok(true)
}

fn crop(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(pairs) = pairs(config.get("cropping"), space) else { return Ok(false) };
    let starts: Vec<i64> = pairs.iter().map(|[before, _]| *before).collect();
    let end = |after: i64| if after > 0 { after.saturating_neg() } else { i64::MAX };
    let ends: Vec<i64> = pairs.iter().map(|[_, after]| end(*after)).collect();
    let first = if has_channels_last(config) { 1 } else { 2 };
    let axes: Vec<i64> = (first..).take(space).collect();
    let operands = [
        site.assembly.integers("starts", &starts)?,
        site.assembly.integers("ends", &ends)?,
        site.assembly.integers("axes", &axes)?,
    ];
    site.node.is("Slice");
    site.operands(1, &operands);
    site.rank = Some(space + 2);
    Ok(true)
}

fn enlarge(site: &mut Site<'_, '_>, space: usize) -> Mapped {
    let config = site.layer.config;
    let Some(sizes) = config.ints(&["size", "length"], space) else { return Ok(false) };
    let mode = match config.text("interpolation") {
        "" | "nearest" => "nearest",
        "bilinear" => "linear",
        "bicubic" => "cubic",
        _ => return Ok(false),
    };
    let mut scales = vec![1.0; space + 2];
    for (scale, size) in scales.iter_mut().skip(first_axis(config)).zip(sizes) {
        *scale = f32::from(u16::try_from(size).unwrap_or(u16::MAX));
    }
    let scales = site.assembly.floats("scales", &scales)?;
    let none = site.assembly.none();
    site.node.is("Resize").text("mode", mode);
    site.operands(1, &[none, scales]);
    site.rank = Some(space + 2);
    Ok(true)
}

fn resize(site: &mut Site<'_, '_>) -> Mapped {
    let config = site.layer.config;
    let (Some(height), Some(width)) = (config.int("height"), config.int("width")) else {
        return Ok(false);
    };
    let mode = match config.text("interpolation") {
        "" | "bilinear" => "linear",
        "bicubic" => "cubic",
        "nearest" => "nearest",
        _ => return Ok(false),
    };
    let Some(rank @ (3 | 4)) = site.input_rank() else { return Ok(false) };
    let first = if has_channels_last(config) { rank - 3 } else { rank - 2 };
    let first = i64::try_from(first).unwrap_or_default();
    let sizes = site.assembly.integers("sizes", &[height, width])?;
    let none = site.assembly.none();
    site.node.is("Resize").text("mode", mode).ints("axes", &[first, first + 1]);
    site.operands(1, &[none, none, sizes]);
    site.rank = Some(rank);
    Ok(true)
}
