//! Attributes as rules see them: a function's node may leave one to whoever calls the function.

use calipers_ir::{AttributeValue, FunctionId, List, Model, NodeId};
use calipers_ops::{Attr, Attributes};

use super::declared;
use super::stored;

/// A call of a function that is being looked into.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    pub(super) caller: NodeId,
    pub(super) function: FunctionId,
    pub(super) outer: Option<&'a Frame<'a>>,
}

/// The attributes of a node.
pub(super) struct NodeAttributes<'a> {
    pub(super) model: &'a Model,
    pub(super) node: NodeId,
    pub(super) frame: Option<&'a Frame<'a>>,
}

impl<'a> NodeAttributes<'a> {
    fn resolve(&self, value: &'a AttributeValue) -> Option<Attr<'a>> {
        // Each turn goes one call further out, so it ends.
        let (mut value, mut frame) = (value, self.frame);
        while let AttributeValue::Reference(name) = value {
            let call = frame?;
            let given = self.model.attributes(call.caller).iter().find(|a| a.name == *name);
            let function = self.model.function(call.function);
            let defaults = self.model.function_defaults(function);
            match (given, defaults.iter().find(|default| default.name == *name)) {
                (Some(given), _) => (value, frame) = (&given.value, call.outer),
                (None, Some(default)) => (value, frame) = (&default.value, None),
                (None, None) => return None,
            }
        }
        Some(attr(self.model, value))
    }
}

impl Attributes for NodeAttributes<'_> {
    fn attribute(&self, name: &str) -> Option<Attr<'_>> {
        self.resolve(self.model.attribute(self.node, name)?)
    }
}

fn attr<'a>(model: &'a Model, value: &'a AttributeValue) -> Attr<'a> {
    match value {
        AttributeValue::Int(value) => Attr::Int(*value),
        AttributeValue::Float(value) => Attr::Float(*value),
        AttributeValue::Text(text) => match text.setting() {
            List::Held(bytes) => Attr::Text(bytes),
            List::Stored { count, .. } => Attr::Long(*count),
        },
        AttributeValue::Ints(List::Held(values)) => Attr::Ints(values),
        AttributeValue::Floats(List::Held(values)) => Attr::Floats(values),
        AttributeValue::Ints(list) => Attr::Long(list.len()),
        AttributeValue::Floats(list) => Attr::Long(list.len()),
        AttributeValue::Texts { count, .. } => Attr::Texts(*count),
        AttributeValue::Tensor(tensor) => Attr::Tensor(stored::tensor_fact(model, *tensor)),
        AttributeValue::SparseTensor(sparse) => {
            stored::sparse_fact(model, *sparse).map_or(Attr::Other, Attr::SparseTensor)
        }
        AttributeValue::Type(ty) => Attr::Type(declared::fact(model, *ty, &|axis| {
            calipers_sym::Expr::from_dimension(&format!("dim_{axis}"), 0)
        })),
        _ => Attr::Other,
    }
}
