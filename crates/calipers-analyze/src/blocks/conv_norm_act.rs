//! A convolution with the norm and the activation that follow it.
//!
//! | form | written by |
//! |---|---|
//! | `Conv, BatchNormalization, Relu` | training mode exports, ONNX zoo |
//! | `Conv, Relu`: the norm folded into the weights | PyTorch, TensorFlow |
//! | `FusedConv`, `QLinearConv` and an activation | ONNX Runtime; lowered |
//!
//! A convolution with neither is left as it is. Extracts `in`, `out`, `kernel`, `stride`, `groups`,
//! and the `activation`, as its kind is named.

use super::Recogniser;
use super::conv::{ACTIVATIONS, NORMS, conv};
use crate::net::{Found, Net, UnitId};

pub(crate) const CONV_NORM_ACT: Recogniser = Recogniser {
    kind: "ConvNormAct",
    what: "A convolution with the norm and the activation that follow it.",
    ends: &["Conv", "Convolution"],
    find,
};

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let shape = conv(net, end)?;
    let mut units = vec![end];
    let mut at = net.unit(end).output();
    let mut activation = None;
    if let Some(norm) = net.only_use(at).filter(|unit| net.unit(*unit).is_any(NORMS)) {
        units.push(norm);
        at = net.unit(norm).output();
    }
    if let Some(curve) = net.only_use(at).filter(|unit| net.unit(*unit).is_any(ACTIVATIONS)) {
        units.push(curve);
        activation = Some(net.unit(curve).op);
    }
    if units.len() < 2 {
        return None;
    }
    let found = Found::of(units)
        .number("in", Some(shape.inputs))
        .number("out", Some(shape.outputs))
        .number("kernel", Some(shape.kernel))
        .number("stride", Some(shape.stride))
        .number("groups", Some(shape.groups))
        .says("depthwise", shape.depthwise())
        .says("pointwise", shape.pointwise())
        .taking(net.unit(end).input(0));
    Some(match activation {
        Some(curve) => found.word("activation", curve),
        None => found,
    })
}
