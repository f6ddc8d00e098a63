//! Inception: convolutions of several sizes side by side, joined.
//!
//! | form | written by |
//! |---|---|
//! | 1×1; 1×1, 3×3; 1×1, 5×5; pooling, 1×1; `Concat` | GoogLeNet |
//! | the same with 3×3 in a row, or 1×7 and 7×1 | Inception v3, v4 |
//!
//! Every branch starts at one value, no branch follows from another, and kernels differ. Extracts
//! `branches` and `out`.

use super::Pattern;
use super::conv::{MAX_BRANCHES, POOLS, chain, conv, meeting};
use crate::network::{BlockKind, Branches, Found, Network, OpId, Ops, Val};

pub(super) const INCEPTION: Pattern = Pattern {
    kind: BlockKind::Inception,
    description: "Inception module: parallel convolutions of several kernel sizes, concatenated.",
    anchors: Ops::operators(&["Concat"]),
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let joined: Vec<Val> = net.data_inputs(unit).collect();
    if !(3..=MAX_BRANCHES).contains(&joined.len()) || !super::conv::joins_channels(net, unit) {
        return None;
    }
    let chains: Vec<_> = joined.iter().map(|val| chain(net, *val, POOLS)).collect();
    let (input, mut units) = meeting(&chains)?;
    if joined.contains(&input) {
        return None;
    }
    let mut sizes: Vec<i64> = Vec::new();
    let mut convs = 0;
    for id in &units {
        let unit: OpId = *id;
        if let Some(shape) = conv(net, unit) {
            if shape.dilation > 1 {
                return None;
            }
            convs += 1;
            sizes.extend(shape.side());
        } else if net.unit(unit).is(POOLS) {
            sizes.push(0);
        }
    }
    sizes.sort_unstable();
    sizes.dedup();
    units.push(end);
    let branches = i64::try_from(joined.len()).ok();
    (sizes.len() >= 2 && convs >= 3).then(|| {
        let out = net.dim(net.unit(end).output(), 1);
        Found::new(units).with(Branches { branches, out_channels: out }).taking([input])
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv_relu, pool, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "16", "16", "16"], build)
    }

    #[test]
    fn several_sizes_side_by_side() {
        let block = |t: &mut Tiny, x: &str| {
            let a = conv_relu(t, x, shape(16, 8, 1));
            let b = conv_relu(t, x, shape(16, 4, 1));
            let b = conv_relu(t, &b, shape(4, 8, 3));
            let c = conv_relu(t, x, shape(16, 4, 1));
            let c = conv_relu(t, &c, shape(4, 8, 5));
            let d = pool(t, x, 3, 1);
            let d = conv_relu(t, &d, shape(16, 8, 1));
            concat(t, &[&a, &b, &c, &d], 1)
        };
        assert_eq!(seen(block).kinds(), ["Inception"]);
    }

    #[test]
    fn branches_of_one_size_are_none() {
        let block = |t: &mut Tiny, x: &str| {
            let [a, b, c] = [(); 3].map(|()| conv_relu(t, x, shape(16, 8, 3)));
            concat(t, &[&a, &b, &c], 1)
        };
        assert_eq!(seen(block).count(BlockKind::Inception), 0);
    }
}
