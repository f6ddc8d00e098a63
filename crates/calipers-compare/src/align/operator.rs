//! What differs between two nodes by themselves: operator, attributes, stored tensors. By value:
//! nothing here rests on a hash.

use calipers_ir::{Attribute, AttributeValue, DType, List, Model, NodeId, TensorId};
use calipers_ops::{attributes, canonical_domain};
use calipers_report::AttributeChange;

use super::labels::FEW;

/// Whether two nodes have the same operator, by domain and name; versions may differ.
pub(crate) fn is_same_operator(a: &Model, node_a: NodeId, b: &Model, node_b: NodeId) -> bool {
    let (left, right) = (a.node(node_a), b.node(node_b));
    canonical_domain(a.name(left.domain)) == canonical_domain(b.name(right.domain))
        && a.name(left.op) == b.name(right.op)
        && a.hint(left.overload).same(b.hint(right.overload))
}

/// Attributes of two nodes that differ. One that is set to its default is as good as one left out.
pub(crate) fn attribute_changes(
    a: &Model,
    node_a: NodeId,
    b: &Model,
    node_b: NodeId,
) -> Vec<AttributeChange> {
    let (all_a, all_b) = (a.attributes(node_a), b.attributes(node_b));
    if all_a.is_empty() && all_b.is_empty() {
        return Vec::new();
    }
    let find = |model: &Model, all: &[Attribute], like: &Model, name| {
        all.iter().position(|other| model.hint(other.name).same(like.hint(name)))
    };
    let mut changes = Vec::new();
    for attribute in all_a {
        let other = find(b, all_b, a, attribute.name).map(|at| &all_b[at].value);
        if other.is_some_and(|other| same_value(a, &attribute.value, b, other)) {
            continue;
        }
        let name = a.name(attribute.name);
        let text = attributes::text(a, &attribute.value);
        let other = match other {
            Some(other) => Some(attributes::text(b, other)),
            None => default(b, node_b, name),
        };
        let is_default = other.as_deref() == Some(text.as_str()) && !has(b, all_b, a, attribute);
        if !is_default {
            changes.push(AttributeChange { name: name.to_owned(), a: Some(text), b: other });
        }
    }
    for attribute in all_b {
        if find(a, all_a, b, attribute.name).is_some() {
            continue;
        }
        let name = b.name(attribute.name);
        let text = attributes::text(b, &attribute.value);
        let other = default(a, node_a, name);
        if other.as_deref() != Some(text.as_str()) {
            changes.push(AttributeChange { name: name.to_owned(), a: other, b: Some(text) });
        }
    }
    changes
}

fn has(model: &Model, all: &[Attribute], like: &Model, attribute: &Attribute) -> bool {
    all.iter().any(|other| model.hint(other.name).same(like.hint(attribute.name)))
}

fn default(model: &Model, node: NodeId, name: &str) -> Option<String> {
    let defaults = attributes::defaults_of(model, node).iter();
    defaults.clone().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
}

/// Whether two values are the same. Graphs inside them are compared node by node elsewhere, and
/// elements of large tensors only where weights are read.
fn same_value(a: &Model, left: &AttributeValue, b: &Model, right: &AttributeValue) -> bool {
    use AttributeValue as V;
    let tensors = |x: &TensorId, y: &TensorId| stored_change(a, *x, b, *y).is_none();
    let types = |x, y| a.value_type(x).describe(&a.names) == b.value_type(y).describe(&b.names);
    match (left, right) {
        (V::Float(x), V::Float(y)) => x.to_bits() == y.to_bits(),
        (V::Int(x), V::Int(y)) => x == y,
        (V::Text(x), V::Text(y)) => same_list(a, x.setting(), b, y.setting(), |x, y| x == y),
        (V::Tensor(x), V::Tensor(y)) => tensors(x, y),
        (V::SparseTensor(x), V::SparseTensor(y)) => {
            a.sparse_tensor(*x).dims == b.sparse_tensor(*y).dims
        }
        (V::Graph(_), V::Graph(_)) => true,
        (V::Graphs(x), V::Graphs(y)) => x.len() == y.len(),
        (V::Type(x), V::Type(y)) => types(*x, *y),
        (V::Floats(x), V::Floats(y)) => same_list(a, x, b, y, |x, y| x.to_bits() == y.to_bits()),
        (V::Ints(x), V::Ints(y)) => same_list(a, x, b, y, |x, y| x == y),
        (V::Texts { count: x, at: here, .. }, V::Texts { count: y, at: there, .. }) => {
            x == y && a.source.slice(*here) == b.source.slice(*there)
        }
        (V::Tensors(x), V::Tensors(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| tensors(x, y))
        }
        (V::SparseTensors(x), V::SparseTensors(y)) => {
            let dims = |x, y| a.sparse_tensor(x).dims == b.sparse_tensor(y).dims;
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| dims(*x, *y))
        }
        (V::Types(x), V::Types(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| types(*x, *y))
        }
        (V::Reference(x), V::Reference(y)) => a.hint(*x).same(b.hint(*y)),
        (V::Unknown(x), V::Unknown(y)) => x == y,
        _ => false,
    }
}

fn same_list<T>(
    a: &Model,
    left: &List<T>,
    b: &Model,
    right: &List<T>,
    is_same: impl Fn(&T, &T) -> bool,
) -> bool {
    match (left, right) {
        (List::Held(x), List::Held(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| is_same(x, y))
        }
        (List::Stored { count: x, at: here }, List::Stored { count: y, at: there }) => {
            x == y && a.source.slice(*here) == b.source.slice(*there)
        }
        _ => false,
    }
}

/// How two stored tensors differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoredChange {
    /// Their element types differ.
    Type,
    /// Their dimensions differ.
    Shape,
    /// Their elements differ: settings such as axes, which are read with the graph.
    Setting,
    /// Their elements differ: few floats, which are read with the graph.
    Weights,
}

/// How two stored tensors differ, as far as the graph shows it; `None` where it shows no difference.
pub(crate) fn stored_change(
    a: &Model,
    id_a: TensorId,
    b: &Model,
    id_b: TensorId,
) -> Option<StoredChange> {
    let (left, right) = (a.tensor(id_a), b.tensor(id_b));
    if left.dtype != right.dtype {
        return Some(StoredChange::Type);
    }
    if left.dims != right.dims {
        return Some(StoredChange::Shape);
    }
    if !left.elements().is_ok_and(|elements| elements <= FEW) {
        return None;
    }
    let (left_bytes, right_bytes) = (a.packed(id_a, FEW).ok()?, b.packed(id_b, FEW).ok()?);
    let is_setting = matches!(left.dtype, DType::Int64 | DType::Int32 | DType::Bool);
    let change = if is_setting { StoredChange::Setting } else { StoredChange::Weights };
    (left_bytes != right_bytes).then_some(change)
}

/// The types of two stored tensors, where type or shape differ: `float32[64, 3] → float32[64, 4]`.
pub(crate) fn tensor_change(
    a: &Model,
    id_a: TensorId,
    b: &Model,
    id_b: TensorId,
) -> Option<String> {
    let (left, right) = (a.tensor(id_a), b.tensor(id_b));
    let text = |dtype: DType, dims: &[i64]| {
        let dims: Vec<String> = dims.iter().take(8).map(i64::to_string).collect();
        format!("{dtype}[{}]", dims.join(", "))
    };
    let is_same = left.dtype == right.dtype && left.dims == right.dims;
    (!is_same)
        .then(|| format!("{} → {}", text(left.dtype, &left.dims), text(right.dtype, &right.dims)))
}
