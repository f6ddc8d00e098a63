//! The builder writes every part of a model into the field where ONNX has it.

use calipers_samples::{
    Attribute, AttributeKind, DataType, Function, Graph, ModelBuilder, Node, SparseTensor, Tensor,
    Type,
};

use crate::wire::{Value, all, fields, ints, one, text};

/// A sparse 3×3 tensor with two elements.
fn sparse(name: &str) -> SparseTensor {
    let values = Tensor::f32(name, &[2], &[1.0, 2.0]);
    SparseTensor::new(&values, &Tensor::i64("", &[2], &[0, 8]), &[3, 3])
}

fn everything() -> Vec<u8> {
    let mut sub = Graph::new("sub");
    sub.doc("a subgraph")
        .node("Identity", &["x"], &["inner"], &[])
        .output_of("inner", &Type::unranked(DataType::F32));
    let tensor = Tensor::i64("", &[1], &[7]);
    let ty = Type::tensor(DataType::F32, &["n"]);
    let attributes = [
        Attribute::float("f", 0.5),
        Attribute::int("i", -1),
        Attribute::string("s", "text"),
        Attribute::tensor("t", &tensor),
        Attribute::graph("g", &sub),
        Attribute::floats("fs", &[1.0, 2.0]),
        Attribute::ints("is", &[1, 2, 3]),
        Attribute::strings("ss", &["a", "b"]),
        Attribute::tensors("ts", &[tensor.clone(), tensor.clone()]),
        Attribute::graphs("gs", &[sub.clone(), sub.clone()]),
        Attribute::sparse_tensor("st", &sparse("")),
        Attribute::sparse_tensors("sts", &[sparse(""), sparse("")]),
        Attribute::type_proto("tp", &ty),
        Attribute::type_protos("tps", &[ty.clone(), Type::optional(&ty)]),
    ];
    let mut function = Function::new("own", "F", &["a"], &["b"]);
    function
        .overload("two")
        .opset("", 21)
        .attribute("must")
        .attribute_default(&Attribute::int("may", 3))
        .node(
            "Softmax",
            &["a"],
            &["b"],
            &[Attribute::reference("axis", AttributeKind::Int, "may")],
        );
    let mut call = Node::new("F", &["x", ""], &["out"], &attributes).named("call").in_domain("own");
    call.overload = "two".into();
    call.doc = "a call".into();
    ModelBuilder::new(21)
        .ir_version(10)
        .producer("tool", "1.2")
        .identity("com.example", 4)
        .doc("all of it")
        .opset("own", 1)
        .name("main graph")
        .metadata("key", "value")
        .function(&function)
        .input("x", DataType::F32, &["batch", "3", "?"])
        .input_of("list", &Type::sequence(&ty))
        .input_of("maybe", &Type::optional(&Type::sequence(&ty)))
        .input_of("map", &Type::map(DataType::I64, &ty))
        .input_of("sparse", &Type::sparse_tensor(DataType::F32, &["3", "3"]))
        .initializer(&Tensor::float_data("floats", &[2], &[1.0, 2.0]))
        .initializer(&Tensor::int32_data("halves", DataType::F16, &[2], &[0x3c00, 0x4000]))
        .initializer(&Tensor::int64_data("longs", &[2], &[1, -1]))
        .initializer(&Tensor::double_data("doubles", &[1], &[1.0]))
        .initializer(&Tensor::uint64_data("big", DataType::U64, &[1], &[u64::MAX]))
        .initializer(&Tensor::strings("words", &[2], &["a", "b"]))
        .initializer(&Tensor::raw("nibbles", DataType::I4, &[3], &[0x21, 0x03]))
        .initializer(&Tensor::external("far", DataType::F32, &[4], "w.bin", Some(0), Some(16)))
        .sparse_initializer(&sparse("thin"))
        .push(&call)
        .value("out", DataType::F32, &["batch"])
        .output("out", DataType::F32, &["batch"])
        .build()
}

#[test]
fn the_header_is_written() {
    let model = everything();
    assert_eq!((ints(&model, 1), ints(&model, 5)), (vec![10], vec![4]));
    let texts = [2, 3, 4, 6].map(|field| text(&model, field));
    assert_eq!(texts, ["tool", "1.2", "com.example", "all of it"]);
    let opsets = all(&model, 8);
    let opsets: Vec<_> = opsets.iter().map(|o| (text(o, 1), ints(o, 2)[0])).collect();
    assert_eq!(opsets, [(String::new(), 21), ("own".into(), 1)]);
    assert_eq!(one(&model, 14), b"\x0a\x03key\x12\x05value");
}

