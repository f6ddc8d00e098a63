//! An error names the damaged byte and the path to it, however deep it lies.

use calipers_formats::Error;

use crate::common::{Msg, graph_attribute, model, msg, node, try_read, value_info};

/// A text before the damage, by which a test finds where it is.
const MARK: &str = "<the damage follows>";

/// A message with a marked, damaged field in it.
fn damaged(number: u32) -> Msg {
    msg().text(number, MARK).and(Msg(vec![0x0f, 0x01]))
}

fn place_of(message: Msg) -> (u64, String, String) {
    let marks: Vec<_> =
        message.0.windows(MARK.len()).enumerate().filter(|(_, w)| *w == MARK.as_bytes()).collect();
    let [(start, _)] = marks[..] else { panic!("one mark") };
    let expected = (start + MARK.len()) as u64;
    match try_read(message).expect_err("damage") {
        Error::Malformed { at, path, problem, .. } => {
            assert_eq!(at, expected, "in {path}");
            (at, path, problem)
        }
        other => panic!("{other}"),
    }
}

fn path_of(message: Msg) -> String {
    let (_, path, problem) = place_of(message);
    assert_eq!(problem, "invalid wire type 7");
    path
}

/// A graph with `before` nodes and then one with `attributes` attributes before this one.
fn graph_around(before: usize, attributes: usize, attribute: Msg) -> Msg {
    let mut graph = msg().text(2, "around");
    for _ in 0..before {
        graph = graph.msg(1, node("Relu", &["x"], &["y"]));
    }
    let mut last = node("If", &["x"], &["y"]);
    for index in 0..attributes {
        last = last.msg(5, msg().text(1, "alpha").int(20, 2).int(3, index as i64));
    }
    graph.msg(1, last.msg(5, attribute))
}

#[test]
fn damage_in_the_main_graph() {
    let attribute = msg().text(1, "value").and(damaged(13));
    assert_eq!(path_of(model(graph_around(17, 2, attribute))), "graph.node[17].attribute[2]");
    let cases = [
        (msg().msg(1, damaged(6)), "graph.node[0]"),
        (msg().msg(5, msg()).msg(5, damaged(12)), "graph.initializer[1]"),
        (msg().msg(11, damaged(3)), "graph.input[0]"),
        (msg().msg(12, msg()).msg(12, damaged(3)), "graph.output[1]"),
        (msg().msg(13, damaged(3)), "graph.value_info[0]"),
        (msg().msg(11, msg().msg(2, damaged(6))), "graph.input[0].type"),
        (msg().msg(15, msg().msg(1, damaged(12))), "graph.sparse_initializer[0].values"),
        (msg().msg(15, msg().msg(2, damaged(12))), "graph.sparse_initializer[0].indices"),
        (msg().msg(14, damaged(1)), "graph.quantization_annotation"),
        (msg().msg(16, damaged(1)), "graph.metadata_props"),
        (msg().msg(1, msg().msg(9, damaged(1))), "graph.node[0].metadata_props"),
        (msg().msg(1, msg().msg(10, damaged(1))), "graph.node[0].device_configurations"),
        (msg().msg(5, msg().msg(13, damaged(1))), "graph.initializer[0].external_data"),
        (damaged(10), "graph"),
    ];
    for (graph, path) in cases {
        assert_eq!(path_of(model(graph)), path);
    }
    let shape = msg().msg(1, msg()).msg(1, damaged(3));
    let ty = msg().msg(1, msg().msg(2, shape));
    let input = value_info("x").msg(2, ty);
    assert_eq!(path_of(model(msg().msg(11, input))), "graph.input[0].type.shape.dim[1]");
}

#[test]
fn damage_in_the_model_itself() {
    assert_eq!(path_of(damaged(2)), "the model");
    assert_eq!(path_of(msg().msg(8, msg()).msg(8, damaged(1))), "opset_import[1]");
    assert_eq!(path_of(msg().msg(14, damaged(1))), "metadata_props[0]");
    assert_eq!(path_of(msg().msg(26, damaged(1))), "configuration[0]");
}

#[test]
fn damage_in_each_kind_of_attribute() {
    let cases = [
        (msg().msg(5, damaged(12)).int(20, 4), "t"),
        (msg().msg(6, damaged(10)).int(20, 5), "g"),
        (msg().msg(10, msg()).msg(10, damaged(12)).int(20, 9), "tensors[1]"),
        (msg().msg(11, msg()).msg(11, damaged(10)).int(20, 10), "graphs[1]"),
        (msg().msg(22, msg().msg(1, damaged(12))).int(20, 11), "sparse_tensor.values"),
        (msg().msg(23, msg()).msg(23, msg().msg(2, damaged(12))), "sparse_tensors[1].indices"),
        (msg().msg(14, damaged(6)).int(20, 13), "tp"),
        (msg().msg(15, msg()).msg(15, damaged(6)).int(20, 14), "type_protos[1]"),
    ];
    for (attribute, inner) in cases {
        let path = path_of(model(graph_around(1, 0, attribute)));
        assert_eq!(path, format!("graph.node[1].attribute[0].{inner}"));
    }
}

