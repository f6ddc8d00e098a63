//! The blocks of residual networks of convolutions.
//!
//! | kind | form |
//! |---|---|
//! | `Bottleneck` | 1×1, k×k, 1×1 (the middle in groups: ResNeXt), shortcut, activation |
//! | `BasicBlock` | k×k, k×k, shortcut, activation: ResNet-18, Darknet, YOLO |
//!
//! With the norm before the convolution, after it, or folded into it; with squeeze-and-excite on the
//! path; quantized, where no activation is written. Extracts `channels`, those of the result,
//! `inner`, `groups`, `stride`, and whether the shortcut is a `projection`.

use super::Pattern;
use super::conv::{activation_after, convs_among};
use super::residual::around;
use crate::network::{BlockKind, Convolution, Found, Network, OpId, Ops, ResNetBlock};

pub(super) const BOTTLENECK: Pattern = Pattern {
    kind: BlockKind::Bottleneck,
    description: "Bottleneck residual block: 1×1, k×k and 1×1 convolutions with a residual connection.",
    anchors: Ops::blocks(&[BlockKind::ResidualAdd]),
    matcher: |net, end| find(net, end, bottleneck),
};

pub(super) const BASIC: Pattern = Pattern {
    kind: BlockKind::BasicBlock,
    description: "Basic residual block: two convolutions with a residual connection.",
    anchors: Ops::blocks(&[BlockKind::ResidualAdd]),
    matcher: |net, end| find(net, end, basic),
};

fn bottleneck(convs: &[&Convolution]) -> bool {
    let [reduce, middle, expand] = convs else { return false };
    let plain = reduce.is_pointwise() && middle.is_spatial() && expand.is_pointwise();
    plain && !middle.is_depthwise() && reduce.out_channels <= expand.out_channels
}

fn basic(convs: &[&Convolution]) -> bool {
    let [first, second] = convs else { return false };
    first.is_spatial() && second.is_spatial() && !first.is_depthwise() && !second.is_depthwise()
}

fn find(net: &Network<'_>, end: OpId, fits: fn(&[&Convolution]) -> bool) -> Option<Found> {
    let around = around(net, end)?;
    let convs = convs_among(net, &around.path)?;
    if !fits(&convs) {
        return None;
    }
    let projection = around.shortcut.iter().any(|unit| net.unit(*unit).contractions() > 0);
    let mut units = around.path;
    units.extend(around.shortcut);
    units.push(end);
    units.extend(activation_after(net, net.unit(end).output()));
    let stride = convs.iter().map(|conv| conv.stride).max();
    Some(
        Found::new(units)
            .with(ResNetBlock {
                channels: convs.last().and_then(|conv| conv.out_channels),
                inner: convs.first().and_then(|conv| conv.out_channels),
                groups: convs.get(1).map(|conv| conv.groups),
                stride,
                projection,
            })
            .taking([around.fork]),
    )
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{conv, conv_relu, shape};
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn seen(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        let mut t = Tiny::new();
        let x = t.input(&["1", "16", "16", "16"]);
        let x = t.op("Relu", &[&x]);
        let y = build(&mut t, &x);
        t.output(&y)
    }

    #[test]
    fn bottlenecks() {
        for groups in [1, 2] {
            let block = |t: &mut Tiny, x: &str| {
                let y = conv_relu(t, x, shape(16, 4, 1));
                let y = conv_relu(t, &y, shape(4, 4, 3).groups(groups));
                let y = conv(t, &y, shape(4, 16, 1));
                let y = t.op("Add", &[&y, x]);
                t.op("Relu", &[&y])
            };
            assert_eq!(seen(block).kinds(), ["ReLU", "Bottleneck"]);
        }
        let inverted = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(16, 64, 1));
            let y = conv_relu(t, &y, shape(64, 64, 3).groups(64));
            let y = conv(t, &y, shape(64, 16, 1));
            t.op("Add", &[&y, x])
        };
        let seen = seen(inverted);
        assert_eq!(
            (seen.count(BlockKind::Bottleneck), seen.count(BlockKind::InvertedResidual)),
            (0, 1)
        );
    }

    #[test]
    fn basic_blocks() {
        let block = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(16, 32, 3).stride(2));
            let y = conv(t, &y, shape(32, 32, 3));
            let s = conv(t, x, shape(16, 32, 1).stride(2));
            let y = t.op("Add", &[&y, &s]);
            t.op("Relu", &[&y])
        };
        let block = seen(block);
        assert_eq!(block.kinds(), ["ReLU", "BasicBlock"]);
        assert_eq!(
            block.first(BlockKind::BasicBlock, |_, unit| unit.resnet_block().unwrap().projection),
            Some(true)
        );
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let y = conv(t, &x, shape(16, 16, 3));
            let y = t.quantized(&y);
            let y = conv(t, &y, shape(16, 16, 3));
            let y = t.quantized(&y);
            t.op("Add", &[&x, &y])
        };
        assert_eq!(seen(quantized).count(BlockKind::BasicBlock), 1);
        let one = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(16, 16, 3));
            t.op("Add", &[&y, x])
        };
        let one = seen(one);
        assert_eq!((one.count(BlockKind::BasicBlock), one.count(BlockKind::Residual)), (0, 1));
    }
}
