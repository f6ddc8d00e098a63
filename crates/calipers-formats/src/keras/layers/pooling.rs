//! Pooling over windows, and over everything.

use super::convolution::{Window, has_channels_last, order_channels};
use super::{Mapped, Site};

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    let Some((kind, space)) = kind(class) else { return Ok(false) };
    match kind {
        Kind::Window(op) => windowed(site, op, space),
        Kind::Global(op) => global(site, op, space),
    }
}

enum Kind {
    Window(&'static str),
    Global(&'static str),
}

fn kind(class: &str) -> Option<(Kind, usize)> {
    let space = match class.get(class.len().checked_sub(2)?..)? {
        "1D" => 1,
        "2D" => 2,
        "3D" => 3,
        _ => return None,
    };
    let kind = match class.get(..class.len() - 2)? {
        "MaxPooling" | "MaxPool" => Kind::Window("MaxPool"),
        "AveragePooling" | "AvgPool" => Kind::Window("AveragePool"),
        "GlobalMaxPooling" | "GlobalMaxPool" => Kind::Global("ReduceMax"),
        "GlobalAveragePooling" | "GlobalAvgPool" => Kind::Global("ReduceMean"),
        _ => return None,
    };
    Some((kind, space))
}

fn windowed(site: &mut Site<'_, '_>, op: &'static str, space: usize) -> Mapped {
    let config = site.layer.config;
    let sizes = config.ints(&["pool_size", "pool_length"], space);
    let sizes = sizes.unwrap_or_else(|| vec![2; space]);
    let Some(mut window) = Window::read(config, Some(sizes), space) else { return Ok(false) };
    if config.any(&["strides", "stride"]).is_none() {
        window.strides.clone_from(&window.sizes);
    }
    site.node.is(op);
    site.operands(1, &[]);
    window.give(site);
    order_channels(site, has_channels_last(config), space);
    Ok(true)
}

fn global(site: &mut Site<'_, '_>, op: &'static str, space: usize) -> Mapped {
    let config = site.layer.config;
    let first = if has_channels_last(config) { 1 } else { 2 };
    let axes: Vec<i64> = (first..).take(space).collect();
    let axes = site.assembly.integers("axes", &axes)?;
    let keeps = config.flag("keepdims", false);
    site.node.is(op).int("keepdims", i64::from(keeps));
    site.operands(1, &[axes]);
    site.rank = Some(if keeps { space + 2 } else { 2 });
    Ok(true)
}
