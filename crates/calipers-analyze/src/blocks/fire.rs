//! Fire: few channels, then 1×1 and 3×3 side by side.
//!
//! | form | written by |
//! |---|---|
//! | 1×1 with activation, two convolutions of its result with activations, `Concat` | SqueezeNet |
//!
//! Extracts `in`, `squeezed` and `out`.

use super::Recogniser;
use super::conv::{Conv, conv_of};
use crate::net::{Found, Net, UnitId};

pub(crate) const FIRE: Recogniser = Recogniser {
    kind: "Fire",
    what: "Few channels, then 1×1 and 3×3 convolutions of them side by side.",
    ends: &["Concat"],
    find,
};

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let [Some(a), Some(b)] = net.unit(end).inputs[..] else { return None };
    let [(first, left), (second, right)] = [conv_of(net, a)?, conv_of(net, b)?];
    let squeezed = net.unit(first).input(0)?;
    if net.unit(second).input(0)? != squeezed || net.uses(squeezed).count() != 2 {
        return None;
    }
    let expands = |one: &Conv, other: &Conv| one.pointwise() && other.spatial() && one.activated;
    if !expands(&left, &right) && !expands(&right, &left) {
        return None;
    }
    let (squeeze, few) = conv_of(net, squeezed)?;
    let out = left.outputs.checked_add(right.outputs)?;
    if !few.pointwise() || few.outputs >= few.inputs || few.outputs >= out {
        return None;
    }
    Some(
        Found::of([squeeze, first, second, end])
            .number("in", Some(few.inputs))
            .number("squeezed", Some(few.outputs))
            .number("out", Some(out))
            .taking(net.unit(squeeze).input(0)),
    )
}
