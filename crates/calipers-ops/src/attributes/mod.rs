//! Attributes of a node as text, truncated where they are long, and their default values.

mod defaults;

use std::fmt::Write as _;

use calipers_ir::{AttributeValue, List, Model, NodeId, TensorId};
pub use defaults::{defaults, defaults_of, version_of};

/// Attributes that are reported of a node.
const MOST: usize = 32;
/// Elements that are reported of a list.
const ELEMENTS: usize = 24;
/// Characters that are reported of a text.
const CHARACTERS: usize = 300;

/// Names and texts of a node's attributes.
pub fn texts(model: &Model, node: NodeId) -> Vec<(String, String)> {
    let attributes = model.attributes(node).iter().take(MOST);
    attributes
        .map(|attribute| (cut(model.name(attribute.name)), cut(&text(model, &attribute.value))))
        .collect()
}

/// A text of bounded length.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The text of an attribute's value.
pub fn text(model: &Model, value: &AttributeValue) -> String {
    match value {
        AttributeValue::Float(number) => number.to_string(),
        AttributeValue::Int(number) => number.to_string(),
        AttributeValue::Text(text) => match text.shown() {
            Some(shown) => cut(&shown),
            None => format!("text of {} bytes", text.setting().len()),
        },
        AttributeValue::Floats(numbers) => list(numbers),
        AttributeValue::Ints(numbers) => list(numbers),
        AttributeValue::Texts { count, first, .. } => {
            let reported: Vec<String> =
                first.iter().take(ELEMENTS).map(|name| cut(model.name(*name))).collect();
            with_rest(&reported, *count)
        }
        AttributeValue::Tensor(tensor) => of_tensor(model, *tensor),
        AttributeValue::SparseTensor(_) => "sparse tensor".to_owned(),
        AttributeValue::Graph(graph) => {
            format!("graph of {} nodes", model.graph(*graph).nodes.len())
        }
        AttributeValue::Tensors(tensors) => format!("{} tensors", tensors.len()),
        AttributeValue::SparseTensors(tensors) => format!("{} sparse tensors", tensors.len()),
        AttributeValue::Graphs(graphs) => format!("{} graphs", graphs.len()),
        AttributeValue::Type(_) => "type".to_owned(),
        AttributeValue::Types(types) => format!("{} types", types.len()),
        AttributeValue::Reference(name) => {
            format!("attribute of the function call: {}", cut(model.name(*name)))
        }
        AttributeValue::Unknown(kind) => format!("unknown attribute type {kind}"),
    }
}

fn of_tensor(model: &Model, id: TensorId) -> String {
    let tensor = model.tensor(id);
    let dims: Vec<String> = tensor.dims.iter().take(ELEMENTS).map(ToString::to_string).collect();
    let mut text = format!("{}[{}]", tensor.dtype, dims.join(", "));
    if let Ok(numbers) = model.integers(id, 8) {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        _ = write!(text, " = {}", numbers.join(", "));
    } else if let Ok(numbers) = model.floats(id, 8) {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        _ = write!(text, " = {}", numbers.join(", "));
    }
    text
}

fn list<T: ToString>(list: &List<T>) -> String {
    match list {
        List::Held(elements) => {
            let reported: Vec<String> = elements.iter().take(ELEMENTS).map(T::to_string).collect();
            with_rest(&reported, elements.len() as u64)
        }
        List::Stored { count, .. } => format!("{count} numbers"),
    }
}

fn with_rest(reported: &[String], count: u64) -> String {
    let text = reported.join(", ");
    match count.saturating_sub(reported.len() as u64) {
        0 => text,
        rest => format!("{text}, and {rest} more"),
    }
}
