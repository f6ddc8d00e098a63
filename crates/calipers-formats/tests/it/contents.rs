//! What a model says of itself, its graphs, functions, training steps and devices, field by field.

use calipers_ir::{AttributeValue, GraphKind, Issue, Producer};

use crate::common::{Msg, entry, graph_attribute, model, msg, node, read, read_graph, value_info};

#[test]
fn the_header() {
    let message = msg()
        .int(1, 10)
        .text(2, "pytorch")
        .text(3, "2.9")
        .text(4, "org.example")
        .int(5, -3)
        .text(6, "what it is for")
        .msg(7, msg())
        .msg(8, msg().int(2, 21))
        .msg(8, msg().text(1, "ai.onnx.ml").int(2, 5))
        .msg(14, entry("license", "MIT"))
        .msg(14, entry("license", "twice"))
        .msg(14, msg());
    let bytes = message.0.len() as u64;
    let model = read(message);
    let header = &model.header;
    assert_eq!((header.file_name.as_str(), header.bytes), ("test.onnx", bytes));
    assert_eq!((header.ir_version, header.model_version), (Some(10), Some(-3)));
    assert_eq!(header.producer_name, "pytorch");
    assert_eq!(header.producer_version, "2.9");
    assert_eq!(header.domain, "org.example");
    assert_eq!(header.doc, "what it is for");
    let opsets: Vec<_> =
        header.opsets.iter().map(|opset| (model.name(opset.domain), opset.version)).collect();
    assert_eq!(opsets, [("", 21), ("ai.onnx.ml", 5)]);
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    let expected = [pair("license", "MIT"), pair("license", "twice"), pair("", "")];
    assert_eq!(header.metadata, expected);
}

#[test]
fn an_empty_header_is_empty() {
    let model = read(msg().msg(7, msg()));
    assert_eq!((model.header.ir_version, model.header.model_version), (None, None));
    assert!(model.header.opsets.is_empty() && model.header.producer_name.is_empty());
    assert_eq!(model.main().kind, GraphKind::Main);
}

#[test]
fn texts_that_are_no_text_are_kept_visible_and_long_ones_cut() {
    let message = model(msg()).bytes(2, b"tool \xff").text(6, &"é".repeat(100_000));
    let header = read(message).header;
    assert_eq!(header.producer_name, "tool \u{fffd}");
    assert!(header.doc.ends_with("… (200000 bytes in all)"));
    assert!(header.doc.len() < 66_000);
}

#[test]
fn a_graph_with_all_it_may_hold() {
    let annotation = msg()
        .text(1, "x")
        .msg(2, entry("SCALE_TENSOR", "x_scale"))
        .msg(2, entry("ZERO_POINT_TENSOR", "x_zero"));
    let graph = msg()
        .text(2, "main_graph")
        .text(10, "about it")
        .msg(11, value_info("x").text(3, "doc").msg(4, entry("k", "v")))
        .msg(12, value_info("y").msg(2, msg().msg(1, msg().int(1, 1))))
        .msg(13, value_info("t").msg(2, msg().msg(1, msg().int(1, 10))))
        .msg(14, annotation)
        .msg(16, entry("note", "graph"))
        .msg(1, node("Relu", &["x"], &["t"]).text(3, "first").text(6, "trace of the exporter"))
        .msg(1, node("Add", &["t", "t"], &["y"]).text(7, "com.example").text(8, "v2"));
    let model = read_graph(graph);
    let graph = model.main();
    assert_eq!(model.name(graph.name), "main_graph");
    assert_eq!(model.name(graph.doc), "about it");
    assert_eq!(model.name(graph.metadata[0].1), "graph");
    let annotation = &graph.quantization[0];
    assert_eq!(model.name(annotation.tensor), "x");
    let roles: Vec<_> =
        annotation.parameters.iter().map(|(k, v)| (model.name(*k), model.name(*v))).collect();
    assert_eq!(roles, [("SCALE_TENSOR", "x_scale"), ("ZERO_POINT_TENSOR", "x_zero")]);
    let [first, second] = graph.order[..] else { panic!("two nodes") };
    assert_eq!(model.node_label(first), "first");
    assert_eq!(model.node_label(second), "Add (node 1)");
    let facts = model.node(second);
    assert_eq!((model.name(facts.domain), model.name(facts.overload)), ("com.example", "v2"));
    let described = |value| {
        let ty = model.value(value).ty.map(|ty| model.value_type(ty).describe(&model.names));
        ty.unwrap_or_default()
    };
    assert_eq!(described(model.outputs(first)[0].expect("there")), "float16[…]");
    assert_eq!(described(graph.outputs[0]), "float32[…]");
    assert_eq!(described(graph.inputs[0]), "");
    assert_eq!(model.issues, []);
    assert!(model.unknown_fields.is_empty());
}

