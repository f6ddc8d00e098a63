//! Parts of layers that are written out as arithmetic: normalizations, activations, biases.
//!
//! | stored operand | how it is found |
//! |---|---|
//! | gain of a normalization | it multiplies what was divided by a deviation, `Sqrt` of a mean, or the inverse of that deviation |
//! | shift of a normalization | it is added to such a product, or the product is subtracted from it |
//! | slope of a `PRelu` | it multiplies the negative part of a value: `Relu(-x)`, `x - |x|`, `Min(x, 0)` |
//! | bias of a single output | it is added to a product with a matrix of one column |
//! | bias or mask of an attention | the sum becomes a probability |

use calipers_ir::{AttributeValue, Model, NodeId, Producer, TensorId, ValueId};
use calipers_ops::{Class, InputRole, Movement, Operator, canonical_domain};

use super::uses::Uses;

/// Nodes between a sum and its `Softmax`, or between a product and its sum.
const MAX_STEPS: usize = 6;

/// What a value is in a layer that is written out. Of two operands, the greater one counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// Nothing that is known.
    #[default]
    Nothing,
    /// Normalized, and multiplied with a gain.
    Scaled,
    /// Normalized, or what normalizes: the inverse of a deviation.
    Normalized,
    /// The negative part of a value.
    Negative,
}

/// An input of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub(super) value: ValueId,
    /// It follows from stored tensors alone.
    pub(super) fixed: bool,
    pub(super) part: Part,
}

/// What the output of a node is.
pub(super) fn part_of_output(model: &Model, operator: &Operator, inputs: &[Input]) -> Part {
    let moved =
        operator.traits.movement.is_some_and(|it| it.is_layout() || it == Movement::Convert);
    match (operator.name, inputs) {
        ("Reciprocal", [deviation]) if is_deviation(model, deviation) => Part::Normalized,
        ("Div", [_, deviation]) if is_deviation(model, deviation) => Part::Normalized,
        ("Mul", [a, b]) => {
            let part = a.part.max(b.part);
            match (part, [a, b].into_iter().find(|input| input.fixed)) {
                (part, Some(fixed)) if is_single(model, fixed.value) => part,
                (Part::Normalized, Some(_)) => Part::Scaled,
                (Part::Normalized | Part::Scaled, None) => part,
                _ => Part::Nothing,
            }
        }
        ("Relu", [input]) if made_by(model, input.value, "Neg").is_some() => Part::Negative,
        ("Sub", [x, size]) if made_by(model, size.value, "Abs") == Some(x.value) => Part::Negative,
        ("Min", [a, b]) if is_zero(model, a.value) || is_zero(model, b.value) => Part::Negative,
        ("Neg", [input]) => input.part,
        (_, [input, ..]) if moved => input.part,
        _ => Part::Nothing,
    }
}

/// What a stored operand is, next to such a part.
pub(super) fn uses_in(slot: InputRole, part: Part) -> Uses {
    match (slot, part) {
        (InputRole::Multiplied, Part::Normalized | Part::Negative) => Uses::GAIN,
        (InputRole::Added | InputRole::Subtracted, Part::Scaled) => Uses::SHIFT,
        _ => Uses::default(),
    }
}

/// Whether a value is the root of a mean, or of a mean with something added.
fn is_deviation(model: &Model, input: &Input) -> bool {
    let Some(variance) = made_by(model, input.value, "Sqrt").filter(|_| !input.fixed) else {
        return false;
    };
    let is_mean = |value: ValueId| {
        let row = producer(model, value).and_then(|(row, _)| row);
        row.is_some_and(|row| {
            row.traits.class == Class::Reduction
                || row.traits.pool().is_some_and(|it| it.is_global())
        })
    };
    is_mean(variance)
        || producer(model, variance).is_some_and(|(row, node)| {
            row.is_some_and(|row| matches!(row.name, "Add" | "Max" | "Clip"))
                && model.inputs(node).iter().flatten().any(|value| is_mean(*value))
        })
}

/// Whether a value is what a layer of a single output gives, before its bias: a product with a
/// stored matrix of one column.
pub(super) fn is_single_output(model: &Model, value: ValueId) -> bool {
    let mut value = value;
    for _ in 0..MAX_STEPS {
        let Some((Some(row), node)) = producer(model, value) else { return false };
        let inputs = model.inputs(node);
        if matches!(row.name, "MatMul" | "MatMulInteger") {
            let matrix = inputs.get(1).copied().flatten().and_then(|it| stored_dims(model, it));
            return matrix.is_some_and(|dims| matches!(dims, [.., rows, 1] if *rows > 1));
        }
        // A product of integers is converted, and multiplied with its scales.
        let passes = row.traits.movement == Some(Movement::Convert) || row.name == "Mul";
        match inputs.first().copied().flatten() {
            Some(input) if passes => value = input,
            _ => return false,
        }
    }
    false
}

/// Whether the result of a node becomes a probability, past views, choices and further sums.
pub(super) fn becomes_probability(model: &Model, node: NodeId) -> bool {
    let mut node = node;
    for _ in 0..MAX_STEPS {
        let Some(Some(output)) = model.outputs(node).first() else { return false };
        let mut users = model.consumers(*output).iter().map(|consumer| consumer.node);
        let (Some(user), None) = (users.next(), users.next()) else { return false };
        let Some(row) = operator(model, user) else { return false };
        if row.traits.is_probability() {
            return true;
        }
        let moves = row.traits.movement.is_some_and(|it| it.is_layout() || it == Movement::Convert);
        if !moves && !matches!(row.name, "Add" | "Where" | "Max" | "Min" | "Clip") {
            return false;
        }
        node = user;
    }
    false
}

fn operator(model: &Model, node: NodeId) -> Option<&'static Operator> {
    let node = model.node(node);
    calipers_ops::find(canonical_domain(model.name(node.domain)), model.name(node.op))
}

/// The node that gives a value, with the row of its operator.
fn producer(model: &Model, value: ValueId) -> Option<(Option<&'static Operator>, NodeId)> {
    let Producer::Node { node, .. } = model.value(value).producer else { return None };
    Some((operator(model, node), node))
}

/// The first input of the node that gives a value, if it is of this operator.
fn made_by(model: &Model, value: ValueId, op: &str) -> Option<ValueId> {
    let (row, node) = producer(model, value)?;
    (row?.name == op).then(|| model.inputs(node).first().copied().flatten())?
}

/// The tensor that is stored for a value: an initializer, or the attribute of a `Constant`.
fn stored(model: &Model, value: ValueId) -> Option<TensorId> {
    let initializer = model.value(value).initializer;
    initializer.or_else(|| match model.attribute(producer(model, value)?.1, "value")? {
        AttributeValue::Tensor(tensor) => Some(*tensor),
        _ => None,
    })
}

fn stored_dims(model: &Model, value: ValueId) -> Option<&[i64]> {
    Some(&model.tensor(stored(model, value)?).dims)
}

fn is_single(model: &Model, value: ValueId) -> bool {
    stored_dims(model, value).is_some_and(|dims| dims.iter().all(|dim| *dim == 1))
}

fn is_zero(model: &Model, value: ValueId) -> bool {
    let floats = stored(model, value).and_then(|tensor| model.floats(tensor, 1).ok());
    floats.is_some_and(|floats| floats == [0.0])
}
