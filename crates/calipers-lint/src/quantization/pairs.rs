//! Scales and zero points of all operators that have them.

use calipers_ir::{AttributeValue, DType, NodeId, Producer, ValueId};
use calipers_ops::Elem;

use super::super::Evidence;
use crate::evidence::operator;

/// Largest number of scales that is read; blockwise weights can have more.
const MAX_READ: u64 = 1 << 20;

/// A scale with its zero point and the tensor they belong to.
pub(super) struct Pair {
    pub(super) node: NodeId,
    /// The tensor that is quantized or dequantized.
    pub(super) data: Option<ValueId>,
    pub(super) scale: ValueId,
    pub(super) zero_point: Option<ValueId>,
    /// Whether the node is `QuantizeLinear`, which divides by the scale.
    pub(super) quantizes: bool,
    /// Whether the node is `QuantizeLinear` or `DequantizeLinear`.
    pub(super) converts: bool,
}

/// Returns every scale of the model, in the order of the nodes.
pub(super) fn pairs<'e>(evidence: &'e Evidence<'_>) -> impl Iterator<Item = Pair> + 'e {
    let model = evidence.model;
    // Most models have no such operator, and the loop over their nodes is skipped.
    let any = evidence.graph.operators_total.iter().any(|row| {
        let known = calipers_ops::find(&row.domain, &row.op);
        known.is_some_and(|known| !known.traits.quantized_inputs.is_empty())
    });
    model.nodes().filter(move |_| any).flat_map(move |(node, info)| {
        let op = model.name(info.op);
        let places = operator(model, node).map_or(&[][..], |row| row.traits.quantized_inputs);
        let inputs = model.inputs(node);
        let input = |at: usize| inputs.get(at).copied().flatten();
        places.iter().filter_map(move |places| {
            Some(Pair {
                node,
                data: input(places.data),
                scale: input(places.scale)?,
                zero_point: input(places.zero_point),
                quantizes: op == "QuantizeLinear",
                converts: matches!(op, "QuantizeLinear" | "DequantizeLinear"),
            })
        })
    })
}

/// Whether the model contains this operator.
pub(super) fn has(evidence: &Evidence<'_>, op: &str) -> bool {
    evidence.graph.operators_total.iter().any(|row| row.op == op)
}

/// Returns the elements of a stored value, if they can be read.
pub(super) fn numbers(evidence: &Evidence<'_>, value: ValueId) -> Option<Vec<f64>> {
    let model = evidence.model;
    let fact = evidence.typed.fact(value).as_tensor();
    if let Some(elements) = fact.and_then(|tensor| tensor.value.as_ref()) {
        return elements.iter().map(number).collect();
    }
    let tensor = model.value(value).initializer.or_else(|| {
        let Producer::Node { node, .. } = model.value(value).producer else { return None };
        match model.attribute(node, "value") {
            Some(AttributeValue::Tensor(tensor))
                if model.name(model.node(node).op) == "Constant" =>
            {
                Some(*tensor)
            }
            _ => None,
        }
    })?;
    if model.tensor(tensor).dtype.is_float() {
        return model.floats(tensor, MAX_READ).ok();
    }
    #[expect(clippy::cast_precision_loss, reason = "zero points are small")]
    let integers = model.integers(tensor, MAX_READ).ok()?.into_iter().map(|number| number as f64);
    Some(integers.collect())
}

/// Returns the element type of a value.
pub(super) fn dtype(evidence: &Evidence<'_>, value: ValueId) -> Option<DType> {
    Some(evidence.typed.fact(value).as_tensor()?.dtype)
}

/// Whether the file stores a value.
pub(super) fn is_stored(evidence: &Evidence<'_>, value: ValueId) -> bool {
    let info = evidence.model.value(value);
    let constant = match info.producer {
        Producer::Node { node, .. } => {
            evidence.model.name(evidence.model.node(node).op) == "Constant"
        }
        _ => false,
    };
    info.initializer.is_some() || constant
}

fn number(element: &Elem) -> Option<f64> {
    match element {
        #[expect(clippy::cast_precision_loss, reason = "zero points are small")]
        Elem::Int(expr) => expr.as_const().map(|value| value as f64),
        Elem::Float(value) => Some(*value),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod testing {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    /// Data that is quantized and dequantized with this scale and zero point.
    pub(crate) fn round_trip(scale: f32, zero: u8) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["n", "4"]);
        model.initializer(&Tensor::f32("scale", &[], &[scale]));
        model.initializer(&Tensor::raw("zero", DataType::U8, &[], &[zero]));
        model.node("QuantizeLinear", &["x", "scale", "zero"], &["q"], &[]);
        model.node("DequantizeLinear", &["q", "scale", "zero"], &["y"], &[]);
        model.output("y", DataType::F32, &["n", "4"]).build()
    }
}
