//! Two facts about one value: what holds of both.

use std::sync::Arc;

use calipers_ir::DType;
use calipers_ops::{Fact, SequenceFact, TensorFact};
use calipers_sym::Expr;

/// What is true of a value that is one or the other. `fresh` makes dimensions that differ.
pub(super) fn merge(one: &Fact, other: &Fact, fresh: &mut dyn FnMut() -> Expr) -> Fact {
    match (one, other) {
        _ if one == other => one.clone(),
        (Fact::Tensor(one), Fact::Tensor(other)) => Fact::Tensor(tensors(one, other, fresh)),
        (Fact::Sequence(one), Fact::Sequence(other)) => {
            // A sequence that is empty says nothing of the elements of another.
            let is_empty =
                |s: &SequenceFact| s.items.as_ref().is_some_and(|items| items.is_empty());
            let element = match (is_empty(one), is_empty(other)) {
                (true, _) => other.element.clone(),
                (_, true) => one.element.clone(),
                // Elements may differ from each other: what differs has no one name.
                _ => Box::new(merge(&one.element, &other.element, &mut || {
                    Expr::undefined("its elements differ")
                })),
            };
            Fact::Sequence(SequenceFact { element, items: None })
        }
        (Fact::Optional(one), Fact::Optional(other)) => {
            Fact::Optional(Box::new(merge(one, other, fresh)))
        }
        (Fact::Unknown(reason), _) | (_, Fact::Unknown(reason)) => Fact::Unknown(reason.clone()),
        _ => Fact::unknown("its branches give different kinds of value"),
    }
}

fn tensors(one: &TensorFact, other: &TensorFact, fresh: &mut dyn FnMut() -> Expr) -> TensorFact {
    let dtype = if one.dtype == other.dtype { one.dtype } else { DType::Undefined };
    let shape = match (&one.shape, &other.shape) {
        (Ok(one), Ok(other)) if one.len() == other.len() => Ok(one
            .iter()
            .zip(other.iter())
            .map(|(one, other)| if one == other { one.clone() } else { fresh() })
            .collect()),
        (Ok(_), Ok(_)) => Err(Arc::from("its branches give different numbers of dimensions")),
        (Err(reason), _) | (_, Err(reason)) => Err(Arc::clone(reason)),
    };
    let value = if one.value == other.value { one.value.clone() } else { None };
    TensorFact { dtype, shape, value }
}

/// The same fact without elements: what holds of every turn of a loop.
pub(super) fn without_value(fact: &Fact) -> Fact {
    match fact {
        Fact::Tensor(tensor) => Fact::Tensor(TensorFact { value: None, ..tensor.clone() }),
        Fact::Sequence(sequence) => Fact::Sequence(SequenceFact {
            element: Box::new(without_value(&sequence.element)),
            items: None,
        }),
        Fact::Optional(inner) => Fact::Optional(Box::new(without_value(inner))),
        other => other.clone(),
    }
}
