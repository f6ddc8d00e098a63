//! Which kernels compute on few bits, or hold their weights so.

use calipers_ir::{DType, NodeId, Producer, ValueId};

use super::Quantized;
use calipers_arch::net::{CONTRACTIONS, Net, Unit};

/// Operators that compute on eight bits.
const INTEGER: &[&str] = &[
    "ConvInteger",
    "DynamicQuantizeLSTM",
    "DynamicQuantizeMatMul",
    "MatMulInteger",
    "MatMulInteger16",
    "MatMulIntegerToFloat",
    "QAttention",
    "QGemm",
];

/// Operators whose weights are packed, with the bits where no attribute gives them.
const PACKED: &[(&str, u32)] =
    &[("MatMulBnb4", 4), ("MatMulFpQ4", 4), ("MatMulNBits", 4), ("QMoE", 4)];

/// How a unit computes on few bits, if it does.
pub(super) fn of(net: &Net<'_>, unit: &Unit) -> Option<Quantized> {
    let leaves = || unit.walk().filter(|unit| unit.parts.is_empty());
    let main = leaves().find(|unit| unit.is_any(CONTRACTIONS)).or_else(|| leaves().last())?;
    by_operator(net, main).or_else(|| by_neighbours(net, main))
}

fn by_operator(net: &Net<'_>, unit: &Unit) -> Option<Quantized> {
    let op = net.model.name(net.model.node(unit.node).op);
    if op.starts_with("QLinear") || INTEGER.contains(&op) {
        return Some(Quantized { bits: 8, weights_only: false });
    }
    let (_, usual) = PACKED.iter().find(|(name, _)| *name == op)?;
    let given = net.int(unit, "bits").or_else(|| net.int(unit, "expert_weight_bits"));
    let bits =
        given.and_then(|bits| u32::try_from(bits).ok()).filter(|bits| (1..=8).contains(bits));
    Some(Quantized { bits: bits.unwrap_or(*usual), weights_only: true })
}

/// A plain contraction between dequantisations: a runtime computes on what lies before them.
fn by_neighbours(net: &Net<'_>, unit: &Unit) -> Option<Quantized> {
    if !unit.is_any(CONTRACTIONS) {
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

/// Bits of what a value is dequantised from.
fn stored(net: &Net<'_>, value: ValueId) -> Option<u32> {
    // Views and transpositions may stand between.
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
            "Identity" | "Reshape" | "Transpose" => value = first,
            _ => return None,
        }
    }
    None
}

fn is_narrow(dtype: DType) -> bool {
    dtype.bits().is_some_and(|bits| bits <= 8)
}
