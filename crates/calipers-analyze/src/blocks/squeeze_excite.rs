//! Squeeze-and-excite: channels weighted by what a small network makes of their means.
//!
//! | form | written by |
//! |---|---|
//! | `GlobalAveragePool, Conv, Relu, Conv, Sigmoid, Mul` | PyTorch: EfficientNet, MobileNetV3 (with `HardSigmoid`) |
//! | `ReduceMean, Conv, …` | TensorFlow, timm |
//! | `GlobalAveragePool, Reshape, Gemm, Relu, Gemm, Sigmoid, Reshape, Mul` | SE-ResNet |
//!
//! What is multiplied must be what was pooled, and there must be two products between: a sigmoid
//! times its own input is SiLU, a gate from elsewhere is no squeeze. Extracts `channels` and
//! `squeezed`, the width between the products.

use super::Recogniser;
use super::conv::{ACTIVATIONS, GATES, NORMS, conv, scales};
use crate::net::{Found, Net, Unit, UnitId, VIEWS, Val};

pub(crate) const SQUEEZE_EXCITE: Recogniser = Recogniser {
    kind: "SqueezeExcite",
    what: "Channels weighted by what a small network makes of their means.",
    ends: &["Mul"],
    find,
};

/// Steps from the product back to the pooling.
const MAX_STEPS: usize = 14;

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let (a, b) = net.data_pair(net.unit(end))?;
    [(a, b), (b, a)].into_iter().find_map(|(gate, pooled)| excited(net, end, gate, pooled))
}

fn excited(net: &Net<'_>, end: UnitId, gate: Val, pooled: Val) -> Option<Found> {
    let mut units = vec![end];
    let (mut at, mut gated, mut products) = (gate, false, Vec::new());
    for _ in 0..MAX_STEPS {
        net.only_use(at)?;
        let id = net.producer(at)?;
        let unit = net.unit(id);
        units.push(id);
        if products.len() == 2 && pools(net, unit) {
            let found = Found::of(units).taking([pooled]);
            let (outer, inner) = (products.first()?, products.get(1)?);
            return (unit.input(0)? == pooled)
                .then(|| found.number("channels", *outer).number("squeezed", *inner));
        }
        let mut inputs = net.data_inputs(unit);
        let input = inputs.next().filter(|_| inputs.next().is_none())?;
        if !gated && unit.is_any(GATES) {
            gated = true;
        } else if gated && product(net, id) {
            products.push(width(net, at));
        } else if !(unit.is_any(VIEWS) || between(net, unit)) {
            return None;
        }
        at = input;
    }
    None
}

fn product(net: &Net<'_>, id: UnitId) -> bool {
    let unit = net.unit(id);
    unit.is_any(&["Gemm", "Linear", "MatMul"]) || conv(net, id).is_some_and(|conv| conv.pointwise())
}

fn between(net: &Net<'_>, unit: &Unit) -> bool {
    unit.is_any(ACTIVATIONS) || unit.is_any(NORMS) || scales(net, unit)
}

/// Channels of a value whose places were pooled.
fn width(net: &Net<'_>, val: Val) -> Option<i64> {
    net.shape(val)?.iter().skip(1).filter_map(|dim| dim.as_const()).max()
}

/// Whether a unit takes the mean, or the largest, over all places.
pub(super) fn pools(net: &Net<'_>, unit: &Unit) -> bool {
    if unit.is_any(&["GlobalAveragePool", "GlobalMaxPool"]) {
        return true;
    }
    let (Some(from), Some(to)) = (unit.input(0), unit.outputs.first()) else { return false };
    if unit.is_any(&["AveragePool", "MaxPool"]) {
        return super::conv::area(net, *to) == Some(1) && super::conv::area(net, from) != Some(1);
    }
    if !unit.is_any(&["ReduceMean", "ReduceMax"]) || net.rank(from).is_none_or(|rank| rank < 3) {
        return false;
    }
    // Channels stay, places go.
    let (Some(before), Some(after)) = (net.shape(from), net.elements_beside(*to)) else {
        return false;
    };
    let channels = [before.get(1), before.last()];
    channels.iter().flatten().any(|dim| dim.as_const() == Some(after))
}
