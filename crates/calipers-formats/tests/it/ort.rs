//! The format of ONNX Runtime: everything of ONNX that it stores; damaged and malicious files.

use std::time::{Duration, Instant};

use calipers_formats::{Error, read};
use calipers_ir::{AttributeValue, DType, Data, Dim, Format, Model};

use crate::common::flatbuffers::{Table, table};

/// `TypeInfo` of a tensor, its dimensions numbers or names.
fn tensor_type(dtype: i32, dims: &[&str]) -> Table {
    let dims = dims.iter().map(|dim| match dim.parse::<i64>() {
        Ok(size) => table().table(0, table().byte(0, 1).long(1, size)),
        Err(_) => table().table(0, table().byte(0, 2).bytes(2, dim)),
    });
    let shape = table().tables(0, dims.collect::<Vec<_>>());
    table().byte(1, 1).table(2, table().int(0, dtype).table(1, shape))
}

fn value(name: &str, ty: Table) -> Table {
    table().bytes(0, name).table(2, ty)
}

fn node(
    op: &str,
    domain: &str,
    inputs: &[&str],
    outputs: &[&str],
    attributes: Vec<Table>,
) -> Table {
    table()
        .bytes(0, format!("/m/{op}"))
        .bytes(2, domain)
        .bytes(5, op)
        .texts(8, inputs)
        .texts(9, outputs)
        .tables(10, attributes)
}

fn attribute(name: &str, kind: i32) -> Table {
    table().bytes(0, name).int(2, kind)
}

fn session(graph: Table) -> Table {
    let opset = |domain: &str, version: i64| table().bytes(0, domain).long(1, version);
    let model = table()
        .long(0, 8)
        .tables(1, [opset("", 17), opset("com.microsoft", 1)])
        .bytes(2, "pytorch")
        .bytes(3, "2.0")
        .long(5, 4)
        .table(7, graph)
        .tables(9, [table().bytes(0, "key").bytes(1, "text")]);
    table().bytes(0, "6").table(1, model)
}

/// A product with stored weights, a condition with two branches, and attributes of every kind.
fn small() -> Table {
    let weight = table().bytes(0, "w").longs(2, &[3, 2]).int(3, 1).bytes(4, [0_u8; 24]);
    let labels = table().bytes(0, "labels").longs(2, &[2]).int(3, 8).texts(5, &["cat", "mouse"]);
    let branch = |op: &str, output: &str| {
        table()
            .tables(2, [node(op, "", &["p"], &[output], vec![])])
            .tables(1, [value(output, tensor_type(1, &["batch", "2"]))])
            .texts(6, &[output])
    };
    let attributes = vec![
        attribute("f", 1).float(3, 0.5),
        attribute("i", 2).long(4, -7),
        attribute("s", 3).bytes(5, "hi"),
        attribute("t", 4).table(6, table().longs(2, &[1]).int(3, 7).bytes(4, 9_i64.to_le_bytes())),
        attribute("floats", 6).floats(8, &[1.0, 2.0]),
        attribute("ints", 7).longs(9, &[3, 4]),
        attribute("strings", 8).texts(10, &["a", "bc"]),
    ];
    let branches = vec![
        attribute("then_branch", 5).table(7, branch("Relu", "a")),
        attribute("else_branch", 5).table(7, branch("Neg", "b")),
    ];
    let graph = table()
        .tables(0, [weight, labels])
        .tables(
            1,
            [
                value("x", tensor_type(1, &["batch", "3"])),
                value("c", tensor_type(9, &[])),
                value("y", tensor_type(1, &["batch", "2"])),
                value("p", table().byte(1, 2).table(2, table().table(0, tensor_type(1, &["2"])))),
            ],
        )
        .tables(
            2,
            [
                node("MatMul", "", &["x", "w"], &["p"], vec![]),
                node("If", "", &["c"], &["q"], branches),
                node("Made", "com.acme", &["q", "", "labels"], &["y"], attributes),
            ],
        )
        .texts(5, &["x", "c"])
        .texts(6, &["y"]);
    session(graph)
}

fn opened(file: &Table) -> Model {
    read(file.file(b"ORTM"), "test.ort").expect("a model")
}

