//! Operands as the row of an operator expects them, and results as the file has them.
//!
//! A row knows one order of dimensions, and computes on numbers rather than on their codes. Where a
//! file has another order ([`Layout`](calipers_ir::Layout)), or stores numbers in quantized or
//! blocked form, what the row is given is reordered here, and its results are put back.

use std::borrow::Cow;

use calipers_ir::{Axes, DType, Leaf, Model, NodeId};
use calipers_ops::{Fact, TensorFact, product};

/// The inputs of a node, as the row of its operator expects them.
pub(super) fn expected<'a>(
    model: &Model,
    id: NodeId,
    inputs: &'a [Option<Fact>],
) -> Cow<'a, [Option<Fact>]> {
    if model.header.format.is_onnx() {
        return Cow::Borrowed(inputs);
    }
    let mut expected = inputs.to_vec();
    let real = real_type(inputs);
    for (fact, value) in expected.iter_mut().zip(model.inputs(id)) {
        let is_affine = value.is_some_and(|value| model.affine(value).is_some());
        if let Some(Fact::Tensor(tensor)) = fact
            && (is_affine || matches!(tensor.dtype, DType::Block(_)))
        {
            tensor.dtype = real;
        }
    }
    if let Some(layout) = model.layout(id) {
        for (place, axes) in &layout.inputs {
            if let Some(Some(Fact::Tensor(tensor))) = expected.get_mut(*place) {
                *tensor = reordered(tensor, |dims| axes.apply(dims, product));
            }
        }
    }
    Cow::Owned(expected)
}

/// The type that numbers have once they are taken out of their codes: that of the other operands.
fn real_type(inputs: &[Option<Fact>]) -> DType {
    let mut types = inputs.iter().flatten().filter_map(|fact| Some(fact.as_tensor()?.dtype));
    let real = |dtype: &DType| {
        matches!(dtype, DType::Float16 | DType::Bfloat16 | DType::Float32 | DType::Float64)
    };
    types.find(real).unwrap_or(DType::Float32)
}

/// Puts the results of a row into the order that the file has, with the types that it states.
pub(super) fn put_back(model: &Model, id: NodeId, outputs: &mut [Fact]) {
    if model.header.format.is_onnx() {
        return;
    }
    change(model, id, outputs, Axes::restore);
    for (fact, value) in outputs.iter_mut().zip(model.outputs(id)) {
        if let Fact::Tensor(tensor) = fact
            && let Some(ty) = value.and_then(|value| model.value(value).ty)
            && let Leaf::Tensor(declared) = &model.value_type(ty).leaf
            && declared.dtype != DType::Undefined
        {
            tensor.dtype = declared.dtype;
        }
    }
}

/// Results that the file has, in the order of the row.
pub(super) fn expected_outputs<'a>(
    model: &Model,
    id: NodeId,
    outputs: &'a [Fact],
) -> Cow<'a, [Fact]> {
    if model.layout(id).is_none_or(|layout| layout.outputs.is_empty()) {
        return Cow::Borrowed(outputs);
    }
    let mut expected = outputs.to_vec();
    change(model, id, &mut expected, |axes, dims| axes.apply(dims, product));
    Cow::Owned(expected)
}

fn change(
    model: &Model,
    id: NodeId,
    outputs: &mut [Fact],
    order: fn(&Axes, &[calipers_sym::Expr]) -> Vec<calipers_sym::Expr>,
) {
    let Some(layout) = model.layout(id) else { return };
    for (place, axes) in &layout.outputs {
        if let Some(Fact::Tensor(tensor)) = outputs.get_mut(*place) {
            *tensor = reordered(tensor, |dims| order(axes, dims));
        }
    }
}

/// A tensor with its dimensions in another order. Its elements are no longer known, since they
/// would have to move too.
fn reordered(
    tensor: &TensorFact,
    order: impl FnOnce(&[calipers_sym::Expr]) -> Vec<calipers_sym::Expr>,
) -> TensorFact {
    let shape = tensor.shape.as_ref().map(|dims| order(dims).into());
    TensorFact { dtype: tensor.dtype, shape: shape.map_err(Clone::clone), value: None }
}
