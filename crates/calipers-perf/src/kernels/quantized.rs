//! Which kernels are quantized, or have quantized weights.

use calipers_arch::network::{Network, NetworkOp};
use calipers_ir::{DType, NodeId, Producer, ValueId};
use calipers_ops::{Movement, WeightFormat};

use super::Quantized;

/// Returns how a kernel is quantized, if it is.
pub(super) fn quantization(net: &Network<'_>, unit: &NetworkOp) -> Option<Quantized> {
    let leaves = || unit.walk().filter(|unit| unit.parts.is_empty());
    let main = leaves().find(|unit| unit.is_contraction()).or_else(|| leaves().last())?;
    by_operator(net, main).or_else(|| by_neighbors(net, main))
}

fn by_operator(net: &Network<'_>, unit: &NetworkOp) -> Option<Quantized> {
    let traits = &net.written_operator(unit.node)?.traits;
    if traits.is_on_integers() {
        return Some(Quantized { bits: 8, weights_only: false });
    }
    match traits.contraction?.format {
        WeightFormat::Packed { bits, .. } => {
            let bits = bits.resolve(|name| net.int(unit, name));
            Some(Quantized { bits, weights_only: true })
        }
        // An 8-bit float is a precision of the hardware, not a quantization.
        WeightFormat::Float | WeightFormat::Float8 | WeightFormat::Integer { .. } => None,
    }
}

/// A float contraction between `DequantizeLinear` nodes: a runtime computes on their inputs.
fn by_neighbors(net: &Network<'_>, unit: &NetworkOp) -> Option<Quantized> {
    if !unit.is_contraction() {
        return None;
    }
    let mut inputs = net.model.inputs(unit.node).iter().copied().map(|value| stored(net, value?));
    let (first, second) = (inputs.next()?, inputs.next()?);
    match (first, second) {
        (Some(data), Some(weights)) if data <= 8 && weights <= 8 => {
            Some(Quantized { bits: weights, weights_only: false })
        }
        (_, Some(bits)) if bits <= 8 => Some(Quantized { bits, weights_only: true }),
        _ => None,
    }
}

/// Returns the bits of the tensor that a value is dequantized from.
fn stored(net: &Network<'_>, value: ValueId) -> Option<u32> {
    // Views and transposes may be between.
    const MAX_STEPS: usize = 4;
    let mut value = value;
    for _ in 0..MAX_STEPS {
        let node: NodeId = match net.model.value(value).producer {
            Producer::Node { node, .. } => node,
            _ => return None,
        };
        let first = net.model.inputs(node).first().copied().flatten()?;
        match net.model.name(net.model.node(node).op) {
            "DequantizeLinear" => {
                let dtype = net.typed.fact(first).as_tensor()?.dtype;
                return dtype.bits().filter(|_| is_narrow(dtype));
            }
            _ if is_layout(net, node) => value = first,
            _ => return None,
        }
    }
    None
}

/// Whether a node changes only how its first input is arranged.
fn is_layout(net: &Network<'_>, node: NodeId) -> bool {
    let movement = net.written_operator(node).and_then(|row| row.traits.movement);
    movement.is_some_and(Movement::is_layout)
}

fn is_narrow(dtype: DType) -> bool {
    dtype.bits().is_some_and(|bits| bits <= 8)
}