#[test]
fn a_model_is_what_onnx_says() {
    let model = opened(&small());
    let header = &model.header;
    assert_eq!((header.format, header.ir_version), (Format::Ort, Some(8)));
    assert_eq!(
        (header.producer_name.as_str(), header.producer_version.as_str()),
        ("pytorch", "2.0")
    );
    let opsets: Vec<_> =
        header.opsets.iter().map(|opset| (model.name(opset.domain), opset.version)).collect();
    assert_eq!(opsets, [("", 17), ("com.microsoft", 1)]);
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(header.metadata, [pair("ort_version", "6"), pair("key", "text")]);
    let ops: Vec<_> = model
        .nodes()
        .map(|(id, node)| (model.written_domain(id), model.written_op(id), model.name(node.name)))
        .collect();
    assert_eq!(ops[0], ("", "MatMul", "/m/MatMul"));
    assert_eq!(ops[2], ("com.acme", "Made", "/m/Made"));
    assert_eq!((ops[3].1, ops[4].1), ("Relu", "Neg"));
    assert_eq!(model.graphs().len(), 3);
    assert_eq!(model.issues, []);
    let input = model.value(model.main().inputs[0]);
    let ty = model.value_type(input.ty.unwrap()).tensor().unwrap().clone();
    assert_eq!(ty.dtype, DType::Float32);
    assert!(matches!(ty.shape.unwrap()[..], [Dim::Symbol(name), Dim::Size(3)]
        if model.name(name) == "batch"));
    let product = model.outputs(model.nodes().next().unwrap().0)[0].unwrap();
    assert_eq!(model.value_type(model.value(product).ty.unwrap()).kind(), "sequence");
    let tensors: Vec<_> = model.tensors().map(|(_, tensor)| tensor.clone()).collect();
    assert!(matches!(tensors[0].data, Data::Raw(span) if span.len() == 24));
    assert_eq!(tensors[1].data, Data::Fields { bytes: 8, elements: Some(2) });
}

#[test]
fn attributes_are_of_every_kind() {
    let model = opened(&small());
    let (id, _) = model.nodes().nth(2).unwrap();
    let value = |name: &str| model.attribute(id, name).unwrap().clone();
    assert_eq!(value("f"), AttributeValue::Float(0.5));
    assert_eq!(value("i"), AttributeValue::Int(-7));
    assert!(matches!(value("s"), AttributeValue::Text(text) if text.shown().unwrap() == "hi"));
    let AttributeValue::Tensor(tensor) = value("t") else { panic!("a tensor") };
    assert_eq!(model.integers(tensor, 1), Ok(vec![9]));
    assert!(matches!(value("floats"), AttributeValue::Floats(list)
        if list.held() == Some(&[1.0, 2.0])));
    assert!(matches!(value("ints"), AttributeValue::Ints(list) if list.held() == Some(&[3, 4])));
    assert!(matches!(value("strings"), AttributeValue::Texts { count: 2, bytes: 3, .. }));
    assert_eq!(model.inputs(id)[1], None);
}

#[test]
fn every_truncation_and_every_changed_byte_gives_a_model_or_an_error() {
    let begun = Instant::now();
    let file = small().file(b"ORTM");
    for length in 0..file.len() {
        drop(read(file[..length].to_vec(), "cut.ort"));
    }
    for place in 8..file.len() {
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = file.clone();
            changed[place] = value;
            drop(read(changed, "changed.ort"));
        }
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_session_without_a_graph_is_none() {
    assert!(matches!(read(table().file(b"ORTM"), "test.ort"), Err(Error::NoGraph { .. })));
    let file = table().table(1, table()).file(b"ORTM");
    assert!(matches!(read(file, "test.ort"), Err(Error::NoGraph { .. })));
}

#[test]
fn types_in_types_and_graphs_in_graphs_cost_no_stack() {
    let mut ty = tensor_type(1, &["2"]);
    for _ in 0..500 {
        ty = table().byte(1, 2).table(2, table().table(0, ty));
    }
    let mut graph = table().tables(1, [value("x", ty)]).texts(5, &["x"]);
    for _ in 0..500 {
        let branch = attribute("then_branch", 5).table(7, graph);
        graph = table().tables(2, [node("If", "", &["c"], &["y"], vec![branch])]);
    }
    let model = opened(&session(graph));
    assert_eq!((model.graphs().len(), model.nodes().len()), (501, 500));
}
