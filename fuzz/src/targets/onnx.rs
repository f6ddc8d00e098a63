//! Any bytes read as an ONNX model; then everything the model offers is asked for.

use std::hint::black_box;

use calipers_ir::{AttributeValue, Model, Producer};

/// Elements of a tensor that are decoded at most.
const SMALL: u64 = 64;

pub(crate) fn run(bytes: &[u8]) {
    match calipers_formats::read(bytes.to_vec(), "fuzz.onnx") {
        Ok(model) => walk(&model),
        Err(error) => {
            black_box((error.to_string(), error.hint()));
        }
    }
}

fn walk(model: &Model) {
    for (id, graph) in model.graphs() {
        let mut ordered = graph.order.clone();
        ordered.sort_unstable();
        assert!(ordered.iter().copied().eq(graph.nodes.nodes()), "every node runs once");
        assert_eq!(model.depth(id).is_none(), !graph.cyclic.is_empty());
        for value in graph.inputs.iter().chain(&graph.outputs) {
            black_box(model.name(model.value(*value).name));
        }
    }
    for (id, node) in model.nodes() {
        assert!(model.graph(node.graph).nodes.indices().contains(&id.index()));
        black_box(model.node_label(id));
        for value in model.inputs(id).iter().chain(model.outputs(id)).flatten() {
            black_box(model.value(*value));
        }
        for value in model.captures(id) {
            assert_eq!(model.value(value).graph, node.graph, "captures come from around the node");
        }
        for attribute in model.attributes(id) {
            if let AttributeValue::Graph(graph) = attribute.value {
                assert_eq!(model.graph(graph).parent, Some(node.graph));
            }
        }
    }
    for (id, value) in model.values() {
        if let Producer::Node { node, slot } = value.producer {
            assert_eq!(model.outputs(node)[slot as usize], Some(id));
        }
        for consumer in model.consumers(id) {
            assert_eq!(model.inputs(consumer.node)[consumer.slot as usize], Some(id));
        }
        if let Some(ty) = value.ty {
            black_box(model.value_type(ty).describe(&model.names));
        }
    }
    for (id, tensor) in model.tensors() {
        black_box(tensor.bytes());
        if let Ok(elements) = model.integers(id, SMALL) {
            assert_eq!(Ok(elements.len() as u64), tensor.elements());
        }
        if let Ok(elements) = model.floats(id, SMALL) {
            assert_eq!(Ok(elements.len() as u64), tensor.elements());
        }
    }
    for (_, function) in model.functions() {
        black_box((model.function_defaults(function).len(), model.graph(function.body)));
    }
}
