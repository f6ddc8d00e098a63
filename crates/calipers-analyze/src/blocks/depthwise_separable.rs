//! Depthwise-separable convolution: each channel filtered by itself, then mixed place by place.
//!
//! | form | written by |
//! |---|---|
//! | depthwise, norm, activation, 1×1 | MobileNetV1, the first block of MobileNetV2 and EfficientNet |
//! | depthwise, 1×1 | Xception, BiFPN, depthwise heads |
//!
//! What is part of an inverted residual or a ConvNeXt block is taken before. Extracts `in`, `out`,
//! `kernel`, `stride`.

use super::Recogniser;
use super::conv::{CONVS, conv};
use super::inverted_residual::conv_behind;
use crate::net::{Found, Net, UnitId};

pub(crate) const DEPTHWISE_SEPARABLE: Recogniser = Recogniser {
    kind: "DepthwiseSeparable",
    what: "Channels filtered one by one, then mixed.",
    ends: CONVS,
    find,
};

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let mix = conv(net, end).filter(super::conv::Conv::pointwise)?;
    let mut units = vec![end];
    let (first, filter) = conv_behind(net, net.unit(end).input(0)?, &mut units)?;
    if !filter.depthwise() || !filter.spatial() {
        return None;
    }
    units.push(first);
    Some(
        Found::of(units)
            .number("in", Some(filter.inputs))
            .number("out", Some(mix.outputs))
            .number("kernel", Some(filter.kernel))
            .number("stride", Some(filter.stride))
            .taking(net.unit(first).input(0)),
    )
}
