//! A field given twice, as protobuf reads it: messages are taken together, of plain values the last
//! counts, and so does the last of several that exclude each other.

use calipers_ir::{AttributeValue, Container, DType, Data, DecodeError, Dim, Leaf, ValueType};

use crate::common::{
    Msg, graph_attribute, model, msg, node, read, read_graph, read_tensor, value_info,
};

fn read_type(ty: Msg) -> (calipers_ir::Model, ValueType) {
    let model = read_graph(msg().msg(11, value_info("x").and(ty)));
    let id = model.value(model.main().inputs[0]).ty.expect("a type");
    let ty = model.value_type(id).clone();
    (model, ty)
}

fn first_value(model: &calipers_ir::Model) -> &AttributeValue {
    let (node, _) = model.nodes().next().expect("a node");
    &model.attributes(node)[0].value
}

#[test]
fn a_graph_in_parts_is_one_graph() {
    let one = msg().text(2, "old").msg(1, node("A", &["x"], &["y"]));
    let two = msg().text(2, "new").msg(1, node("B", &["y"], &["z"])).msg(11, value_info("x"));
    let model = read(msg().msg(7, one).int(1, 3).int(1, 9).msg(7, two).text(2, "a").text(2, "b"));
    assert_eq!(model.graphs().len(), 1);
    assert_eq!(model.name(model.main().name), "new");
    assert_eq!(model.depth(model.main_id()), Some(2));
    assert_eq!(model.issues, []);
    assert_eq!(model.header.ir_version, Some(9));
    assert_eq!(model.header.producer_name, "b");
}

#[test]
fn a_subgraph_in_parts_is_one_graph() {
    let one = msg().msg(1, node("A", &[], &["y"]));
    let two = msg().msg(1, node("B", &["y"], &[]));
    let attribute = graph_attribute("body", one).msg(6, two);
    let model = read_graph(msg().msg(1, node("Loop", &[], &[]).msg(5, attribute)));
    let AttributeValue::Graph(body) = first_value(&model) else { panic!("a graph") };
    assert_eq!(model.graph(*body).nodes.len(), 2);
    assert_eq!(model.issues, []);
}

#[test]
fn training_graphs_in_parts_are_one_each() {
    let step = msg()
        .msg(1, msg().msg(1, node("A", &[], &["a"])))
        .msg(2, msg().msg(1, node("B", &[], &["b"])))
        .msg(1, msg().msg(1, node("C", &[], &["c"])))
        .msg(3, crate::common::entry("w", "a"))
        .msg(4, crate::common::entry("w", "b"));
    let model = read(model(msg()).msg(20, step));
    let training = model.header.training[0];
    assert_eq!(training.bindings, 2);
    assert_eq!(model.graph(training.initialization.expect("there")).nodes.len(), 2);
    assert_eq!(model.graph(training.algorithm.expect("there")).nodes.len(), 1);
}

#[test]
fn a_tensor_in_parts_is_one_tensor() {
    let one = msg().ints(1, &[2]).int(2, 6).text(8, "old");
    let two = msg().ints(1, &[3]).int(2, 7).text(8, "new").bytes(9, &[0; 48]);
    let attribute = msg().text(1, "value").msg(5, one).msg(5, two).int(20, 4);
    let model = read_graph(msg().msg(1, node("Constant", &[], &["c"]).msg(5, attribute)));
    let AttributeValue::Tensor(id) = first_value(&model) else { panic!("a tensor") };
    let tensor = model.tensor(*id);
    assert_eq!(*tensor.dims, [2, 3]);
    assert_eq!(tensor.dtype, DType::Int64);
    assert_eq!(model.name(tensor.name), "new");
    assert_eq!(model.integers(*id, 6), Ok(vec![0; 6]));
}

#[test]
fn typed_elements_in_parts_are_never_read_wrong() {
    let one = msg().ints(1, &[2]).int(2, 7).ints(7, &[5]);
    let two = msg().ints(7, &[6]);
    let attribute = msg().text(1, "value").msg(5, one).msg(5, two).int(20, 4);
    let model = read_graph(msg().msg(1, node("Constant", &[], &["c"]).msg(5, attribute)));
    let AttributeValue::Tensor(id) = first_value(&model) else { panic!("a tensor") };
    // Only the first part is kept for later; a missing element is reported, not made up.
    assert_eq!(model.tensor(*id).data, Data::Fields { bytes: 2, elements: None });
    assert_eq!(model.integers(*id, 2), Err(DecodeError::Short));
}

#[test]
fn a_segment_in_parts_is_one_segment() {
    let message = msg().msg(3, msg().int(1, 10)).msg(3, msg().int(2, 20));
    let model = read_tensor(message);
    assert_eq!(model.tensors().next().expect("a tensor").1.segment, Some((10, 20)));
}

