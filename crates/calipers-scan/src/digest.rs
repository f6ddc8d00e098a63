//! Digests by which models of one architecture, or with the same weights, are found.

use std::collections::HashMap;

use blake3::Hasher;
use calipers::Model;
use calipers_ir::{AttributeValue, GraphId, List, NodeId, TensorId, ValueId};

/// Graphs inside of graphs that are followed.
const DEPTH: usize = 16;

/// The digest of a model's graph and functions: operators, attributes, wiring, types and dimensions of stored tensors, without
/// names and values, whatever order the nodes are stored in.
pub fn architecture_digest(model: &Model) -> String {
    let model = model.ir();
    let scope = Scope { values: &HashMap::new(), outer: None };
    let mut hasher = Hasher::new();
    hasher.update(&graph_digest(model, model.main_id(), &scope, DEPTH));
    // Nodes call functions by their names.
    let mut functions: Vec<[u8; 32]> = model
        .functions()
        .map(|(_, function)| {
            let mut hasher = Hasher::new();
            for name in [function.domain, function.name, function.overload] {
                text(&mut hasher, model.name(name));
            }
            hasher.update(&graph_digest(model, function.body, &scope, DEPTH));
            hasher.finalize().into()
        })
        .collect();
    functions.sort_unstable();
    functions.iter().for_each(|digest| {
        hasher.update(digest);
    });
    shortened(&hasher.finalize().into())
}

/// The values that a graph sees, and the graphs around it.
struct Scope<'a> {
    values: &'a HashMap<ValueId, [u8; 32]>,
    outer: Option<&'a Scope<'a>>,
}

impl Scope<'_> {
    fn get(&self, value: ValueId) -> Option<&[u8; 32]> {
        self.values.get(&value).or_else(|| self.outer?.get(value))
    }
}

/// The digest of the weights that are at hand; `None` where some are not.
pub(crate) fn weights_digest(model: &Model) -> Option<String> {
    let digests = model.sample_digests();
    let tensors = model.ir().tensors();
    if tensors.len() == 0 || digests.len() != tensors.len() {
        return None;
    }
    let mut digests: Vec<u64> = digests.into_values().collect();
    digests.sort_unstable();
    let mut hasher = Hasher::new();
    digests.iter().for_each(|digest| {
        hasher.update(&digest.to_le_bytes());
    });
    Some(shortened(&hasher.finalize().into()))
}

