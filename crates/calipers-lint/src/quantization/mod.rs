//! Scales, zero points and quantized layers.

pub(super) mod activation_range;
pub(super) mod block_size;
pub(super) mod conv_weights_per_tensor;
pub(super) mod depthwise_per_tensor;
pub(super) mod float_islands;
pub(super) mod float_layer_between;
mod pairs;
pub(super) mod quantization_readiness;
pub(super) mod scale_invalid;
pub(super) mod scale_vanishing;
pub(super) mod zero_point_wrong;

use calipers_arch::network::{BlockKind, Network, NetworkOp};
use calipers_arch::quantization::{Observed, observe};
use calipers_report::Scheme;

use super::Evidence;

/// Returns every quantized convolution with its quantization.
fn quantized_convolutions<'n>(
    evidence: &Evidence<'n>,
) -> impl Iterator<Item = (&'n NetworkOp, Observed)> {
    let net: &'n Network<'n> = evidence.net;
    let quantized = evidence.quantization.scheme != Scheme::None;
    let layers = net.all().filter(move |unit| quantized && unit.is(BlockKind::Convolution));
    layers.filter_map(move |unit| {
        let looked = contraction(unit).and_then(|inner| observe(net, inner))?;
        (looked.bits.is_some() && !looked.float).then_some((unit, looked))
    })
}

/// Returns the contraction of a layer.
fn contraction(layer: &NetworkOp) -> Option<&NetworkOp> {
    layer.walk().find(|unit| unit.is_contraction())
}