#[test]
fn metadata_of_nodes_is_read_when_asked_for() {
    let with = node("A", &[], &[])
        .msg(9, entry("namespace", "layer.0"))
        .msg(9, msg().text(1, "broken").bytes(2, &[0xff]))
        .msg(9, msg().text(1, "empty"));
    let graph = msg()
        .msg(1, node("Before", &[], &[]))
        .msg(1, with)
        .msg(1, node("After", &[], &[]).msg(9, entry("namespace", "layer.1")));
    let model = read_graph(graph);
    let expected: [&[(&str, &str)]; 3] =
        [&[], &[("namespace", "layer.0"), ("empty", "")], &[("namespace", "layer.1")]];
    for ((id, _), expected) in model.nodes().zip(expected) {
        let entries: Vec<_> = model.node_metadata_hints(id).collect();
        assert_eq!(entries.len(), expected.len());
        for ((key, text), (wanted_key, wanted)) in entries.into_iter().zip(expected) {
            assert_eq!(model.name(key), *wanted_key);
            assert!(text.is(wanted), "{wanted_key}");
        }
    }
}

fn function(name: &str, overload: &str) -> Msg {
    msg().text(1, name).text(10, "custom").text(13, overload)
}

#[test]
fn functions_with_overloads_and_defaults() {
    let reference = msg().text(1, "alpha").int(20, 1).text(21, "slope");
    let body = node("LeakyRelu", &["x"], &["y"]).msg(5, reference);
    let default = msg().text(1, "slope").int(20, 1).float(2, 0.25);
    let graph_default = graph_attribute("body", msg().msg(1, node("A", &[], &[])));
    let tensor_default = msg().text(1, "t").int(20, 4).msg(5, msg().int(2, 1).float(4, 1.0));
    let full = function("act", "leaky")
        .text(4, "x")
        .text(5, "y")
        .text(6, "must")
        .msg(7, body)
        .text(8, "about it")
        .msg(9, msg().int(2, 17))
        .msg(11, default)
        .msg(11, graph_default)
        .msg(11, tensor_default)
        .msg(12, value_info("y").msg(2, msg().msg(1, msg().int(1, 1))))
        .msg(14, entry("origin", "test"));
    let graph = msg().msg(1, node("act", &[], &["r"]).text(7, "custom").text(8, "leaky"));
    let model = read(model(graph).msg(25, full).msg(25, function("act", "")));
    let functions: Vec<_> = model.functions().map(|(_, function)| function).collect();
    let [leaky, plain] = functions[..] else { panic!("two functions") };
    assert_eq!([leaky, plain].map(|f| model.name(f.name)), ["act"; 2]);
    assert_eq!([leaky, plain].map(|f| model.name(f.overload)), ["leaky", ""]);
    assert_eq!(model.name(leaky.domain), "custom");
    assert_eq!(model.name(leaky.doc), "about it");
    assert_eq!(leaky.attributes.iter().map(|a| model.name(*a)).collect::<Vec<_>>(), ["must"]);
    assert_eq!(leaky.opsets[0].version, 17);
    assert_eq!(model.name(leaky.metadata[0].0), "origin");
    let defaults = model.function_defaults(leaky);
    assert_eq!(defaults[0].value, AttributeValue::Float(0.25));
    // The standard has no scope for a graph here.
    assert_eq!(defaults[1].value, AttributeValue::Unknown(5));
    let AttributeValue::Tensor(tensor) = defaults[2].value else { panic!("a tensor") };
    assert_eq!(model.tensor(tensor).stored_in, calipers_ir::StoredIn::FunctionAttribute);
    assert!(model.function_defaults(plain).is_empty());
    let body = model.graph(leaky.body);
    assert!(matches!(body.kind, GraphKind::Function(_)));
    assert_eq!(model.name(body.name), "act");
    let inner = body.order[0];
    let Some(AttributeValue::Reference(slope)) = model.attribute(inner, "alpha") else {
        panic!("a reference")
    };
    assert_eq!(model.name(*slope), "slope");
    assert!(model.value(body.outputs[0]).ty.is_some());
    assert_eq!(model.issues, []);
}

