//! The blocks of residual networks of convolutions.
//!
//! | kind | form |
//! |---|---|
//! | `Bottleneck` | 1×1, k×k, 1×1 (the middle in groups: ResNeXt), shortcut, activation |
//! | `BasicBlock` | k×k, k×k, shortcut, activation: ResNet-18, Darknet, YOLO |
//!
//! With the norm before the convolution, after it, or folded into it; with squeeze-and-excite on the
//! path; quantised, where no activation is written. Extracts `channels`, those of the result,
//! `inner`, `groups`, `stride`, and whether the shortcut is a `projection`.

use super::Recogniser;
use super::conv::{Conv, activation_after, convs_among};
use super::residual::around;
use crate::net::{Found, Net, UnitId};

pub(crate) const BOTTLENECK: Recogniser = Recogniser {
    kind: "Bottleneck",
    what: "Convolutions 1×1, k×k and 1×1 with a shortcut around them.",
    ends: &["ResidualAdd"],
    find: |net, end| find(net, end, bottleneck),
};

pub(crate) const BASIC: Recogniser = Recogniser {
    kind: "BasicBlock",
    what: "Two convolutions with a shortcut around them.",
    ends: &["ResidualAdd"],
    find: |net, end| find(net, end, basic),
};

fn bottleneck(convs: &[Conv]) -> bool {
    let [reduce, middle, expand] = convs else { return false };
    let plain = reduce.pointwise() && middle.spatial() && expand.pointwise();
    plain && !middle.depthwise() && reduce.outputs <= expand.outputs
}

fn basic(convs: &[Conv]) -> bool {
    let [first, second] = convs else { return false };
    first.spatial() && second.spatial() && !first.depthwise() && !second.depthwise()
}

fn find(net: &Net<'_>, end: UnitId, fits: fn(&[Conv]) -> bool) -> Option<Found> {
    let around = around(net, end)?;
    let convs = convs_among(net, &around.path)?;
    if !fits(&convs) {
        return None;
    }
    let projection = around.shortcut.iter().any(|unit| net.unit(*unit).contractions() > 0);
    let mut units = around.path;
    units.extend(around.shortcut);
    units.push(end);
    units.extend(activation_after(net, net.unit(end).output()));
    let stride = convs.iter().map(|conv| conv.stride).max();
    Some(
        Found::of(units)
            .number("channels", convs.last().map(|conv| conv.outputs))
            .number("inner", convs.first().map(|conv| conv.outputs))
            .number("groups", convs.get(1).map(|conv| conv.groups))
            .number("stride", stride)
            .says("projection", projection)
            .taking([around.fork]),
    )
}
