//! Cross-stage partial blocks: some channels pass by, others through a chain, and all are joined.
//!
//! | form | written by |
//! |---|---|
//! | 1×1, `Split` or two `Slice`s, a chain of blocks from one half, `Concat` of the halves and each block's result, 1×1 | C2f of YOLOv8 |
//! | two 1×1 of one value, a chain from one, `Concat` of both, 1×1 | C3 of YOLOv5, CSPDarknet |
//! | the same with every second result of the chain in the `Concat` | ELAN of YOLOv7 |
//!
//! Extracts `branches`, the operands of the concatenation, and `out`.

use calipers_ops::Movement;

use super::Pattern;
use super::conv::{CONVS, MAX_BRANCHES, chain, conv, meeting, pointwise_after};
use crate::network::{BlockKind, Branches, Found, Network, OpId, Ops, Val, With};

pub(super) const CSP: Pattern = Pattern {
    kind: BlockKind::Csp,
    description: "Cross-stage partial block: part of the channels skips the block chain, then both are concatenated.",
    anchors: Ops { blocks: &[BlockKind::ConcatSkip], operators: &["Concat"] },
    matcher: find,
};

/// Operators that part channels.
const PARTS: With = With(|traits| traits.movement == Some(Movement::Slice));

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let joined: Vec<Val> = net.data_inputs(net.unit(end)).collect();
    if !(2..=MAX_BRANCHES).contains(&joined.len()) {
        return None;
    }
    let chains: Vec<_> = joined.iter().map(|val| chain(net, *val, PARTS)).collect();
    let (input, mut units) = meeting(&chains)?;
    // The value itself is an operand of dense units and of pooling pyramids.
    if joined.contains(&input) {
        return None;
    }
    let halves: Vec<OpId> = units.iter().copied().filter(|id| parts(net, *id, input)).collect();
    let computing = units.iter().filter(|unit| net.unit(**unit).contractions() > 0).count();
    let fits = if halves.is_empty() {
        parted(net, input, &joined, &chains)
    } else {
        // One half and what was made of the other.
        let passes = |val: &Val| net.producer(*val).is_some_and(|unit| halves.contains(&unit));
        joined.iter().any(passes)
            && computing > 0
            && net.uses(input).all(|user| units.binary_search(&user).is_ok())
    };
    if !fits {
        return None;
    }
    let mut first = input;
    if !halves.is_empty()
        && let Some(before) = net.made_by(input, CONVS)
        && conv(net, before)?.is_pointwise()
    {
        units.push(before);
        first = net.unit(before).input(0)?;
    }
    units.push(end);
    let after = pointwise_after(net, net.unit(end).output());
    units.extend(after);
    let out = after.and_then(|after| conv(net, after)).and_then(|conv| conv.out_channels);
    let branches = i64::try_from(joined.len()).ok();
    Some(Found::new(units).with(Branches { branches, out_channels: out }).taking([first]))
}

/// Whether a unit takes some channels of a value.
fn parts(net: &Network<'_>, id: OpId, whole: Val) -> bool {
    let unit = net.unit(id);
    let fewer = || match (net.dim(unit.output(), 1), net.dim(whole, 1)) {
        (Some(some), Some(all)) => some < all,
        _ => false,
    };
    unit.input(0) == Some(whole) && (unit.is("Split") || unit.is("Slice") && fewer())
}

/// Whether two 1×1 convolutions part a value, one of whose results is joined as it is, the other
/// after more computation, and a 1×1 convolution closes.
fn parted(net: &Network<'_>, input: Val, joined: &[Val], chains: &[super::conv::Chain]) -> bool {
    let enters = |val: Val| {
        let unit = net.producer(val)?;
        let shape = conv(net, unit)?;
        (shape.is_pointwise() && net.unit(unit).input(0) == Some(input)).then_some(())
    };
    let direct = joined.iter().filter(|val| enters(**val).is_some()).count();
    let deep = chains.iter().filter(|chain| {
        let way = chain.iter().take_while(|(val, _)| *val != input);
        // The chain's own 1×1 is the last value before the meeting.
        let last = way.clone().last().is_some_and(|(val, _)| enters(*val).is_some());
        last && way.count() >= 3
    });
    direct >= 1 && deep.count() >= 1 && direct < joined.len()
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::sketch::{concat, conv_relu, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "16", "16", "16"], build)
    }

    fn bottleneck(t: &mut Tiny, x: &str, shortcut: bool) -> String {
        let y = conv_relu(t, x, shape(8, 8, 3));
        let y = conv_relu(t, &y, shape(8, 8, 3));
        if shortcut { t.op("Add", &[x, &y]) } else { y }
    }

    #[test]
    fn halves_and_a_chain() {
        for shortcut in [true, false] {
            let block = |t: &mut Tiny, x: &str| {
                let y = conv_relu(t, x, shape(16, 16, 1));
                let sizes = t.ints(&[8, 8]);
                let halves = t.many("Split", &[&y, &sizes], 2, &[Attribute::int("axis", 1)]);
                let a = bottleneck(t, &halves[1], shortcut);
                let b = bottleneck(t, &a, shortcut);
                let y = concat(t, &[&halves[0], &halves[1], &a, &b], 1);
                conv_relu(t, &y, shape(32, 16, 1))
            };
            assert_eq!(seen(block).kinds(), ["CSP"], "shortcuts: {shortcut}");
        }
    }

    #[test]
    fn halves_may_be_cut_out() {
        let block = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(16, 16, 1));
            let [first, second] = [t.slice(&y, 0, 8, 1, 1), t.slice(&y, 8, 16, 1, 1)];
            let a = bottleneck(t, &second, true);
            let y = concat(t, &[&first, &second, &a], 1);
            conv_relu(t, &y, shape(24, 16, 1))
        };
        assert_eq!(seen(block).kinds(), ["CSP"]);
    }

    #[test]
    fn two_entries_and_a_chain() {
        let block = |t: &mut Tiny, x: &str| {
            let x = t.op("Relu", &[x]);
            let a = conv_relu(t, &x, shape(16, 8, 1));
            let a = bottleneck(t, &a, true);
            let a = bottleneck(t, &a, true);
            let b = conv_relu(t, &x, shape(16, 8, 1));
            let y = concat(t, &[&a, &b], 1);
            conv_relu(t, &y, shape(16, 16, 1))
        };
        assert_eq!(seen(block).kinds(), ["ReLU", "CSP"]);
    }

    #[test]
    fn branches_without_a_chain_are_none() {
        let heads = |t: &mut Tiny, x: &str| {
            let a = conv_relu(t, x, shape(16, 8, 3));
            let b = conv_relu(t, x, shape(16, 8, 3));
            concat(t, &[&a, &b], 1)
        };
        assert_eq!(seen(heads).count(BlockKind::Csp), 0);
    }
}
