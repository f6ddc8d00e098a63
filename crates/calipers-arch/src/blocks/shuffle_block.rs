//! Channel shuffle: channels of all groups mixed by a transposition.
//!
//! | form | written by |
//! |---|---|
//! | `Reshape` to groups, `Transpose` of groups and their channels, `Reshape` back | ShuffleNet |
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
    let swapped = permutation.iter().enumerate().all(|(place, axis)| {
        let wanted = match place {
            1 => 2,
            2 => 1,
            _ => place,
        };
        usize::try_from(*axis) == Ok(wanted)
    });
    let (groups, inside) = (net.dim(grouped, 1)?, net.dim(grouped, 2)?);
    let channels = net.dim(input, 1)?;
    // Where the places are kept, the channels were split.
    let kept = net.shape(grouped)?.get(3..) == net.shape(input)?.get(2..);
    if !swapped || !kept || groups < 2 || groups.checked_mul(inside)? != channels {
        return None;
    }
    let concat = net.made_by(input, "Concat").filter(|_| net.only_use(input).is_some());
    let units = [split, transpose, end].into_iter().chain(concat);
    Some(Found::new(units).with(ShuffleBlock { groups }))
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
    }

    #[test]
    fn other_turns_are_none() {
        let image = ["1", "8", "4", "6"];
        assert_eq!(count(&image, &[1, 2, 4, 4, 6], &[0, 1, 3, 2, 4], &[1, 8, 4, 6]), 0);
        let pixels = count(&image, &[1, 2, 2, 2, 4, 6], &[0, 1, 4, 2, 5, 3], &[1, 2, 8, 12]);
        assert_eq!(pixels, 0, "a shuffle of pixels");
        let heads = count(&["1", "10", "16"], &[1, 10, 4, 4], &[0, 2, 1, 3], &[4, 10, 4]);
        assert_eq!(heads, 0, "heads of attention");
    }
}
