//! Inverted residual: 1×1 to more channels, a depthwise convolution, 1×1 to fewer.
//!
//! | form | written by |
//! |---|---|
//! | 1×1, activation, depthwise, activation, 1×1, perhaps an addition | MobileNetV2, MnasNet |
//! | the same with squeeze-and-excite before the last 1×1 | MobileNetV3, EfficientNet |
//! | no activations | quantised: ranges cut off instead |
//!
//! With the addition where there is one; without it where channels or resolution change. Extracts
//! `in`, `out`, `inner`, `kernel`, `stride`, and whether it has a `shortcut`.

use super::Recogniser;
use super::conv::{ACTIVATIONS, CONVS, Conv, NORMS, conv};
use super::residual::around;
use crate::net::{Found, Net, UnitId, Val};

pub(crate) const INVERTED_RESIDUAL: Recogniser = Recogniser {
    kind: "InvertedResidual",
    what: "Channels made many, filtered one by one, and made few again.",
    ends: CONVS,
    find,
};

/// Back to the convolution that a value comes from, by norms, activations and squeeze-and-excite
/// that nothing else reads. The units between come with it.
pub(super) fn conv_behind(
    net: &Net<'_>,
    val: Val,
    between: &mut Vec<UnitId>,
) -> Option<(UnitId, Conv)> {
    let mut at = val;
    for _ in 0..4 {
        net.only_use(at)?;
        let id = net.producer(at)?;
        if let Some(shape) = conv(net, id) {
            return Some((id, shape));
        }
        let unit = net.unit(id);
        if !(unit.is("SqueezeExcite") || unit.is_any(NORMS) || unit.is_any(ACTIVATIONS)) {
            return None;
        }
        between.push(id);
        at = unit.input(0)?;
    }
    None
}

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let project = conv(net, end).filter(|conv| conv.pointwise() && !conv.activated)?;
    if project.outputs >= project.inputs {
        return None;
    }
    let mut units = vec![end];
    let (middle, depthwise) = conv_behind(net, net.unit(end).input(0)?, &mut units)?;
    if !depthwise.depthwise() || !depthwise.spatial() {
        return None;
    }
    units.push(middle);
    let (first, expand) = conv_behind(net, net.unit(middle).input(0)?, &mut units)?;
    if !expand.pointwise() || expand.outputs <= expand.inputs {
        return None;
    }
    units.push(first);
    let input = net.unit(first).input(0)?;
    let output = net.unit(end).output();
    let join = net.only_use(output).filter(|join| net.unit(*join).is("ResidualAdd"));
    let join = join.filter(|join| around(net, *join).is_some_and(|found| found.fork == input));
    units.extend(join);
    Some(
        Found::of(units)
            .number("in", Some(expand.inputs))
            .number("out", Some(project.outputs))
            .number("inner", Some(depthwise.inputs))
            .number("kernel", Some(depthwise.kernel))
            .number("stride", Some(depthwise.stride))
            .says("shortcut", join.is_some())
            .taking([input]),
    )
}
