//! The sigmoid linear unit, `x·sigmoid(x)`, also called Swish.
//!
//! | form | written by |
//! |---|---|
//! | `Sigmoid, Mul` with the same `x` | PyTorch, TensorFlow |
//! | `Swish`, `QuickGelu` with `alpha` 1 | opset 24, ONNX Runtime |
//! | `x / (1 + exp(-x))` | written out |
//!
//! A sigmoid that multiplies another value is a gate and no SiLU.

use super::Pattern;
use super::unary::{self, sigmoid};
use crate::network::{BlockKind, Found, Network, OpId, Ops};

pub(super) const SILU: Pattern = Pattern {
    kind: BlockKind::Silu,
    description: "Sigmoid linear unit (SiLU, swish), x·sigmoid(x).",
    anchors: Ops::operators(&["Exp", "QuickGelu", "Sigmoid", "Swish"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    unary::find(net, start, |samples| unary::is(samples, |x| x * sigmoid(x)))
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn count(build: impl FnOnce(&mut Tiny, &str) -> String) -> usize {
        Tiny::new().over(&["batch", "8"], build).count(BlockKind::Silu)
    }

    #[test]
    fn products_with_its_own_sigmoid() {
        let after = |t: &mut Tiny, x: &str| {
            let s = t.op("Sigmoid", &[x]);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(count(after), 1);
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let s = t.op("Sigmoid", &[&x]);
            let s = t.quantized(&s);
            t.op("Mul", &[&s, &x])
        };
        assert_eq!(count(quantized), 1);
        let on_integers = |t: &mut Tiny, x: &str| {
            let scale = t.scalar(0.1);
            let x = t.op("QuantizeLinear", &[x, &scale]);
            let s = t.on_integers("QLinearSigmoid", &[&x]);
            t.on_integers("QLinearMul", &[&x, &s])
        };
        assert_eq!(count(on_integers), 1);
        let halves = |t: &mut Tiny, x: &str| {
            let wide = t.cast(x, 1);
            let s = t.op("Sigmoid", &[&wide]);
            let s = t.cast(&s, 1);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(count(halves), 1);
        let written_out = |t: &mut Tiny, x: &str| {
            let n = t.op("Neg", &[x]);
            let e = t.op("Exp", &[&n]);
            let s = t.with("Add", &e, 1.0);
            t.op("Div", &[x, &s])
        };
        assert_eq!(count(written_out), 1);
    }

    #[test]
    fn one_operator() {
        assert_eq!(count(|t, x| t.op("Swish", &[x])), 1);
        let alpha = [Attribute::float("alpha", 1.0)];
        assert_eq!(count(|t, x| t.contrib_with("QuickGelu", &[x], &alpha)), 1);
        assert_eq!(count(|t, x| t.contrib("QuickGelu", &[x])), 0);
    }

    #[test]
    fn gates_are_none() {
        let gate = |t: &mut Tiny, x: &str| {
            let other = t.input(&["batch", "8"]);
            let s = t.op("Sigmoid", &[x]);
            t.op("Mul", &[&other, &s])
        };
        assert_eq!(count(gate), 0);
        // The mask of a squeezed value is not an activation of the value it multiplies.
        let excite = |t: &mut Tiny, x: &str| {
            let w = t.weight(&[8, 8]);
            let y = t.op("MatMul", &[x, &w]);
            let s = t.op("Sigmoid", &[&y]);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(count(excite), 0);
    }
}
