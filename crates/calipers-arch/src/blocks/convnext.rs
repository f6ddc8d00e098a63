//! The block of ConvNeXt: a wide depthwise convolution, a norm, two products around a GELU, and a
//! shortcut around all.
//!
//! | form | written by |
//! |---|---|
//! | depthwise `Conv`, `Transpose`, LayerNorm, Linear, GELU, Linear, `Transpose`, `Mul`, `Add` | torchvision, Hugging Face |
//! | depthwise `Conv`, LayerNorm over channels, `Conv` 1×1, GELU, `Conv` 1×1, `Mul`, `Add` | timm |
//!
//! Extracts `channels`, `inner` and `kernel`.

use super::Pattern;
use super::conv::{ACTIVATIONS, NORMS, conv};
use super::residual::around;
use crate::network::{BlockKind, ConvNextBlock, Details, Found, Network, OpId, Ops};

pub(super) const CONVNEXT: Pattern = Pattern {
    kind: BlockKind::ConvNextBlock,
    description: "ConvNeXt block: depthwise convolution, norm and two pointwise layers with a residual connection.",
    anchors: Ops::blocks(&[BlockKind::ResidualAdd]),
    matcher: find,
};

/// What may lie between the convolution and the addition, next to norms and activations.
const INSIDE: ([BlockKind; 2], [&str; 5]) =
    ([BlockKind::FeedForward, BlockKind::Linear], ["Add", "Div", "Gemm", "MatMul", "Mul"]);

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let around = around(net, end)?;
    let (first, rest) = around.path.split_first()?;
    let wide = conv(net, *first).filter(|conv| conv.is_depthwise() && conv.is_spatial())?;
    if !around.shortcut.is_empty() || around.contractions != 3 {
        return None;
    }
    let mut inner = None;
    for id in rest {
        let unit = net.unit(*id);
        let pointwise = conv(net, *id).filter(|conv| conv.is_pointwise());
        let width = match unit.details() {
            Some(Details::FeedForward(layers)) => layers.inner,
            Some(Details::Linear(linear)) => linear.out_features,
            _ => pointwise.and_then(|conv| conv.out_channels),
        };
        inner = inner.max(width);
        let dresses = unit.is(NORMS) || unit.is(ACTIVATIONS) || unit.is_layout();
        if pointwise.is_none() && !unit.is(INSIDE) && !dresses {
            return None;
        }
    }
    let normed =
        rest.iter().any(|id| net.unit(*id).is((BlockKind::LayerNorm, "LayerNormalization")));
    let units = around.path.iter().copied().chain([end]);
    normed.then(|| {
        Found::new(units)
            .with(ConvNextBlock { channels: wide.in_channels, inner, kernel: wide.side() })
            .taking([around.fork])
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::sketch::{conv, linear, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "8", "16", "16"], build)
    }

    fn turned(t: &mut Tiny, x: &str, perm: [i64; 4]) -> String {
        t.op_with("Transpose", &[x], &[Attribute::ints("perm", &perm)])
    }

    fn block(t: &mut Tiny, x: &str, first: super::super::testing::sketch::Shape) -> String {
        let y = conv(t, x, first);
        let y = turned(t, &y, [0, 2, 3, 1]);
        let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
        let y = t.op("LayerNormalization", &[&y, &scale, &shift]);
        let y = linear(t, &y, 8, 32);
        let y = t.op("Gelu", &[&y]);
        let y = linear(t, &y, 32, 8);
        let y = turned(t, &y, [0, 3, 1, 2]);
        let gamma = t.weight(&[8, 1, 1]);
        let y = t.op("Mul", &[&gamma, &y]);
        t.op("Add", &[&y, x])
    }

    #[test]
    fn wide_filters_then_products() {
        let seen = seen(|t, x| block(t, x, shape(8, 8, 7).groups(8)));
        assert_eq!(seen.kinds(), ["ConvNeXtBlock"]);
        assert!(seen.takes_the_input(BlockKind::ConvNextBlock));
    }

    #[test]
    fn a_convolution_over_all_channels_is_none() {
        assert_eq!(seen(|t, x| block(t, x, shape(8, 8, 7))).count(BlockKind::ConvNextBlock), 0);
    }
}