#[test]
fn damage_deep_inside_subgraphs() {
    let deepest = graph_around(3, 1, msg().msg(5, damaged(12)).int(20, 4));
    let middle = graph_around(0, 0, graph_attribute("body", deepest));
    let outer = graph_around(1, 2, graph_attribute("then_branch", middle));
    assert_eq!(
        path_of(model(outer.clone())),
        "graph.node[1].attribute[2].g.node[0].attribute[0].g.node[3].attribute[1].t"
    );
    // What is before and after in the file moves the byte and not the path.
    let shifted = msg().text(2, &"x".repeat(300)).msg(7, outer).text(6, "after");
    assert!(path_of(shifted).ends_with("node[3].attribute[1].t"));
}

#[test]
fn damage_in_functions_and_training_steps() {
    let body = graph_attribute("body", msg().msg(1, damaged(6)));
    let call = node("Loop", &[], &[]).msg(5, body);
    let function = msg().text(1, "f").text(10, "custom").msg(7, msg()).msg(7, call);
    assert_eq!(
        path_of(model(msg()).msg(25, msg()).msg(25, function)),
        "functions[1].node[1].attribute[0].g.node[0]"
    );
    let cases = [
        (damaged(8), "functions[0]"),
        (msg().msg(7, damaged(6)), "functions[0].node[0]"),
        (msg().msg(12, damaged(3)), "functions[0].value_info[0]"),
        (msg().msg(9, msg()).msg(9, damaged(1)), "functions[0].opset_import[1]"),
        (msg().msg(11, damaged(13)), "functions[0].attribute_proto[0]"),
        (msg().msg(14, damaged(1)), "functions[0].metadata_props[0]"),
    ];
    for (function, path) in cases {
        assert_eq!(path_of(model(msg()).msg(25, function)), path);
    }
    let step = msg().msg(2, msg().msg(1, damaged(6)));
    assert_eq!(path_of(model(msg()).msg(20, step)), "training_info[0].algorithm.node[0]");
    assert_eq!(path_of(model(msg()).msg(20, damaged(3))), "training_info[0]");
}

#[test]
fn each_damage_has_its_words() {
    let cases: &[(&[u8], &str)] = &[
        (&[0x0f], "invalid wire type 7"),
        (&[0x0e, 0x01], "invalid wire type 6"),
        (&[0x00, 0x01], "invalid field number"),
        (&[0x0c], "unexpected end of a group"),
        (&[0x80; 11], "unterminated varint"),
        (&[0xfa], "unterminated varint"),
    ];
    for (bytes, words) in cases {
        let inner = msg().text(10, MARK).and(Msg(bytes.to_vec()));
        let (_, path, problem) = place_of(model(inner));
        assert_eq!((path.as_str(), problem.as_str()), ("graph", *words));
    }
}

#[test]
fn a_length_past_the_end_is_reported_with_a_hint() {
    let mut cut = model(graph_around(2, 1, msg().text(1, "alpha").text(4, "some text"))).0;
    let whole = cut.len();
    // The last attribute says it has more bytes than there are.
    let at = whole - "some text".len();
    cut[at - 1] += 1;
    match try_read(Msg(cut)).expect_err("damage") {
        error @ Error::Malformed { .. } => {
            assert_eq!(
                error.to_string(),
                format!(
                    "byte {at}: a field needs 10 bytes, 9 remain, in \
                     graph.node[2].attribute[1]"
                )
            );
            assert!(error.hint().is_some_and(|hint| hint.contains(&format!("{whole} bytes"))));
        }
        other => panic!("{other}"),
    }
}

#[test]
fn a_name_too_long_is_refused_at_its_place() {
    let long = "n".repeat(64 * 1024 + 1);
    let graph = msg().msg(1, msg().text(4, "Relu").text(1, &long));
    let message = model(graph);
    let at = message.0.len() - long.len();
    let error = try_read(message).expect_err("too long");
    assert_eq!(error.to_string(), format!("byte {at}: a name has 65537 bytes, in graph.node[0]"));
    let longest = "n".repeat(64 * 1024);
    assert!(try_read(model(msg().msg(1, msg().text(1, &longest)))).is_ok());
}

#[test]
fn the_path_of_a_very_deep_place_shows_both_ends() {
    let mut graph = msg().msg(1, damaged(6));
    for _ in 0..40 {
        graph = msg().msg(1, node("If", &[], &[]).msg(5, graph_attribute("b", graph)));
    }
    let path = path_of(model(graph));
    assert!(path.starts_with("graph.node[0].attribute[0].g.") && path.ends_with(".g.node[0]"));
    assert!(path.contains(".….") && path.len() < 400, "{path}");
}

#[test]
fn damage_in_the_second_part_of_a_message_has_its_own_place() {
    let first = msg().msg(1, node("A", &[], &[]));
    let second = msg().msg(1, node("B", &[], &[])).msg(1, damaged(6));
    assert_eq!(path_of(msg().msg(7, first).msg(7, second)), "graph.node[2]");
}
