//! Features of several resolutions joined: feature pyramids, and the skips of U-Nets.
//!
//! | form | written by |
//! |---|---|
//! | `Resize` of a deep value, `Concat` or `Add` with an earlier one of that resolution | FPN, PAN, YOLO necks |
//! | `ConvTranspose` or `Resize`, perhaps with a convolution, `Concat` with an earlier value | U-Net |
//!
//! Both join a value that went down and came up again with what it was before. A U-Net goes on up to
//! images: every output that follows is at least as large, and nothing shrinks again. A pyramid
//! gives several resolutions to what finds objects on them.

use calipers_ops::Movement;
use hashbrown::HashSet;

use super::Pattern;
use super::conv::{CONVS, area, chain, conv, joins_channels};
use super::residual::upsampling;
use crate::network::{BlockKind, Found, Network, OpId, Ops, Val};

pub(super) const UNET_SKIP: Pattern = Pattern {
    kind: BlockKind::UNetSkip,
    description: "U-Net skip connection: joins decoder features with encoder features of the same resolution.",
    anchors: Ops::blocks(&[BlockKind::ConcatSkip]),
    matcher: find_skip,
};

pub(super) const FEATURE_PYRAMID: Pattern = Pattern {
    kind: BlockKind::FeaturePyramid,
    description: "Feature pyramid: upsamples deep features and joins them with earlier ones of that resolution.",
    anchors: Ops { blocks: &[BlockKind::ConcatSkip], operators: &["Add"] },
    matcher: find_pyramid,
};

/// What searches start from.
const JOINS: Ops = Ops::operators(&["Add", "Concat"]);

fn find_skip(net: &Network<'_>, end: OpId) -> Option<Found> {
    let units = merge(net, end)?;
    goes_up(net, end).then(|| Found::new(units))
}

fn find_pyramid(net: &Network<'_>, end: OpId) -> Option<Found> {
    merge(net, end).map(Found::new)
}

/// The upsampling and the join, of a value that came up and one from before it went down.
fn merge(net: &Network<'_>, end: OpId) -> Option<Vec<OpId>> {
    let unit = net.unit(end);
    let joined: Vec<Val> = net.data_inputs(unit).collect();
    if unit.is(BlockKind::ConcatSkip) {
        let concat = unit.walk().find(|part| part.is("Concat"))?;
        joins_channels(net, concat).then_some(())?;
    }
    let [a, b] = joined[..] else { return None };
    if !(area(net, a) == area(net, b) && net.rank(a)? >= 4) {
        return None;
    }
    let limit = net.search_limit(&JOINS);
    [(a, b), (b, a)].into_iter().find_map(|(up, early)| {
        let (units, before) = came_up(net, up)?;
        // The earlier value leads to the deeper one, perhaps by a lateral convolution.
        let lateral = chain(net, early, Ops::operators(&[]));
        let from = lateral.into_iter().take(4).map(|(val, _)| val);
        let mut from = from.filter(|val| net.uses(*val).nth(1).is_some());
        let leads = |val: Val| net.way_of(val, before, limit, |_| true).is_some();
        from.any(leads).then(|| [units, vec![end]].concat())
    })
}

/// Back to the upsampling that a value comes from, by a convolution or two. Gives the units and the
/// value that was made larger.
fn came_up(net: &Network<'_>, val: Val) -> Option<(Vec<OpId>, Val)> {
    let mut units = Vec::new();
    let mut at = val;
    for _ in 0..4 {
        net.only_use(at)?;
        let id = net.producer(at)?;
        let unit = net.unit(id);
        units.push(id);
        let leaf = unit.walk().find(|part| upsampling(net, part));
        if leaf.is_some() {
            return Some((units, unit.input(0)?));
        }
        let mut inputs = net.data_inputs(unit);
        let input = inputs.next().filter(|_| inputs.next().is_none())?;
        let plain = unit.is(CONVS) || unit.is(super::conv::NORMS);
        let padded = matches!(unit.movement(), Some(Movement::Pad | Movement::Slice))
            || unit.is(super::conv::ACTIVATIONS);
        if !plain && !padded {
            return None;
        }
        at = input;
    }
    None
}

