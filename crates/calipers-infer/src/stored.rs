//! Stored tensors as facts, with their elements where shapes may be computed from them.

use calipers_ir::{DType, Model, SparseId, Tensor, TensorId};
use calipers_ops::{Elem, MAX_ELEMENTS, TensorFact};
use calipers_sym::Expr;

/// Floats beyond this are weights, and nobody computes shapes from weights.
const MAX_FLOATS: u64 = 64;

/// What is known of a stored tensor. Reads the elements of small ones.
pub(super) fn tensor_fact(model: &Model, id: TensorId) -> TensorFact {
    let tensor = model.tensor(id);
    let fact = described(tensor, &tensor.dims);
    if tensor.dtype.is_float() {
        match model.floats(id, MAX_FLOATS) {
            Ok(elements) => fact.with_value(elements.into_iter().map(Elem::float)),
            Err(_) => fact,
        }
    } else {
        match model.integers(id, MAX_ELEMENTS as u64) {
            Ok(elements) => fact.with_value(elements.into_iter().map(Elem::int)),
            Err(_) => fact,
        }
    }
}

/// What is known of a sparse tensor; its elements are not followed.
pub(super) fn sparse_fact(model: &Model, id: SparseId) -> Option<TensorFact> {
    let sparse = model.sparse_tensor(id);
    Some(described(model.tensor(sparse.values?), &sparse.dims))
}

fn described(tensor: &Tensor, dims: &[i64]) -> TensorFact {
    let shape = match dims.iter().find(|dim| **dim < 0) {
        Some(dim) => Err(format!("a stored tensor has dimension {dim}").into()),
        None => Ok(dims.iter().map(|dim| Expr::from(*dim)).collect()),
    };
    TensorFact { dtype: known(tensor.dtype), shape, value: None }
}

/// A type that no release of the standard defines is as good as none to a rule.
pub(super) fn known(dtype: DType) -> DType {
    match dtype {
        DType::Unknown(_) => DType::Undefined,
        known => known,
    }
}
