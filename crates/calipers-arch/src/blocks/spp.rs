//! Spatial pyramid pooling: a value next to its maxima over ever larger windows.
//!
//! | form | written by |
//! |---|---|
//! | `MaxPool` of 5, 9 and 13 side by side, `Concat` with the value | YOLOv3-SPP, YOLOv4 |
//! | three `MaxPool` of 5 in a row, each into the `Concat` | SPPF of YOLOv5 and later |
//!
//! With the 1×1 convolutions before and after. Extracts `pools`.

use super::Pattern;
use super::conv::{MAX_BRANCHES, conv_of, pointwise_after};
use crate::network::{BlockKind, Found, Network, OpId, Ops, PyramidPooling, Val};

pub(super) const SPP: Pattern = Pattern {
    kind: BlockKind::Spp,
    description: "Spatial pyramid pooling: concatenates max-pools of growing window size.",
    anchors: Ops { blocks: &[BlockKind::ConcatSkip], operators: &["Concat"] },
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let joined: Vec<Val> = net.data_inputs(net.unit(end)).collect();
    if !(3..=MAX_BRANCHES).contains(&joined.len()) {
        return None;
    }
    let pooled: Vec<(Val, OpId)> =
        joined.iter().filter_map(|val| Some((*val, net.made_by(*val, "MaxPool")?))).collect();
    let mut plain = joined.iter().filter(|val| pooled.iter().all(|(other, _)| other != *val));
    let (Some(whole), None) = (plain.next(), plain.next()) else { return None };
    for (val, pool) in &pooled {
        let from = net.unit(*pool).input(0)?;
        if (from != *whole && !joined.contains(&from)) || !net.may_match(*val, *whole) {
            return None;
        }
    }
    let mut units: Vec<OpId> = pooled.iter().map(|(_, pool)| *pool).collect();
    units.push(end);
    units.extend(conv_of(net, *whole).filter(|(_, conv)| conv.is_pointwise()).map(|(id, _)| id));
    units.extend(pointwise_after(net, net.unit(end).output()));
    Some(Found::new(units).with(PyramidPooling { pools: i64::try_from(pooled.len()).ok() }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv_relu, pool, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        let mut t = Tiny::new();
        let x = t.input(&["1", "16", "16", "16"]);
        let x = conv_relu(&mut t, &x, shape(16, 8, 1));
        let y = build(&mut t, &x);
        t.output(&y)
    }

    #[test]
    fn in_a_row_and_side_by_side() {
        let row = |t: &mut Tiny, x: &str| {
            let a = pool(t, x, 5, 1);
            let b = pool(t, &a, 5, 1);
            let c = pool(t, &b, 5, 1);
            let y = concat(t, &[x, &a, &b, &c], 1);
            conv_relu(t, &y, shape(32, 16, 1))
        };
        assert_eq!(seen(row).kinds(), ["SPP"]);
        let side = |t: &mut Tiny, x: &str| {
            let (a, b, c) = (pool(t, x, 5, 1), pool(t, x, 9, 1), pool(t, x, 13, 1));
            concat(t, &[&c, &b, &a, x], 1)
        };
        assert_eq!(seen(side).kinds(), ["SPP"]);
    }

    #[test]
    fn two_values_next_to_pools_are_none() {
        let two = |t: &mut Tiny, x: &str| {
            let a = pool(t, x, 5, 1);
            let b = conv_relu(t, x, shape(8, 8, 3));
            concat(t, &[x, &a, &b], 1)
        };
        assert_eq!(seen(two).count(BlockKind::Spp), 0);
    }
}
