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

pub(super) const FIRE: Recogniser = Recogniser {
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

#[cfg(test)]
mod tests {
    use super::super::conv::sketch::{concat, conv_relu, shape};
    use super::super::testing::{Look as _, Tiny};

    fn count(squeezed: i64) -> usize {
        let mut t = Tiny::new();
        let x = t.input(&["1", "16", "8", "8"]);
        let s = conv_relu(&mut t, &x, shape(16, squeezed, 1));
        let a = conv_relu(&mut t, &s, shape(squeezed, 8, 1));
        let b = conv_relu(&mut t, &s, shape(squeezed, 8, 3));
        let y = concat(&mut t, &[&a, &b], 1);
        t.output(&y).count("Fire")
    }

    #[test]
    fn few_channels_then_two_convolutions() {
        assert_eq!(count(4), 1);
    }

    #[test]
    fn nothing_squeezed_is_none() {
        assert_eq!(count(32), 0);
    }
}
