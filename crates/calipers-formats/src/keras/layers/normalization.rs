//! Normalization: of batches, layers and groups, and of inputs by what is known of them.

use calipers_ir::assembly::Setting;
use serde_json::Value;

use super::{KERAS, Mapped, Site};
use crate::keras::json::whole;

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    match class {
        "BatchNormalization" | "SyncBatchNormalization" => Ok(batch(site)),
        "LayerNormalization" => Ok(layer(site, "LayerNormalization", ["gamma", "beta"])),
        "RMSNormalization" => Ok(layer(site, "RMSNormalization", ["scale", ""])),
        "GroupNormalization" => Ok(group(site)),
        "UnitNormalization" => {
            let Some(axis) = site.config().int("axis") else { return Ok(false) };
            site.node.is("LpNormalization").int("axis", axis).int("p", 2);
            site.operands(1, &[]);
            Ok(true)
        }
        "Normalization" => {
            let statistics = [site.weight("mean"), site.weight("variance")];
            site.node.is_of(KERAS, "Normalization");
            site.operands(1, &statistics);
            site.rank = site.input_rank();
            Ok(true)
        }
        // Of ConvNeXt among the networks that come with Keras: a factor for each channel.
        "LayerScale" if site.placed("", "gamma").is_some() => {
            let factors = [site.weight("gamma")];
            site.node.is("Mul");
            site.operands(1, &factors);
            site.rank = site.input_rank();
            Ok(true)
        }
        "Rescaling" => {
            site.node.is_of(KERAS, "Rescaling");
            for name in ["scale", "offset"] {
                if let Some(value) = site.layer.config.float(name) {
                    #[expect(clippy::cast_possible_truncation, reason = "single precision")]
                    let value = value as f32;
                    site.node.with(name, Setting::Float(value));
                }
            }
            site.operands(1, &[]);
            site.rank = site.input_rank();
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The axes that are stated: one, or a list.
fn axes(site: &Site<'_, '_>) -> Option<Vec<i64>> {
    match site.config().get("axis") {
        None => Some(vec![-1]),
        Some(Value::Array(axes)) => axes.iter().map(whole).collect(),
        Some(axis) => Some(vec![whole(axis)?]),
    }
}

/// An axis counted from the front.
fn from_front(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
    usize::try_from(axis).ok().filter(|_| axis < rank)
}

/// The order of dimensions in which an axis is the second, as the rows expect the channels.
fn second(axis: usize, rank: usize) -> Option<Vec<u8>> {
    let rank = u8::try_from(rank).ok()?;
    let axis = u8::try_from(axis).ok().filter(|axis| *axis > 0)?;
    Some([0, axis].into_iter().chain((1..rank).filter(|other| *other != axis)).collect())
}

/// Orders the channels of the first input and output.
fn order(site: &mut Site<'_, '_>, axis: i64, rank: usize) -> Option<()> {
    let order = second(from_front(axis, rank)?, rank)?;
    if rank > 2 {
        site.node.input_order(0, &order).output_order(0, &order);
    }
    site.rank = Some(rank);
    Some(())
}

fn batch(site: &mut Site<'_, '_>) -> bool {
    let Some([axis]) = axes(site).as_deref().map(<[i64; 1]>::try_from).and_then(Result::ok) else {
        return false;
    };
    // The second version writes the axis from the front once it is known: it is the last.
    let rank = site.input_rank();
    let Some(rank) = rank else { return false };
    let weights = ["gamma", "beta", "moving_mean", "moving_variance"].map(|name| site.weight(name));
    site.node.is("BatchNormalization");
    site.operands(1, &weights);
    epsilon(site);
    order(site, axis, rank).is_some()
}

fn epsilon(site: &mut Site<'_, '_>) {
    if let Some(epsilon) = site.layer.config.float("epsilon") {
        #[expect(clippy::cast_possible_truncation, reason = "attributes are single precision")]
        let epsilon = epsilon as f32;
        site.node.float("epsilon", epsilon);
    }
}

/// Normalization over the last axes.
fn layer(site: &mut Site<'_, '_>, op: &'static str, weights: [&str; 2]) -> bool {
    let Some(mut axes) = axes(site) else { return false };
    axes.sort_unstable();
    let rank = site.input_rank();
    let last = rank.and_then(|rank| i64::try_from(rank).ok());
    // The axes must be the last ones: by how many there are, counted from either end.
    let count = i64::try_from(axes.len()).unwrap_or(i64::MAX);
    let are_last = axes.iter().zip(0..).all(|(axis, place)| {
        let from_end = place - count;
        *axis == from_end || last.is_some_and(|last| *axis == last + from_end)
    });
    if !are_last || axes.is_empty() {
        return false;
    }
    let op = if site.config().flag("rms_scaling", false) { "RMSNormalization" } else { op };
    let weights = weights.map(|name| site.weight(name));
    site.node.is(op).int("axis", -count);
    site.operands(1, &weights);
    epsilon(site);
    true
}

fn group(site: &mut Site<'_, '_>) -> bool {
    let Some([axis]) = axes(site).as_deref().map(<[i64; 1]>::try_from).and_then(Result::ok) else {
        return false;
    };
    let (Some(rank), Some(mut groups)) = (site.input_rank(), site.config().int("groups")) else {
        return false;
    };
    let weights = [site.weight("gamma"), site.weight("beta")];
    if groups == -1 {
        // As many groups as channels.
        let channels = site.placed("", "gamma").and_then(|gamma| gamma.dims.first().copied());
        let Some(channels) = channels else { return false };
        groups = channels;
    }
    site.node.is("GroupNormalization").int("num_groups", groups);
    site.operands(1, &weights);
    epsilon(site);
    order(site, axis, rank).is_some()
}
