//! Inverted residual: 1×1 to more channels, a depthwise convolution, 1×1 to fewer.
//!
//! | form | written by |
//! |---|---|
//! | 1×1, activation, depthwise, activation, 1×1, perhaps an addition | MobileNetV2, MnasNet |
//! | the same with squeeze-and-excite before the last 1×1 | MobileNetV3, EfficientNet |
//! | no activations | quantized: ranges cut off instead |
//!
//! With the addition where there is one; without it where channels or resolution change. Extracts
//! `in`, `out`, `inner`, `kernel`, `stride`, and whether it has a `shortcut`.

use super::Pattern;
use super::conv::{ACTIVATIONS, CONVS, NORMS, conv, is_activated};
use super::residual::around;
use crate::network::{BlockKind, Convolution, Found, InvertedResidual, Network, OpId, Val};

pub(super) const INVERTED_RESIDUAL: Pattern = Pattern {
    kind: BlockKind::InvertedResidual,
    description: "Inverted residual: expands channels, filters them depthwise and projects them back.",
    anchors: CONVS,
    matcher: find,
};

/// Back to the convolution that a value comes from, by norms, activations and squeeze-and-excite
/// that nothing else reads. The units between come with it.
pub(super) fn conv_behind<'n>(
    net: &'n Network<'_>,
    val: Val,
    between: &mut Vec<OpId>,
) -> Option<(OpId, &'n Convolution)> {
    let mut at = val;
    for _ in 0..4 {
        net.only_use(at)?;
        let id = net.producer(at)?;
        if let Some(shape) = conv(net, id) {
            return Some((id, shape));
        }
        let unit = net.unit(id);
        if !(unit.is(BlockKind::SqueezeExcite) || unit.is(NORMS) || unit.is(ACTIVATIONS)) {
            return None;
        }
        between.push(id);
        at = unit.input(0)?;
    }
    None
}

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let project = conv(net, end).filter(|conv| conv.is_pointwise() && !is_activated(net, end))?;
    if project.out_channels >= project.in_channels {
        return None;
    }
    let mut units = vec![end];
    let (middle, depthwise) = conv_behind(net, net.unit(end).input(0)?, &mut units)?;
    if !depthwise.is_depthwise() || !depthwise.is_spatial() {
        return None;
    }
    units.push(middle);
    let (first, expand) = conv_behind(net, net.unit(middle).input(0)?, &mut units)?;
    if !expand.is_pointwise() || expand.out_channels <= expand.in_channels {
        return None;
    }
    units.push(first);
    let input = net.unit(first).input(0)?;
    let output = net.unit(end).output();
    let join = net.only_use(output).filter(|join| net.unit(*join).is(BlockKind::ResidualAdd));
    let join = join.filter(|join| around(net, *join).is_some_and(|found| found.fork == input));
    units.extend(join);
    Some(
        Found::new(units)
            .with(InvertedResidual {
                in_channels: expand.in_channels,
                out_channels: project.out_channels,
                inner: depthwise.in_channels,
                kernel: depthwise.side(),
                stride: depthwise.stride,
                shortcut: join.is_some(),
            })
            .taking([input]),
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
    fn with_and_without_a_shortcut() {
        let with = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 32, 1));
            let y = conv_relu(t, &y, shape(32, 32, 3).groups(32));
            let y = conv(t, &y, shape(32, 8, 1));
            t.op("Add", &[&y, x])
        };
        let with = seen(with);
        assert_eq!(with.kinds(), ["InvertedResidual"]);
        assert_eq!(
            with.first(BlockKind::InvertedResidual, |_, unit| unit
                .inverted_residual()
                .unwrap()
                .shortcut),
            Some(true)
        );
        let without = |t: &mut Tiny, x: &str| {
            let y = conv(t, x, shape(8, 32, 1));
            let y = conv(t, &y, shape(32, 32, 3).groups(32).stride(2));
            conv(t, &y, shape(32, 12, 1))
        };
        assert_eq!(seen(without).kinds(), ["InvertedResidual"], "as quantized networks write it");
    }

    #[test]
    fn with_squeeze_and_excite() {
        let block = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 32, 1));
            let y = conv_relu(t, &y, shape(32, 32, 5).groups(32));
            let mean = t.op("GlobalAveragePool", &[&y]);
            let gate = conv_relu(t, &mean, shape(32, 2, 1));
            let gate = conv(t, &gate, shape(2, 32, 1));
            let gate = t.op("Sigmoid", &[&gate]);
            let y = t.op("Mul", &[&gate, &y]);
            conv(t, &y, shape(32, 8, 1))
        };
        assert_eq!(seen(block).kinds(), ["InvertedResidual"]);
    }

    #[test]
    fn separable_convolutions_are_none() {
        let chain = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 16, 1));
            let y = conv_relu(t, &y, shape(16, 16, 3).groups(16));
            conv_relu(t, &y, shape(16, 16, 1))
        };
        let seen = seen(chain);
        assert_eq!(
            (seen.count(BlockKind::InvertedResidual), seen.count(BlockKind::DepthwiseSeparable)),
            (0, 1)
        );
    }
}
