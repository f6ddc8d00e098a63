//! Mish, `x·tanh(softplus(x))`.
//!
//! | form | written by |
//! |---|---|
//! | `Mish` | opset 18 |
//! | `Softplus, Tanh, Mul` | PyTorch |
//! | `Exp, Add 1, Log, Tanh, Mul` | TensorFlow |
//!
//! The operator `Mish` is a unit of this kind already.

use super::Pattern;
use super::unary;
use crate::network::{BlockKind, Ops};

pub(super) const MISH: Pattern = Pattern {
    kind: BlockKind::Mish,
    description: "Mish activation, x·tanh(softplus(x)).",
    anchors: Ops::operators(&["Tanh"]),
    matcher: |net, start| unary::find(net, start, |f| unary::is(f, |x| x * x.exp().ln_1p().tanh())),
};

#[cfg(test)]
mod tests {
    use super::super::testing::{Inspect as _, Tiny};

    fn kinds(build: impl FnOnce(&mut Tiny, &str) -> String) -> Vec<&'static str> {
        Tiny::new().over(&["batch", "8"], build).kinds()
    }

    #[test]
    fn every_form() {
        assert_eq!(kinds(|t, x| t.op("Mish", &[x])), ["Mish"]);
        let torch = |t: &mut Tiny, x: &str| {
            let s = t.op("Softplus", &[x]);
            let y = t.op("Tanh", &[&s]);
            t.op("Mul", &[x, &y])
        };
        assert_eq!(kinds(torch), ["Mish"]);
        let written_out = |t: &mut Tiny, x: &str| {
            let e = t.op("Exp", &[x]);
            let s = t.with("Add", &e, 1.0);
            let l = t.op("Log", &[&s]);
            let y = t.op("Tanh", &[&l]);
            t.op("Mul", &[&y, x])
        };
        assert_eq!(kinds(written_out), ["Mish"]);
    }

    #[test]
    fn another_factor_is_a_gate() {
        let gate = |t: &mut Tiny, x: &str| {
            let other = t.input(&["batch", "8"]);
            let y = t.op("Tanh", &[x]);
            t.op("Mul", &[&other, &y])
        };
        assert_eq!(kinds(gate), ["Tanh", "Mul"]);
    }
}
