//! Dense unit: new features joined to all features before them.
//!
//! | form | written by |
//! |---|---|
//! | `Concat(x, f(x))` | Caffe, ONNX zoo |
//! | `Concat(x₀, …, xₙ, f(Concat(x₀, …, xₙ)))` | torchvision |
//!
//! `f` is one to three convolutions with their norms and activations. Extracts `in` and `growth`,
//! the channels that it adds.

use super::Pattern;
use super::conv::{chain, conv};
use crate::network::{BlockKind, DenseLayer, Found, Network, OpId, Ops, Val};

pub(super) const DENSE_UNIT: Pattern = Pattern {
    kind: BlockKind::DenseLayer,
    description: "Dense layer of DenseNet: concatenates new features with all earlier ones.",
    anchors: Ops { blocks: &[BlockKind::ConcatSkip], operators: &["Concat"] },
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let joined: Vec<Val> = net.data_inputs(net.unit(end)).collect();
    let (new, before) = joined.split_last()?;
    let mut units = vec![end];
    let mut convs = 0;
    for (val, unit) in chain(net, *new, Ops::operators(&[])).into_iter().skip(1) {
        let unit = unit?;
        convs += usize::from(conv(net, unit).is_some());
        units.push(unit);
        if convs > 3 {
            return None;
        }
        if convs > 0 && is_all(net, val, before) {
            let (growth, all) = (net.dim(*new, 1), net.dim(val, 1));
            return Some(
                Found::new(units).with(DenseLayer { in_channels: all, growth }).taking([val]),
            );
        }
    }
    None
}

/// Whether a value is these, joined.
fn is_all(net: &Network<'_>, val: Val, parts: &[Val]) -> bool {
    if parts == [val] {
        return true;
    }
    // A concatenation, or the unit before this one, which ends with one.
    net.producer(val).is_some_and(|unit| {
        let concat = net.unit(unit).walk().filter(|unit| unit.is("Concat")).last();
        concat.is_some_and(|concat| {
            concat.outputs.first() == Some(&val)
                && net.data_inputs(concat).eq(parts.iter().copied())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{concat, conv, conv_relu, pool, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "8", "16", "16"], build)
    }

    fn features(t: &mut Tiny, x: &str, inputs: i64) -> String {
        let y = t.op("Relu", &[x]);
        let y = conv_relu(t, &y, shape(inputs, 16, 1));
        conv(t, &y, shape(16, 4, 3))
    }

    #[test]
    fn joined_one_by_one() {
        let units = |t: &mut Tiny, x: &str| {
            let y = features(t, x, 8);
            let x = concat(t, &[x, &y], 1);
            let y = features(t, &x, 12);
            concat(t, &[&x, &y], 1)
        };
        let units = seen(units);
        assert_eq!(units.kinds(), ["DenseLayer", "DenseLayer"]);
        assert_eq!(
            units.first(BlockKind::DenseLayer, |_, unit| unit.dense_unit()?.growth),
            Some(Some(4))
        );
    }

    #[test]
    fn joined_all_at_once() {
        let units = |t: &mut Tiny, x: &str| {
            let a = features(t, x, 8);
            let both = concat(t, &[x, &a], 1);
            let b = features(t, &both, 12);
            let three = concat(t, &[x, &a, &b], 1);
            let c = features(t, &three, 16);
            concat(t, &[x, &a, &b, &c], 1)
        };
        assert_eq!(seen(units).count(BlockKind::DenseLayer), 3);
    }

    #[test]
    fn other_concatenations_are_none() {
        let pooled = |t: &mut Tiny, x: &str| {
            let y = pool(t, x, 3, 1);
            concat(t, &[x, &y], 1)
        };
        assert_eq!(seen(pooled).count(BlockKind::DenseLayer), 0);
        let branches = |t: &mut Tiny, x: &str| {
            let (a, b) = (features(t, x, 8), features(t, x, 8));
            concat(t, &[&a, &b], 1)
        };
        assert_eq!(seen(branches).count(BlockKind::DenseLayer), 0);
    }
}