#[test]
fn sparse_values_in_parts_are_one_tensor() {
    let sparse = msg()
        .msg(1, msg().text(8, "w").ints(1, &[1]))
        .msg(2, msg().ints(1, &[1]))
        .msg(1, msg().ints(1, &[4]).int(2, 1))
        .int(3, 8)
        .ints(3, &[9]);
    let model = read_graph(msg().msg(15, sparse));
    let sparse = model.sparse_tensor(model.main().sparse_initializers[0]);
    assert_eq!(*sparse.dims, [8, 9]);
    let values = model.tensor(sparse.values.expect("there"));
    assert_eq!(*values.dims, [1, 4]);
    assert_eq!(values.dtype, DType::Float32);
}

#[test]
fn a_type_in_parts_is_one_type() {
    let dim = |size| msg().msg(1, msg().int(1, size));
    // type { tensor { shape 2 } } type { tensor { shape 3, float32 } tensor { shape 4 } }
    let one = msg().msg(1, msg().msg(2, dim(2)).int(1, 6));
    let two = msg().msg(1, msg().msg(2, dim(3)).int(1, 1)).msg(1, msg().msg(2, dim(4)));
    let (model, ty) = read_type(msg().msg(2, one).msg(2, two));
    assert_eq!(ty.describe(&model.names), "float32[2, 3, 4]");
}

#[test]
fn the_last_kind_of_type_counts() {
    let tensor = msg().msg(1, msg().int(1, 1));
    let sequence = msg().msg(4, msg().msg(1, msg().msg(1, msg().int(1, 7))));
    let (model, ty) = read_type(msg().msg(2, tensor.clone().and(sequence.clone())));
    assert_eq!(ty.describe(&model.names), "sequence(int64[…])");
    let (model, ty) = read_type(msg().msg(2, sequence.clone().and(tensor.clone())));
    assert_eq!(ty.describe(&model.names), "float32[…]");
    // Coming back to a kind does not bring back what it held before.
    let empty_again = sequence.clone().and(tensor).msg(4, msg());
    let (_, ty) = read_type(msg().msg(2, empty_again));
    assert_eq!((ty.containers, ty.leaf), (vec![Container::Sequence], Leaf::Unknown));
    // Inner types merge as well.
    let more = sequence.msg(4, msg().msg(1, msg().msg(1, msg().msg(2, msg()))));
    let (model, ty) = read_type(msg().msg(2, more));
    assert_eq!(ty.describe(&model.names), "sequence(int64[])");
}

#[test]
fn the_last_denotation_of_a_type_counts() {
    let twice = msg().text(6, "TEXT").msg(1, msg().int(1, 1)).text(6, "IMAGE");
    let (model, ty) = read_type(msg().msg(2, twice));
    assert_eq!(ty.denotation.map(|name| model.name(name)), Some("IMAGE"));
    // Of nested types the outermost says it.
    let inner = msg().msg(1, msg().int(1, 1)).text(6, "INNER");
    let (model, ty) = read_type(msg().msg(2, msg().msg(4, msg().msg(1, inner)).text(6, "OUTER")));
    assert_eq!(ty.denotation.map(|name| model.name(name)), Some("OUTER"));
}

#[test]
fn the_last_form_of_a_dimension_counts() {
    let read_dim = |dim: Msg| {
        let (model, ty) = read_type(msg().msg(2, msg().msg(1, msg().msg(2, msg().msg(1, dim)))));
        let shape = ty.tensor().and_then(|tensor| tensor.shape.clone()).expect("a shape");
        (shape[0], ty.describe(&model.names))
    };
    assert_eq!(read_dim(msg().int(1, 5).text(2, "n")).1, "?[n]");
    assert_eq!(read_dim(msg().text(2, "n").int(1, 5)).0, Dim::Size(5));
    assert_eq!(read_dim(msg().int(1, 5).int(1, -1)).0, Dim::Size(-1));
    assert_eq!(read_dim(msg().int(1, 5).text(2, "")).0, Dim::Unknown);
    assert_eq!(read_dim(msg().text(3, "DATA_BATCH")).0, Dim::Unknown);
}

#[test]
fn the_last_value_of_an_attribute_counts() {
    let attribute = msg().text(1, "old").int(20, 1).float(2, 1.0).int(3, 4).int(3, 5);
    let attribute = attribute.int(20, 2).text(1, "axis");
    let model = read_graph(msg().msg(1, node("Op", &[], &[]).msg(5, attribute)));
    let (id, _) = model.nodes().next().expect("a node");
    assert_eq!(model.attribute(id, "axis"), Some(&AttributeValue::Int(5)));
    assert_eq!(model.attribute(id, "old"), None);
}
