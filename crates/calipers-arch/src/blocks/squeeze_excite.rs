//! Squeeze-and-excite: channels weighted by what a small network makes of their means.
//!
//! | form | written by |
//! |---|---|
//! | `GlobalAveragePool, Conv, Relu, Conv, Sigmoid, Mul` | PyTorch: EfficientNet, MobileNetV3 (with `HardSigmoid`) |
//! | `ReduceMean, Conv, …` | TensorFlow, timm |
//! | `GlobalAveragePool, Reshape, Gemm, Relu, Gemm, Sigmoid, Reshape, Mul` | SE-ResNet |
//!
//! What is multiplied must be what was pooled, and there must be two products between: a sigmoid
//! times its own input is SiLU, a gate from elsewhere is not a squeeze. Extracts `channels` and
//! `squeezed`, the width between the products.

use calipers_ops::{Pool, Traits};

use super::Pattern;
use super::conv::{ACTIVATIONS, GATES, NORMS, conv, scales};
use crate::network::{BlockKind, Found, Network, NetworkOp, OpId, Ops, SqueezeExcite, Val};

pub(super) const SQUEEZE_EXCITE: Pattern = Pattern {
    kind: BlockKind::SqueezeExcite,
    description: "Squeeze-and-excitation: scales channels by a gate computed from their means.",
    anchors: Ops::operators(&["Mul"]),
    matcher: find,
};

/// Steps from the product back to the pooling.
const MAX_STEPS: usize = 14;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let (a, b) = net.data_pair(net.unit(end))?;
    [(a, b), (b, a)].into_iter().find_map(|(gate, pooled)| excited(net, end, gate, pooled))
}

fn excited(net: &Network<'_>, end: OpId, gate: Val, pooled: Val) -> Option<Found> {
    let mut units = vec![end];
    let (mut at, mut gated, mut products) = (gate, false, Vec::new());
    for _ in 0..MAX_STEPS {
        net.only_use(at)?;
        let id = net.producer(at)?;
        let unit = net.unit(id);
        units.push(id);
        if products.len() == 2 && pools(net, unit) {
            let found = Found::new(units).taking([pooled]);
            let (outer, inner) = (products.first()?, products.get(1)?);
            return (unit.input(0)? == pooled)
                .then(|| found.with(SqueezeExcite { channels: *outer, squeezed: *inner }));
        }
        let mut inputs = net.data_inputs(unit);
        let input = inputs.next().filter(|_| inputs.next().is_none())?;
        if !gated && unit.is(GATES) {
            gated = true;
        } else if gated && product(net, id) {
            products.push(width(net, at));
        } else if !(unit.is_layout() || between(net, unit)) {
            return None;
        }
        at = input;
    }
    None
}

fn product(net: &Network<'_>, id: OpId) -> bool {
    let unit = net.unit(id);
    unit.is((BlockKind::Linear, ["Gemm", "MatMul"]))
        || conv(net, id).is_some_and(|conv| conv.is_pointwise())
}

fn between(net: &Network<'_>, unit: &NetworkOp) -> bool {
    unit.is(ACTIVATIONS) || unit.is(NORMS) || scales(net, unit)
}

/// Channels of a value whose places were pooled.
fn width(net: &Network<'_>, val: Val) -> Option<i64> {
    net.shape(val)?.iter().skip(1).filter_map(|dim| dim.as_const()).max()
}

/// Whether a unit takes the mean, or the largest, over all places.
pub(super) fn pools(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let pool = unit.traits().and_then(Traits::pool);
    if pool.is_some_and(Pool::is_global) {
        return true;
    }
    let (Some(from), Some(to)) = (unit.input(0), unit.outputs.first()) else { return false };
    if pool.is_some() {
        return super::conv::area(net, *to) == Some(1) && super::conv::area(net, from) != Some(1);
    }
    if !unit.is(["ReduceMean", "ReduceMax"]) || net.rank(from).is_none_or(|rank| rank < 3) {
        return false;
    }
    // Channels stay, places go.
    let (Some(before), Some(after)) = (net.shape(from), net.elements_next_to(*to)) else {
        return false;
    };
    let channels = [before.get(1), before.last()];
    channels.iter().flatten().any(|dim| dim.as_const() == Some(after))
}

#[cfg(test)]
mod tests {
    use super::super::testing::sketch::{conv, conv_relu, linear, shape};
    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn count(build: impl FnOnce(&mut Tiny, &str) -> String) -> usize {
        Tiny::new().over(&["batch", "8", "16", "16"], build).count(BlockKind::SqueezeExcite)
    }

    fn gate(t: &mut Tiny, mean: &str, activation: &str) -> String {
        let y = conv_relu(t, mean, shape(8, 2, 1));
        let y = conv(t, &y, shape(2, 8, 1));
        t.op(activation, &[&y])
    }

    #[test]
    fn by_convolutions() {
        for activation in ["Sigmoid", "HardSigmoid"] {
            let pooled = |t: &mut Tiny, x: &str| {
                let mean = t.op("GlobalAveragePool", &[x]);
                let gate = gate(t, &mean, activation);
                t.op("Mul", &[&gate, x])
            };
            assert_eq!(count(pooled), 1, "{activation}");
        }
        let reduced = |t: &mut Tiny, x: &str| {
            let axes = t.ints(&[2, 3]);
            let mean = t.op("ReduceMean", &[x, &axes]);
            let gate = gate(t, &mean, "Sigmoid");
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(count(reduced), 1);
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let mean = t.op("GlobalAveragePool", &[&x]);
            let mean = t.quantized(&mean);
            let gate = gate(t, &mean, "Sigmoid");
            let gate = t.quantized(&gate);
            t.op("Mul", &[&gate, &x])
        };
        assert_eq!(count(quantized), 1);
    }

    #[test]
    fn by_linear_layers() {
        let rows = |t: &mut Tiny, x: &str| {
            let mean = t.op("GlobalAveragePool", &[x]);
            let row = t.op("Flatten", &[&mean]);
            let y = linear(t, &row, 8, 2);
            let y = t.op("Relu", &[&y]);
            let y = linear(t, &y, 2, 8);
            let y = t.op("Sigmoid", &[&y]);
            let target = t.ints(&[-1, 8, 1, 1]);
            let gate = t.op("Reshape", &[&y, &target]);
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(count(rows), 1);
    }

    #[test]
    fn other_gates_are_none() {
        let silu = |t: &mut Tiny, x: &str| {
            let s = t.op("Sigmoid", &[x]);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(count(silu), 0);
        let elsewhere = |t: &mut Tiny, x: &str| {
            let other = t.input(&["batch", "8", "16", "16"]);
            let mean = t.op("GlobalAveragePool", &[&other]);
            let gate = gate(t, &mean, "Sigmoid");
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(count(elsewhere), 0, "another value was pooled");
        let once = |t: &mut Tiny, x: &str| {
            let mean = t.op("GlobalAveragePool", &[x]);
            let y = conv(t, &mean, shape(8, 8, 1));
            let gate = t.op("Sigmoid", &[&y]);
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(count(once), 0, "one product squeezes nothing");
    }
}
