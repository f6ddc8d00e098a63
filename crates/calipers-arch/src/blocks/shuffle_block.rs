//! Channel shuffle: channels of all groups mixed by a transposition.
//!
//! | form | written by |
//! |---|---|
//! | `Reshape` to groups, `Transpose` of groups and their channels, `Reshape` back | ShuffleNet; channels are the last axis in Keras |
//!
//! With the concatenation before it, where there is one. Extracts `groups`. The shuffle of pixels
//! has six axes, heads of attention have four.

use super::Pattern;
use crate::network::{BlockKind, Found, Network, OpId, Ops, ShuffleBlock};

pub(super) const SHUFFLE_UNIT: Pattern = Pattern {
    kind: BlockKind::ShuffleBlock,
    description: "ShuffleNet unit: shuffles channels between groups.",
    anchors: Ops::operators(&["Reshape", "Flatten"]),
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let turned = net.unit(end).input(0)?;
    let transpose = net.made_by(turned, "Transpose")?;
    let grouped = net.unit(transpose).input(0)?;
    let split = net.made_by(grouped, "Reshape")?;
    let input = net.unit(split).input(0)?;
    net.only_use(turned)?;
    net.only_use(grouped)?;
    let rank = net.rank(input)?;
    if rank < 3 || net.rank(grouped)? != rank + 1 || net.rank(net.unit(end).output())? != rank {
        return None;
    }
    let permutation = net.ints(net.unit(transpose), "perm")?;
    // The channels are the second axis, or the last one in Keras.
    let axis = [1, rank - 1].into_iter().find(|axis| swaps(permutation, *axis))?;
    let is_last = axis > 1;
    let [groups, inside, channels] = {
        let dims = [net.shape(grouped)?.get(axis), net.shape(grouped)?.get(axis + 1)];
        let [groups, inside] = dims.map(|dim| dim.and_then(|dim| dim.as_const()));
        [groups?, inside?, net.shape(input)?.get(axis)?.as_const()?]
    };
    // Where the other axes are kept, the channels were split.
    let (after, before) = (net.shape(grouped)?, net.shape(input)?);
    let kept = after.get(1..axis) == before.get(1..axis)
        && after.get(axis + 2..) == before.get(axis + 1..);
    // Pairs of many rotary dimensions swap the same way.
    let many = is_last && (rank < 4 || groups > inside);
    if !kept || many || groups < 2 || groups.checked_mul(inside)? != channels {
        return None;
    }
    let concat = net.made_by(input, "Concat").filter(|_| net.only_use(input).is_some());
    let units = [split, transpose, end].into_iter().chain(concat);
    Some(Found::new(units).with(ShuffleBlock { groups }))
}

/// Whether a permutation swaps an axis with the next one, and nothing else.
fn swaps(permutation: &[i64], axis: usize) -> bool {
    permutation.iter().enumerate().all(|(at, from)| {
        let wanted = match at {
            _ if at == axis => axis + 1,
            _ if at == axis + 1 => axis,
            _ => at,
        };
        usize::try_from(*from) == Ok(wanted)
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn count(input: &[&str], to: &[i64], perm: &[i64], back: &[i64]) -> usize {
        let mut t = Tiny::new();
        let x = t.input(input);
        let target = t.ints(to);
        let y = t.op("Reshape", &[&x, &target]);
        let y = t.op_with("Transpose", &[&y], &[Attribute::ints("perm", perm)]);
        let target = t.ints(back);
        let y = t.op("Reshape", &[&y, &target]);
        t.output(&y).count(BlockKind::ShuffleBlock)
    }

    #[test]
    fn groups_and_their_channels_change_places() {
        let image = ["1", "8", "4", "6"];
        assert_eq!(count(&image, &[1, 2, 4, 4, 6], &[0, 2, 1, 3, 4], &[1, 8, 4, 6]), 1);
        let image = ["1", "4", "6", "8"];
        assert_eq!(count(&image, &[1, 4, 6, 2, 4], &[0, 1, 2, 4, 3], &[1, 4, 6, 8]), 1);
    }

    #[test]
    fn other_turns_are_none() {
        let image = ["1", "8", "4", "6"];
        assert_eq!(count(&image, &[1, 2, 4, 4, 6], &[0, 1, 3, 2, 4], &[1, 8, 4, 6]), 0);
        let pixels = count(&image, &[1, 2, 2, 2, 4, 6], &[0, 1, 4, 2, 5, 3], &[1, 2, 8, 12]);
        assert_eq!(pixels, 0, "a shuffle of pixels");
        let heads = count(&["1", "10", "16"], &[1, 10, 4, 4], &[0, 2, 1, 3], &[4, 10, 4]);
        assert_eq!(heads, 0, "heads of attention");
        let last = ["1", "4", "6", "8"];
        let rotary = count(&last, &[1, 4, 6, 4, 2], &[0, 1, 2, 4, 3], &[1, 4, 6, 8]);
        assert_eq!(rotary, 0, "pairs of rotary dimensions");
    }
}