#[test]
fn a_function_does_not_see_the_graph_around_its_call() {
    let body = node("Add", &["x", "weight"], &["y"]);
    let f = function("f", "").text(4, "x").text(5, "y").msg(7, body);
    let graph = msg().msg(5, msg().text(8, "weight")).msg(1, node("f", &[], &["o"]));
    let model = read(model(graph).msg(25, f));
    let [Issue::UndefinedInput { value, .. }] = model.issues[..] else { panic!("one issue") };
    assert_eq!(model.value(value).producer, Producer::Nobody);
    assert_eq!(model.name(model.value(value).name), "weight");
}

#[test]
fn training_steps() {
    let step = msg()
        .msg(1, msg().text(2, "init"))
        .msg(2, msg().text(2, "step").msg(1, node("Adam", &["w", "grad"], &["w_new"])))
        .msg(3, entry("w", "w_init"))
        .msg(4, entry("w", "w_new"))
        .msg(4, entry("m", "m_new"));
    let model = read(model(msg().msg(5, msg().text(8, "w"))).msg(20, step).msg(20, msg()));
    let [full, empty] = model.header.training[..] else { panic!("two steps") };
    assert_eq!(full.bindings, 3);
    let algorithm = model.graph(full.algorithm.expect("there"));
    assert_eq!((model.name(algorithm.name), algorithm.nodes.len()), ("step", 1));
    assert_eq!(algorithm.kind, GraphKind::Training);
    assert_eq!(model.name(model.graph(full.initialization.expect("there")).name), "init");
    assert_eq!(empty, calipers_ir::TrainingStep::default());
    assert_eq!(model.issues, []);
}

#[test]
fn devices_and_placements() {
    let dim = msg().int(1, 0).msg(2, msg().int(1, 8).int(3, 2)).msg(2, msg().text(2, "n"));
    let spec = msg()
        .text(1, "x")
        .ints(2, &[0, 1])
        .int(2, 2)
        .msg(3, msg().int(1, 0).ints(2, &[1, 2]).int(2, 3))
        .msg(4, dim);
    let placement = msg().text(1, "pair").msg(2, spec).int(3, 1);
    let placed = node("MatMul", &[], &[]).msg(10, placement.clone()).msg(10, placement);
    let configuration = msg().text(1, "pair").int(2, 2).text(3, "gpu0").text(3, "gpu1");
    let graph = msg().msg(1, placed).msg(1, node("Relu", &[], &[]));
    let model = read(model(graph).msg(26, configuration));
    let found = &model.header.device_configurations[0];
    assert_eq!((found.name.as_str(), found.devices), ("pair", 2));
    assert_eq!(found.device_names, ["gpu0", "gpu1"]);
    assert_eq!(model.header.placed_nodes, 1);
    assert!(model.unknown_fields.is_empty());
}