#[test]
fn a_graph_has_its_fields_in_order() {
    let model = everything();
    let graph = one(&model, 7);
    let mut numbers: Vec<u64> = fields(graph).into_iter().map(|(number, _)| number).collect();
    assert!(numbers.is_sorted());
    numbers.dedup();
    assert_eq!(numbers, [1, 2, 5, 11, 12, 13, 15]);
    let names: Vec<_> = all(graph, 5).into_iter().map(|tensor| text(tensor, 8)).collect();
    let all_names = ["floats", "halves", "longs", "doubles", "big", "words", "nibbles", "far"];
    assert_eq!(names, all_names);
}

#[test]
fn a_node_has_its_names_and_its_domain() {
    let model = everything();
    let node = one(one(&model, 7), 1);
    assert_eq!(all(node, 1), [&b"x"[..], b""], "an input left out is an empty name");
    let texts = [2, 3, 4, 6, 7, 8].map(|field| text(node, field));
    assert_eq!(texts, ["out", "call", "F", "a call", "own", "two"]);
}

/// Name, ONNX's number of the kind, field of the value, number of values.
#[test]
fn every_kind_of_attribute_goes_to_its_own_field() {
    let expected = [
        ("f", 1, 2, 1),
        ("i", 2, 3, 1),
        ("s", 3, 4, 1),
        ("t", 4, 5, 1),
        ("g", 5, 6, 1),
        ("fs", 6, 7, 2),
        ("is", 7, 8, 3),
        ("ss", 8, 9, 2),
        ("ts", 9, 10, 2),
        ("gs", 10, 11, 2),
        ("st", 11, 22, 1),
        ("sts", 12, 23, 2),
        ("tp", 13, 14, 1),
        ("tps", 14, 15, 2),
    ];
    let model = everything();
    let attributes = all(one(one(&model, 7), 1), 5);
    assert_eq!(attributes.len(), expected.len());
    for (attribute, (name, kind, field, count)) in attributes.into_iter().zip(expected) {
        assert_eq!((text(attribute, 1).as_str(), ints(attribute, 20)), (name, vec![kind]));
        let values = fields(attribute).iter().filter(|(number, _)| *number == field).count();
        assert_eq!(values, count, "{name}");
        assert_eq!(fields(attribute).len(), count + 2, "{name}");
    }
}

#[test]
fn every_kind_of_data_goes_to_its_own_field() {
    let model = everything();
    let tensors = all(one(&model, 7), 5);
    let field = |name: &str| {
        let tensor = tensors.iter().find(|tensor| text(tensor, 8) == name).unwrap();
        let known = [1, 2, 8];
        let mut rest: Vec<u64> = fields(tensor).into_iter().map(|(number, _)| number).collect();
        rest.retain(|number| !known.contains(number));
        rest
    };
    assert_eq!(field("floats"), [4]);
    assert_eq!(field("halves"), [5]);
    assert_eq!(field("words"), [6, 6]);
    assert_eq!(field("longs"), [7]);
    assert_eq!(field("nibbles"), [9]);
    assert_eq!(field("doubles"), [10]);
    assert_eq!(field("big"), [11]);
    assert_eq!(field("far"), [13, 13, 13, 14]);
}

#[test]
fn every_kind_of_type_goes_to_its_own_field() {
    let model = everything();
    let inputs = all(one(&model, 7), 11);
    let field = |input: &[u8]| fields(one(input, 2))[0].0;
    let kinds: Vec<_> = inputs.iter().map(|input| (text(input, 1), field(input))).collect();
    let expected = [("x", 1), ("list", 4), ("maybe", 9), ("map", 5), ("sparse", 8)];
    assert_eq!(kinds, expected.map(|(name, field)| (name.to_owned(), field)));
    let shape = one(one(one(inputs[0], 2), 1), 2);
    let dims: Vec<_> = all(shape, 1).into_iter().map(fields).collect();
    assert_eq!(dims, [vec![(2, Value::Bytes(b"batch"))], vec![(1, Value::Int(3))], vec![]]);
}

#[test]
fn a_function_has_its_signature_and_its_body() {
    let model = everything();
    let function = one(&model, 25);
    let texts = [1, 4, 5, 6, 10, 13].map(|field| text(function, field));
    assert_eq!(texts, ["F", "a", "b", "must", "own", "two"]);
    let reference = one(one(function, 7), 5);
    assert_eq!((text(reference, 1), text(reference, 21)), ("axis".into(), "may".into()));
    assert_eq!((text(one(function, 11), 1), ints(one(function, 11), 3)), ("may".into(), vec![3]));
}

#[test]
fn a_sparse_tensor_has_values_indices_and_dims() {
    let model = everything();
    let sparse = one(one(&model, 7), 15);
    assert_eq!(text(one(sparse, 1), 8), "thin");
    assert_eq!(ints(one(sparse, 2), 1), [2]);
    assert_eq!(ints(sparse, 3), [3, 3]);
}
