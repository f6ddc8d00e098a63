//! Unaries made of straight lines: ReLU, ReLU6, hard sigmoid, hard swish, leaky ReLU.
//!
//! | kind | forms |
//! |---|---|
//! | HardSwish | `HardSwish`; `x·HardSigmoid(x)`; `x·Clip(x + 3, 0, 6)/6`, in any order |
//! | HardSigmoid | `HardSigmoid`; `Clip(x + 3, 0, 6)/6`; `Clip(0.2·x + 0.5, 0, 1)` (Keras) |
//! | ReLU6 | `Clip(x, 0, 6)`; `Min(Relu(x), 6)` |
//! | ReLU | `Relu`; behind a layer also `Max(x, 0)` and `Clip` with no upper limit |
//! | LeakyReLU | `LeakyRelu`; behind a layer also `Max(x, a·x)` |
//!
//! The operators `HardSwish` and `HardSigmoid` are units of these kinds already. The longer forms
//! are looked for first: a hard swish holds a hard sigmoid, which holds a ReLU6.

use super::Pattern;
use super::unary::{self, POINTS, Samples};
use crate::network::{BlockKind, Found, Network, OpId, Ops, Val};

/// What gives features.
const LAYERS: (&[BlockKind], &[BlockKind]) = (BlockKind::NORMS, BlockKind::WEIGHTED);

pub(super) const HARD_SWISH: Pattern = Pattern {
    kind: BlockKind::HardSwish,
    description: "Hard-swish activation, x·clip(x + 3, 0, 6)/6.",
    anchors: Ops { blocks: &[BlockKind::HardSigmoid], operators: &["Clip", "Min"] },
    matcher: |net, start| unary::find(net, start, |f| unary::is(f, |x| x * gate(x))),
};

pub(super) const HARD_SIGMOID: Pattern = Pattern {
    kind: BlockKind::HardSigmoid,
    description: "Hard sigmoid: piecewise linear approximation of the sigmoid.",
    anchors: Ops::operators(&["Clip", "Min"]),
    matcher: |net, start| unary::find(net, start, |f| unary::is(f, gate) || unary::is(f, keras)),
};

pub(super) const RELU6: Pattern = Pattern {
    kind: BlockKind::Relu6,
    description: "ReLU clipped at 6.",
    anchors: Ops::operators(&["Clip", "Min"]),
    matcher: |net, start| unary::find(net, start, |f| unary::is(f, |x| x.clamp(0.0, 6.0))),
};

pub(super) const RELU: Pattern = Pattern {
    kind: BlockKind::Relu,
    description: "Rectified linear unit, max(x, 0).",
    anchors: Ops::operators(&["Clip", "Max", "Relu"]),
    matcher: rectifier,
};

pub(super) const LEAKY_RELU: Pattern = Pattern {
    kind: BlockKind::LeakyRelu,
    description: "Leaky ReLU: small slope for negative values.",
    anchors: Ops::operators(&["LeakyRelu", "Max"]),
    matcher: leaky,
};

/// Zero below -3, one above 3.
fn gate(x: f64) -> f64 {
    (x / 6.0 + 0.5).clamp(0.0, 1.0)
}

fn keras(x: f64) -> f64 {
    (0.2 * x + 0.5).clamp(0.0, 1.0)
}

fn rectifier(net: &Network<'_>, start: OpId) -> Option<Found> {
    if net.unit(start).is("Relu") {
        return Some(Found::new([start]));
    }
    let found = unary::find(net, start, |f| unary::is(f, |x| x.max(0.0)))?;
    follows_a_layer(net, &found).then_some(found)
}

/// Whether a block takes what a layer gives. A limit at zero elsewhere is arithmetic: of boxes, of
/// depths in a tree.
fn follows_a_layer(net: &Network<'_>, found: &Found) -> bool {
    let layer = |val: Val| net.made_by(net.back_through_layout(val), LAYERS).is_some();
    found.inputs.first().is_some_and(|x| {
        let added = net.made_by(*x, "Add").and_then(|add| net.data_pair(net.unit(add)));
        layer(*x) || added.is_some_and(|(a, b)| layer(a) || layer(b))
    })
}

