//! Fire: few channels, then 1×1 and 3×3 side by side.
//!
//! | form | written by |
//! |---|---|
//! | 1×1 with activation, two convolutions of its result with activations, `Concat` | SqueezeNet |
//!
//! Extracts `in`, `squeezed` and `out`.

use super::Pattern;
use super::conv::{conv_of, is_activated};
use crate::network::{BlockKind, Convolution, Fire, Found, Network, OpId, Ops};

pub(super) const FIRE: Pattern = Pattern {
    kind: BlockKind::Fire,
    description: "Fire module: 1×1 squeeze convolution, then parallel 1×1 and 3×3 convolutions.",
    anchors: Ops::operators(&["Concat"]),
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let [Some(a), Some(b)] = net.unit(end).inputs[..] else { return None };
    let [(first, left), (second, right)] = [conv_of(net, a)?, conv_of(net, b)?];
    let squeezed = net.unit(first).input(0)?;
    if net.unit(second).input(0)? != squeezed || net.uses(squeezed).count() != 2 {
        return None;
    }
    let expands = |(one, pointwise): (&Convolution, OpId), other: &Convolution| {
        one.is_pointwise() && other.is_spatial() && is_activated(net, pointwise)
    };
    if !expands((left, first), right) && !expands((right, second), left) {
        return None;
    }
    let (squeeze, few) = conv_of(net, squeezed)?;
    let out = left.out_channels?.checked_add(right.out_channels?)?;
    if !few.is_pointwise() || few.out_channels >= few.in_channels || few.out_channels >= Some(out) {
        return None;
    }
    Some(
        Found::new([squeeze, first, second, end])
            .with(Fire {
                in_channels: few.in_channels,
                squeezed: few.out_channels,
                out_channels: Some(out),
            })
            .taking(net.unit(squeeze).input(0)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv_relu, shape};
    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn count(squeezed: i64) -> usize {
        let mut t = Tiny::new();
        let x = t.input(&["1", "16", "8", "8"]);
        let s = conv_relu(&mut t, &x, shape(16, squeezed, 1));
        let a = conv_relu(&mut t, &s, shape(squeezed, 8, 1));
        let b = conv_relu(&mut t, &s, shape(squeezed, 8, 3));
        let y = concat(&mut t, &[&a, &b], 1);
        t.output(&y).count(BlockKind::Fire)
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
