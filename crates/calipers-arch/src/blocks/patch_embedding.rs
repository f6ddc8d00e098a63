//! Patch embedding: an image cut into patches, each projected to a token.
//!
//! | form | written by |
//! |---|---|
//! | convolution whose kernel is its stride, `Reshape` or `Flatten`, `Transpose` to tokens | ViT, DeiT, CLIP, BEiT |
//! | the same, `Transpose` to channels last | Swin, SAM |
//!
//! Extracts `patch`, the side of a patch, and `width` of a token. The convolution must read the
//! input itself: one that merges tokens later, or thins keys and values, is none. Channels last
//! alone do not make tokens, as ConvNeXt shows: there the network must attend.

use calipers_ops::Movement;

use super::Pattern;
use crate::network::{BlockKind, Found, Network, OpId, Ops, PatchEmbedding};

pub(super) const PATCH_EMBEDDING: Pattern = Pattern {
    kind: BlockKind::PatchEmbedding,
    description: "Splits an image into patches and projects each to a token.",
    anchors: Ops { blocks: &[BlockKind::Convolution], operators: &["Conv"] },
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let (x, out) = (unit.input(0)?, unit.output());
    let conv = unit.walk().find(|part| part.is("Conv"))?;
    let strides = net.ints(conv, "strides")?;
    let patch = strides.last().copied().filter(|patch| *patch > 1)?;
    let weight = conv.input(1)?;
    let sides: Option<Vec<i64>> =
        net.shape(weight)?.get(2..)?.iter().map(calipers_sym::Expr::as_const).collect();
    let covers = sides? == strides && net.int(conv, "group").unwrap_or(1) == 1;
    if !covers || !reads_input(net, x) {
        return None;
    }
    let width = net.dim(out, 1);
    let mut units = vec![end];
    let mut val = out;
    // A bias that is still apart.
    if let Some(user) = net.only_use(val)
        && net.unit(user).is("Add")
        && net.data_and_constant(net.unit(user)).is_some()
    {
        units.push(user);
        val = net.unit(user).output();
    }
    let mut turned = false;
    while let Some(user) = net.only_use(val).filter(|user| net.unit(*user).is_layout())
        && units.len() < 8
    {
        turned |= net.unit(user).is("Transpose");
        units.push(user);
        val = net.unit(user).output();
    }
    let last = net.dim(val, -1) == width && width.is_some();
    let tokens = turned && last && (net.rank(val) == Some(3) || net.has(BlockKind::Attention));
    tokens.then(|| Found::new(units).with(PatchEmbedding { patch: Some(patch), width }).taking([x]))
}

/// Whether a value is an input of the network, at most scaled and shifted.
fn reads_input(net: &Network<'_>, x: crate::network::Val) -> bool {
    let mut val = x;
    for _ in 0..12 {
        let Some(unit) = net.producer(val).map(|unit| net.unit(unit)) else { return true };
        let passes = unit.is_layout()
            || unit.is_cut()
            || matches!(unit.movement(), Some(Movement::Join | Movement::Pad))
            || unit.is(["Add", "Clip", "Div", "Mul", "Resize", "Sub"]);
        let (true, Some(input)) = (passes, net.data_inputs(unit).next()) else { return false };
        val = input;
    }
    false
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use crate::blocks::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn patches(t: &mut Tiny, x: &str, stride: i64) -> String {
        let (weight, bias) = (t.weight(&[32, 3, 4, 4]), t.weight(&[32]));
        let strides = Attribute::ints("strides", &[stride, stride]);
        t.op_with("Conv", &[x, &weight, &bias], &[strides])
    }

    #[test]
    fn tokens() {
        let mut t = Tiny::new();
        let x = t.input(&["2", "3", "16", "16"]);
        let grid = patches(&mut t, &x, 4);
        let row = t.reshape(&grid, &[2, 32, 16]);
        let y = t.transpose(&row, &[0, 2, 1]);
        let seen = t.output(&y);
        assert_eq!(seen.kinds(), ["PatchEmbedding"]);
        let found = seen.first(BlockKind::PatchEmbedding, |_, unit| {
            let patches = unit.patch_embedding().unwrap();
            (patches.patch, patches.width)
        });
        assert_eq!(found, Some((Some(4), Some(32))));
    }

    #[test]
    fn overlapping_patches_and_channels_last_alone_are_none() {
        let mut t = Tiny::new();
        let x = t.input(&["2", "3", "16", "16"]);
        let grid = patches(&mut t, &x, 2);
        let row = t.reshape(&grid, &[2, 32, 49]);
        let y = t.transpose(&row, &[0, 2, 1]);
        assert_eq!(t.output(&y).count(BlockKind::PatchEmbedding), 0);

        let mut t = Tiny::new();
        let x = t.input(&["2", "3", "16", "16"]);
        let grid = patches(&mut t, &x, 4);
        let last = t.transpose(&grid, &[0, 2, 3, 1]);
        let y = t.layer_norm(&last, 32);
        assert_eq!(t.output(&y).count(BlockKind::PatchEmbedding), 0);
    }
}
