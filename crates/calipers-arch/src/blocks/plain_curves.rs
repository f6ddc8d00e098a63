//! Activations that are one operator, under the names people use.
//!
//! | kind | operator |
//! |---|---|
//! | PReLU | `PRelu` |
//! | ELU, SELU, CELU | `Elu`, `Selu`, `Celu` |
//!
//! `Sigmoid`, `Tanh`, `Softplus` and `Softmax` have their names already.

use super::Recogniser;
use crate::net::{Found, Net, UnitId};

pub(super) const PRELU: Recogniser = Recogniser {
    kind: "PReLU",
    what: "Rectifier with learned slopes below zero.",
    ends: &["PRelu"],
    find,
};

pub(super) const ELU: Recogniser =
    Recogniser { kind: "ELU", what: "Exponential linear unit.", ends: &["Elu"], find };

pub(super) const SELU: Recogniser =
    Recogniser { kind: "SELU", what: "Scaled exponential linear unit.", ends: &["Selu"], find };

pub(super) const CELU: Recogniser = Recogniser {
    kind: "CELU",
    what: "Continuously differentiable exponential linear unit.",
    ends: &["Celu"],
    find,
};

fn find(_: &Net<'_>, end: UnitId) -> Option<Found> {
    Some(Found::of([end]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Look as _, Tiny};

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