/// Whether nothing shrinks after a unit, and every output that follows from it is images as large.
fn goes_up(net: &Network<'_>, start: OpId) -> bool {
    let output = net.unit(start).output();
    let size = |val: Val| Some((net.dim(val, -2), net.dim(val, -1)));
    let smaller = |val: Val, than: Val| match (size(val), size(than)) {
        (Some((Some(a), Some(b))), Some((Some(c), Some(d)))) => a < c || b < d,
        _ => false,
    };
    // Places in a row have another shape than the images they are of.
    let image = |val: Val| match (size(val), size(output)) {
        (Some((Some(a), Some(b))), Some((Some(c), Some(d)))) => {
            let (one, other) = (a.saturating_mul(d), b.saturating_mul(c));
            one.abs_diff(other) <= one.max(other).unsigned_abs() / 8
        }
        _ => true,
    };
    let limit = net.search_limit(&JOINS);
    let mut seen = HashSet::new();
    let mut stack = vec![output];
    while let Some(val) = stack.pop() {
        let small = net.rank(val).is_none_or(|rank| rank < 3) || smaller(val, output);
        if net.is_output(val) && (small || !image(val)) {
            return false;
        }
        for user in net.uses(val) {
            if !seen.insert(user) {
                continue;
            }
            let unit = net.unit(user);
            let strided = conv(net, user).is_some_and(|conv| conv.stride > 1 && !conv.transposed);
            let pooled = unit.is(super::conv::POOLS)
                && unit.outputs.first().is_some_and(|to| smaller(*to, val));
            if strided || pooled || seen.len() > limit {
                return false;
            }
            stack.extend(&unit.outputs);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv, conv_relu, larger, pool, shape};
    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> (usize, usize) {
        let seen = Tiny::new().over(&["1", "8", "16", "16"], build);
        (seen.count(BlockKind::UNetSkip), seen.count(BlockKind::FeaturePyramid))
    }

    fn down_and_up(t: &mut Tiny, x: &str) -> String {
        let early = conv_relu(t, x, shape(8, 8, 3));
        let deep = pool(t, &early, 2, 2);
        let deep = conv_relu(t, &deep, shape(8, 16, 3));
        let up = larger(t, &deep);
        concat(t, &[&up, &early], 1)
    }

    #[test]
    fn up_to_images_it_is_a_u_net() {
        let plain = |t: &mut Tiny, x: &str| {
            let y = down_and_up(t, x);
            conv(t, &y, shape(24, 2, 1))
        };
        assert_eq!(seen(plain), (1, 0));
        let convolved = |t: &mut Tiny, x: &str| {
            let early = conv_relu(t, x, shape(8, 8, 3));
            let deep = conv_relu(t, &early, shape(8, 16, 3).stride(2));
            let up = larger(t, &deep);
            let up = conv_relu(t, &up, shape(16, 8, 3));
            let y = concat(t, &[&early, &up], 1);
            conv(t, &y, shape(16, 2, 1))
        };
        assert_eq!(seen(convolved), (1, 0));
    }

    #[test]
    fn down_again_it_is_a_pyramid() {
        let again = |t: &mut Tiny, x: &str| {
            let y = down_and_up(t, x);
            conv(t, &y, shape(24, 2, 3).stride(2))
        };
        assert_eq!(seen(again), (0, 1));
        let listed = |t: &mut Tiny, x: &str| {
            let y = down_and_up(t, x);
            let y = conv(t, &y, shape(24, 6, 1));
            let target = t.ints(&[1, 6, 256]);
            t.op("Reshape", &[&y, &target])
        };
        assert_eq!(seen(listed), (0, 1));
    }

    #[test]
    fn by_addition_it_is_a_pyramid() {
        let added = |t: &mut Tiny, x: &str| {
            let early = conv_relu(t, x, shape(8, 8, 3));
            let deep = conv_relu(t, &early, shape(8, 16, 3).stride(2));
            let deep = conv(t, &deep, shape(16, 8, 1));
            let up = larger(t, &deep);
            let lateral = conv(t, &early, shape(8, 8, 1));
            t.op("Add", &[&lateral, &up])
        };
        assert_eq!(seen(added), (0, 1));
    }

    #[test]
    fn other_joins_are_none() {
        let dense = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3));
            concat(t, &[x, &y], 1)
        };
        assert_eq!(seen(dense), (0, 0));
    }
}