/// 128 bits as hexadecimal digits: among a billion models two share them by chance once in 10^20 datasets.
fn shortened(digest: &[u8; 32]) -> String {
    digest[..16].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn graph_digest(
    model: &calipers_ir::Model,
    id: GraphId,
    outer: &Scope<'_>,
    depth: usize,
) -> [u8; 32] {
    let graph = model.graph(id);
    let mut values: HashMap<ValueId, [u8; 32]> = HashMap::new();
    for (place, value) in graph.inputs.iter().enumerate() {
        if model.value(*value).initializer.is_none() {
            values.insert(*value, *blake3::hash(&(place as u64).to_le_bytes()).as_bytes());
        }
    }
    let mut nodes = Vec::with_capacity(graph.order.len());
    for node in &graph.order {
        let scope = Scope { values: &values, outer: Some(outer) };
        let digest = node_digest(model, *node, &scope, depth);
        for (place, output) in model.outputs(*node).iter().enumerate() {
            if let Some(output) = output {
                let mut hasher = Hasher::new();
                hasher.update(&digest).update(&(place as u64).to_le_bytes());
                values.insert(*output, hasher.finalize().into());
            }
        }
        nodes.push(digest);
    }
    nodes.sort_unstable();
    let mut hasher = Hasher::new();
    nodes.iter().for_each(|digest| {
        hasher.update(digest);
    });
    for output in &graph.outputs {
        hasher.update(values.get(output).unwrap_or(&[0; 32]));
    }
    hasher.finalize().into()
}

fn node_digest(
    model: &calipers_ir::Model,
    id: NodeId,
    scope: &Scope<'_>,
    depth: usize,
) -> [u8; 32] {
    let node = model.node(id);
    let mut hasher = Hasher::new();
    text(&mut hasher, model.name(node.domain));
    text(&mut hasher, model.name(node.op));
    let mut attributes: Vec<_> = model.attributes(id).iter().collect();
    attributes.sort_by_key(|attribute| model.name(attribute.name));
    for attribute in attributes {
        text(&mut hasher, model.name(attribute.name));
        value(&mut hasher, model, &attribute.value, scope, depth);
    }
    for input in model.inputs(id) {
        match input {
            None => hasher.update(&[0]),
            Some(input) => match (scope.get(*input), model.value(*input).initializer) {
                (Some(known), _) => hasher.update(known),
                (None, Some(tensor)) => stored(&mut hasher, model, tensor),
                (None, None) => hasher.update(&[2]),
            },
        };
    }
    hasher.update(&(model.outputs(id).len() as u64).to_le_bytes());
    hasher.finalize().into()
}

fn value(
    hasher: &mut Hasher,
    model: &calipers_ir::Model,
    value: &AttributeValue,
    scope: &Scope<'_>,
    depth: usize,
) {
    match value {
        AttributeValue::Float(number) => hasher.update(&number.to_le_bytes()),
        AttributeValue::Int(number) => hasher.update(&number.to_le_bytes()),
        AttributeValue::Floats(list) => {
            list.held().unwrap_or_default().iter().for_each(|number| {
                hasher.update(&number.to_le_bytes());
            });
            count(hasher, list)
        }
        AttributeValue::Ints(list) => {
            list.held().unwrap_or_default().iter().for_each(|number| {
                hasher.update(&number.to_le_bytes());
            });
            count(hasher, list)
        }
        AttributeValue::Text(setting) => {
            hasher.update(setting.setting().held().unwrap_or_default());
            count(hasher, setting.setting())
        }
        AttributeValue::Tensor(tensor) => stored(hasher, model, *tensor),
        AttributeValue::Graph(graph) if depth > 0 => {
            hasher.update(&graph_digest(model, *graph, scope, depth - 1))
        }
        AttributeValue::Texts { count, .. } => hasher.update(&count.to_le_bytes()),
        AttributeValue::Tensors(tensors) => {
            tensors.iter().for_each(|tensor| {
                stored(hasher, model, *tensor);
            });
            hasher
        }
        AttributeValue::Graph(_)
        | AttributeValue::Graphs(_)
        | AttributeValue::SparseTensor(_)
        | AttributeValue::SparseTensors(_)
        | AttributeValue::Type(_)
        | AttributeValue::Types(_)
        | AttributeValue::Reference(_)
        | AttributeValue::Unknown(_) => hasher.update(&[3]),
    };
}

fn count<'a, T>(hasher: &'a mut Hasher, list: &List<T>) -> &'a mut Hasher {
    hasher.update(&list.len().to_le_bytes())
}

fn text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
}

/// The type and the dimensions of a tensor; of a few integers also their values, which are settings.
fn stored<'a>(hasher: &'a mut Hasher, model: &calipers_ir::Model, id: TensorId) -> &'a mut Hasher {
    const FEW: u64 = 64;
    let tensor = model.tensor(id);
    text(hasher, &tensor.dtype.to_string());
    tensor.dims.iter().for_each(|dim| {
        hasher.update(&dim.to_le_bytes());
    });
    if let Ok(integers) = model.integers(id, FEW) {
        integers.iter().for_each(|integer| {
            hasher.update(&integer.to_le_bytes());
        });
    }
    hasher.update(&(tensor.dims.len() as u64).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType, Function, Graph, ModelBuilder, Node};

    use super::*;

    /// A branch that takes a value of the graph around it, and a function of one operator.
    fn digest(captured: &str, operator: &str) -> String {
        let branch = |taken: &str| {
            let mut graph = Graph::new("branch");
            graph.push(&Node::new("Relu", &[taken], &["z"], &[]));
            graph.output("z", DataType::F32, &["2"]);
            graph
        };
        let mut function = Function::new("own", "Act", &["a"], &["b"]);
        function.opset("", 17).push(&Node::new(operator, &["a"], &["b"], &[]));
        let branches = [
            Attribute::graph("then_branch", &branch(captured)),
            Attribute::graph("else_branch", &branch("x")),
        ];
        let mut model = ModelBuilder::new(17);
        model.opset("own", 1).function(&function);
        model.input("x", DataType::F32, &["2"]).input("y", DataType::F32, &["2"]);
        model.input("c", DataType::Bool, &[]);
        model.node("If", &["c"], &["u"], &branches);
        model.push(&Node::new("Act", &["u"], &["v"], &[]).in_domain("own"));
        model.output("v", DataType::F32, &["2"]);
        architecture_digest(&Model::read(model.build(), "m.onnx").unwrap())
    }

    #[test]
    fn captured_values_and_functions_are_part_of_an_architecture() {
        assert_eq!(digest("x", "Relu"), digest("x", "Relu"));
        assert_ne!(digest("x", "Relu"), digest("y", "Relu"));
        assert_ne!(digest("x", "Relu"), digest("x", "Tanh"));
    }
}
