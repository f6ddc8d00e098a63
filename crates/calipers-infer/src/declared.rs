//! Types that the file declares: as facts, and against what is inferred.

use std::sync::Arc;

use calipers_ir::{Container, DType, Dim, Leaf, Model, TensorType, TypeId, ValueId};
use calipers_ops::{Fact, SequenceFact, TensorFact};
use calipers_sym::{Expr, Symbol};

use super::bind::Sizes;
use super::inputs::{Names, is_anonymous};
use super::stored::known;

/// Types wrapped deeper than this are taken as unknown: no operator makes them.
const MAX_WRAPPERS: usize = 8;

/// The fact of a graph input. Dimensions without a meaningful name get one.
pub(super) fn input_fact(model: &Model, input: ValueId, names: &Names) -> Fact {
    let value = model.value(input);
    let Some(ty) = value.ty else { return Fact::unknown("the input declares no type") };
    let unnamed =
        |axis: usize| Expr::from(Symbol::at_least(names.position(model, input, axis).as_str(), 1));
    substitute(fact(model, ty, &unnamed), &names.renamed)
}

/// A declared type as a fact. `unnamed` makes dimensions that the file leaves open.
pub(super) fn fact(model: &Model, ty: TypeId, unnamed: &dyn Fn(usize) -> Expr) -> Fact {
    let ty = model.value_type(ty);
    if ty.containers.len() > MAX_WRAPPERS {
        return Fact::unknown("its type is wrapped too deep");
    }
    let mut fact = match &ty.leaf {
        Leaf::Tensor(tensor) => Fact::Tensor(tensor_fact(model, tensor, unnamed)),
        Leaf::SparseTensor(tensor) => Fact::SparseTensor(tensor_fact(model, tensor, unnamed)),
        Leaf::Opaque { .. } => Fact::Opaque,
        Leaf::Unknown => Fact::unknown("the file declares no type"),
    };
    for container in ty.containers.iter().rev() {
        fact = match container {
            Container::Sequence => Fact::sequence_of(fact),
            Container::Optional => Fact::Optional(Box::new(fact)),
            Container::Map { key } => Fact::Map { key: *key, value: Box::new(fact) },
        };
    }
    fact
}

fn tensor_fact(model: &Model, ty: &TensorType, unnamed: &dyn Fn(usize) -> Expr) -> TensorFact {
    let shape = match &ty.shape {
        Some(dims) => Ok(dims
            .iter()
            .enumerate()
            .map(|(axis, dim)| match dim {
                Dim::Size(size) if *size >= 0 => Expr::from(*size),
                Dim::Symbol(name) if !model.hint(*name).judge(is_anonymous) => {
                    Expr::from_dimension(model.name(*name), 1)
                }
                Dim::Size(_) | Dim::Symbol(_) | Dim::Unknown => unnamed(axis),
            })
            .collect()),
        None => Err(Arc::from("the file declares no shape")),
    };
    TensorFact { dtype: known(ty.dtype), shape, value: None }
}

/// The same fact with another shape.
pub(super) fn with_shape(fact: Fact, shape: &[i64]) -> Fact {
    match fact {
        Fact::Tensor(tensor) => {
            TensorFact::new(tensor.dtype, shape.iter().map(|size| Expr::from(*size))).into()
        }
        other => other,
    }
}

/// The same fact with numbers for names.
pub(super) fn substitute(fact: Fact, sizes: &Sizes) -> Fact {
    if sizes.is_empty() {
        return fact;
    }
    let tensor = |tensor: TensorFact| TensorFact {
        shape: tensor.shape.map(|dims| dims.iter().map(|dim| dim.substitute(sizes)).collect()),
        ..tensor
    };
    match fact {
        Fact::Tensor(inner) => Fact::Tensor(tensor(inner)),
        Fact::SparseTensor(inner) => Fact::SparseTensor(tensor(inner)),
        Fact::Sequence(inner) => Fact::Sequence(SequenceFact {
            element: Box::new(substitute(*inner.element, sizes)),
            items: None,
        }),
        Fact::Optional(inner) => Fact::Optional(Box::new(substitute(*inner, sizes))),
        other => other,
    }
}

/// What is known when the file declares one thing and the rules say another: the rules where they
/// are sure, the declaration where they are not. Also what cannot be right about the declaration.
pub(super) fn reconcile(
    inferred: Fact,
    declared: &Fact,
    is_data_dependent: &dyn Fn(&Expr) -> bool,
) -> (Fact, Option<String>) {
    match (inferred, declared) {
        (Fact::Unknown(_), Fact::Unknown(reason)) => (Fact::Unknown(reason.clone()), None),
        (Fact::Unknown(_), declared) => (declared.clone(), None),
        (Fact::Tensor(inferred), Fact::Tensor(declared)) => {
            let (tensor, wrong) = reconcile_tensor(inferred, declared, is_data_dependent);
            (Fact::Tensor(tensor), wrong)
        }
        (inferred, _) => (inferred, None),
    }
}

fn reconcile_tensor(
    mut inferred: TensorFact,
    declared: &TensorFact,
    is_data_dependent: &dyn Fn(&Expr) -> bool,
) -> (TensorFact, Option<String>) {
    let reported = inferred.to_string();
    let wrong = || Some(format!("declared as {declared}, inferred as {reported}"));
    if inferred.dtype == DType::Undefined {
        inferred.dtype = declared.dtype;
    } else if declared.dtype != DType::Undefined && declared.dtype != inferred.dtype {
        return (inferred, wrong());
    }
    let (Ok(dims), Ok(declared_dims)) = (&inferred.shape, &declared.shape) else {
        if inferred.shape.is_err() {
            inferred.shape = declared.shape.clone();
        }
        return (inferred, None);
    };
    if dims.len() != declared_dims.len() {
        return (inferred, wrong());
    }
    let mut contradiction = None;
    let merged = dims
        .iter()
        .zip(declared_dims.iter())
        .map(|(dim, declared)| {
            if declared.is_undefined() {
                return dim.clone();
            }
            if dim.is_undefined() || dim.as_const().is_none() && is_data_dependent(dim) {
                return declared.clone();
            }
            if let (Some(one), Some(other)) = (dim.as_const(), declared.as_const())
                && one != other
            {
                contradiction = wrong();
            }
            dim.clone()
        })
        .collect();
    inferred.shape = Ok(merged);
    (inferred, contradiction)
}