fn leaky(net: &Network<'_>, start: OpId) -> Option<Found> {
    if net.unit(start).is("LeakyRelu") {
        return Some(Found::new([start]));
    }
    let wanted = |samples: &Samples| {
        let slope = samples[0] / POINTS[0];
        slope > 0.0 && slope < 0.9 && unary::is(samples, |x| if x > 0.0 { x } else { slope * x })
    };
    let found = unary::find(net, start, wanted)?;
    follows_a_layer(net, &found).then_some(found)
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Tiny};

    /// The kinds of the units that are in the end.
    fn kinds(build: impl FnOnce(&mut Tiny, &str) -> String) -> Vec<&'static str> {
        Tiny::new().over(&["batch", "8"], build).kinds()
    }

    fn clip(t: &mut Tiny, x: &str, low: f32, high: f32) -> String {
        let (low, high) = (t.scalar(low), t.scalar(high));
        t.op("Clip", &[x, &low, &high])
    }

    fn linear(t: &mut Tiny, x: &str) -> String {
        let w = t.weight(&[8, 8]);
        t.op("MatMul", &[x, &w])
    }

    #[test]
    fn hard_swish_and_what_it_holds() {
        let torch = |t: &mut Tiny, x: &str| {
            let moved = t.with("Add", x, 3.0);
            let gate = clip(t, &moved, 0.0, 6.0);
            let product = t.op("Mul", &[x, &gate]);
            t.with("Div", &product, 6.0)
        };
        assert_eq!(kinds(torch), ["HardSwish"]);
        let keras = |t: &mut Tiny, x: &str| {
            let moved = t.with("Add", x, 3.0);
            let rectified = t.op("Relu", &[&moved]);
            let gate = t.with("Min", &rectified, 6.0);
            let sixth = t.with("Mul", &gate, 1.0 / 6.0);
            t.op("Mul", &[x, &sixth])
        };
        assert_eq!(kinds(keras), ["HardSwish"]);
        let operator = |t: &mut Tiny, x: &str| {
            let slope = [Attribute::float("alpha", 1.0 / 6.0)];
            let gate = t.op_with("HardSigmoid", &[x], &slope);
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(kinds(operator), ["HardSwish"]);
        assert_eq!(kinds(|t, x| t.op("HardSwish", &[x])), ["HardSwish"]);
        // The slope that is the default of the operator makes another activation.
        let steeper = |t: &mut Tiny, x: &str| {
            let gate = t.op("HardSigmoid", &[x]);
            t.op("Mul", &[x, &gate])
        };
        assert_eq!(kinds(steeper), ["HardSigmoid", "Mul"]);
    }

    #[test]
    fn hard_sigmoid() {
        let torch = |t: &mut Tiny, x: &str| {
            let moved = t.with("Add", x, 3.0);
            let gate = clip(t, &moved, 0.0, 6.0);
            t.with("Div", &gate, 6.0)
        };
        assert_eq!(kinds(torch), ["HardSigmoid"]);
        let keras = |t: &mut Tiny, x: &str| {
            let sloped = t.with("Mul", x, 0.2);
            let moved = t.with("Add", &sloped, 0.5);
            clip(t, &moved, 0.0, 1.0)
        };
        assert_eq!(kinds(keras), ["HardSigmoid"]);
    }

    #[test]
    fn rectifiers() {
        assert_eq!(kinds(|t, x| t.op("Relu", &[x])), ["ReLU"]);
        let behind = |t: &mut Tiny, x: &str| {
            let y = linear(t, x);
            t.with("Max", &y, 0.0)
        };
        assert_eq!(kinds(behind), ["Linear", "ReLU"]);
        assert_eq!(kinds(|t, x| clip(t, x, 0.0, 6.0)), ["ReLU6"]);
        assert_eq!(kinds(|t, x| t.op("LeakyRelu", &[x])), ["LeakyReLU"]);
        let capped = |t: &mut Tiny, x: &str| {
            let rectified = t.op("Relu", &[x]);
            t.with("Min", &rectified, 6.0)
        };
        assert_eq!(kinds(capped), ["ReLU6"]);
        let darknet = |t: &mut Tiny, x: &str| {
            let x = linear(t, x);
            let small = t.with("Mul", &x, 0.1);
            t.op("Max", &[&x, &small])
        };
        assert_eq!(kinds(darknet), ["Linear", "LeakyReLU"]);
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let y = clip(t, &x, 0.0, 6.0);
            t.quantized(&y)
        };
        assert_eq!(kinds(quantized), ["ReLU6"]);
    }

    #[test]
    fn near_misses() {
        assert_eq!(kinds(|t, x| clip(t, x, -1.0, 1.0)), ["Clip"]);
        assert_eq!(kinds(|t, x| clip(t, x, 0.0, 1.0)), ["Clip"]);
        assert_eq!(kinds(|t, x| t.with("Max", x, 1.0)), ["Max"]);
        // No layer before it.
        assert_eq!(kinds(|t, x| t.with("Max", x, 0.0)), ["Max"]);
    }
}
