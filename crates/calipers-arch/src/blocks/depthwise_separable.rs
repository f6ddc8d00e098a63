//! Depthwise-separable convolution: each channel filtered by itself, then mixed place by place.
//!
//! | form | written by |
//! |---|---|
//! | depthwise, norm, activation, 1×1 | MobileNetV1, the first block of MobileNetV2 and EfficientNet |
//! | depthwise, 1×1 | Xception, BiFPN, depthwise heads |
//!
//! What is part of an inverted residual or a ConvNeXt block is taken before. Extracts `in`, `out`,
//! `kernel`, `stride`.

use super::Pattern;
use super::conv::{CONVS, conv};
use super::inverted_residual::conv_behind;
use crate::network::{BlockKind, DepthwiseSeparable, Found, Network, OpId};

pub(super) const DEPTHWISE_SEPARABLE: Pattern = Pattern {
    kind: BlockKind::DepthwiseSeparable,
    description: "Depthwise-separable convolution: filters each channel, then mixes channels with a 1×1 convolution.",
    anchors: CONVS,
    matcher: find,
};

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let mix = conv(net, end).filter(|conv| conv.is_pointwise())?;
    let mut units = vec![end];
    let (first, filter) = conv_behind(net, net.unit(end).input(0)?, &mut units)?;
    if !filter.is_depthwise() || !filter.is_spatial() {
        return None;
    }
    units.push(first);
    Some(
        Found::new(units)
            .with(DepthwiseSeparable {
                in_channels: filter.in_channels,
                out_channels: mix.out_channels,
                kernel: filter.side(),
                stride: filter.stride,
            })
            .taking(net.unit(first).input(0)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{conv, conv_relu, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["1", "8", "16", "16"], build)
    }

    #[test]
    fn filtered_then_mixed() {
        let plain = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 8, 3).groups(8));
            conv(t, &y, shape(8, 16, 1))
        };
        assert_eq!(seen(plain).kinds(), ["DepthwiseSeparable"]);
        let activated = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 8, 3).groups(8).stride(2));
            conv_relu(t, &y, shape(8, 16, 1))
        };
        assert_eq!(seen(activated).kinds(), ["DepthwiseSeparable"]);
    }

    #[test]
    fn groups_and_mixing_first_are_none() {
        let groups = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 8, 3).groups(2));
            conv(t, &y, shape(8, 16, 1))
        };
        assert_eq!(seen(groups).count(BlockKind::DepthwiseSeparable), 0);
        let mixed_first = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 16, 1));
            conv(t, &y, shape(16, 16, 3).groups(16))
        };
        assert_eq!(seen(mixed_first).count(BlockKind::DepthwiseSeparable), 0);
    }
}
