//! Activations that are one operator, under the names people use.
//!
//! | kind | operator |
//! |---|---|
//! | PReLU | `PRelu` |
//! | ELU, SELU, CELU | `Elu`, `Selu`, `Celu` |
//!
//! `Sigmoid`, `Tanh`, `Softplus` and `Softmax` have their names already.

use super::Pattern;
use crate::network::{BlockKind, Found, Network, OpId, Ops};

pub(super) const PRELU: Pattern = Pattern {
    kind: BlockKind::PRelu,
    description: "Parametric ReLU: learned slope for negative values.",
    anchors: Ops::operators(&["PRelu"]),
    matcher: find,
};

pub(super) const ELU: Pattern = Pattern {
    kind: BlockKind::Elu,
    description: "Exponential linear unit.",
    anchors: Ops::operators(&["Elu"]),
    matcher: find,
};

pub(super) const SELU: Pattern = Pattern {
    kind: BlockKind::Selu,
    description: "Scaled exponential linear unit.",
    anchors: Ops::operators(&["Selu"]),
    matcher: find,
};

pub(super) const CELU: Pattern = Pattern {
    kind: BlockKind::Celu,
    description: "Continuously differentiable exponential linear unit.",
    anchors: Ops::operators(&["Celu"]),
    matcher: find,
};

fn find(_: &Network<'_>, end: OpId) -> Option<Found> {
    Some(Found::new([end]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Inspect as _, Tiny};

    #[test]
    fn operators_get_their_names() {
        for (op, kind) in [("Elu", "ELU"), ("Selu", "SELU"), ("Celu", "CELU")] {
            let mut tiny = Tiny::new();
            let x = tiny.input(&["batch", "8"]);
            let y = tiny.op(op, &[&x]);
            assert_eq!(tiny.output(&y).kinds(), [kind]);
        }
        let mut tiny = Tiny::new();
        let x = tiny.input(&["batch", "8"]);
        let slope = tiny.weight(&[8]);
        let y = tiny.op("PRelu", &[&x, &slope]);
        assert_eq!(tiny.output(&y).kinds(), ["PReLU"]);
    }
}
