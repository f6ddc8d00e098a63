//! OpenVINO IR: what a real file says, and what damaged and hostile ones do.

use std::path::Path;

use calipers_formats::{Error, open, read};
use calipers_ir::{
    AttributeValue, DType, Data, DataFileState, Dim, Format, GraphKind, Hazard, Issue, Leaf, List,
    Model,
};

/// Written by OpenVINO 2026.4.1 (`openvino.save_model`) from random weights: a convolution, a bias,
/// a depthwise convolution, a transposition, a product and a softmax.
fn fixture() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/openvino/tiny.xml")
}

fn ops(model: &Model) -> Vec<(&str, &str)> {
    let nodes = &model.main().order;
    nodes.iter().map(|id| (model.written_op(*id), model.name(model.node(*id).op))).collect()
}

fn ints<'m>(model: &'m Model, op: &str, name: &str) -> Option<&'m [i64]> {
    let (id, _) = model.nodes().find(|(id, _)| model.written_op(*id) == op)?;
    match model.attribute(id, name)? {
        AttributeValue::Ints(List::Held(values)) => Some(values),
        _ => None,
    }
}

#[test]
fn a_real_file_is_read() {
    let model = open(&fixture()).unwrap();
    assert_eq!(model.header.format, Format::OpenVino);
    assert_eq!(model.header.ir_version, Some(11));
    assert_eq!(model.header.producer_name, "OpenVINO");
    assert!(model.header.producer_version.starts_with("2026.4.1"));
    assert_eq!(model.name(model.main().name), "tiny");
    assert_eq!(
        ops(&model),
        [
            ("Convolution", "Conv"),
            ("Add", "Add"),
            ("ReLU", "Relu"),
            ("GroupConvolution", "Conv"),
            ("Transpose", "Transpose"),
            ("Reshape", "Reshape"),
            ("MatMul", "Linear"),
            ("SoftMax", "Softmax"),
        ]
    );
    assert_eq!(ints(&model, "Convolution", "pads"), Some(&[1, 1, 1, 1][..]));
    // The order of a transposition is a constant of the data file.
    assert_eq!(ints(&model, "Transpose", "perm"), Some(&[0, 2, 3, 1][..]));
    let input = model.value(model.main().inputs[0]);
    assert_eq!(model.name(input.name), "image");
    let Leaf::Tensor(ty) = &model.value_type(input.ty.unwrap()).leaf else { panic!("no tensor") };
    let dims = [Dim::Unknown, Dim::Size(3), Dim::Size(8), Dim::Size(8)];
    assert_eq!((ty.dtype, ty.shape.as_deref()), (DType::Float32, Some(&dims[..])));
    // A comma in a name is written with a backslash.
    assert_eq!(model.name(model.value(model.main().outputs[0]).name), "scores, all");
    // 4 · 3 · 9 + 4 + 4 · 9 + 5 · 64 numbers of four bytes, and 4 + 2 of eight: 1,920 bytes.
    assert_eq!(model.tensors().len(), 6);
    let bytes: u64 = model.tensors().map(|(_, tensor)| tensor.bytes().unwrap()).sum();
    assert_eq!(bytes, 1920);
    assert_eq!(model.data_files[0].state, DataFileState::Present(1920));
    assert!(model.hazards.is_empty() && model.issues.is_empty());
}

#[test]
fn without_its_data_file_shapes_decide() {
    let text = std::fs::read(fixture()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("alone.xml"), text).unwrap();
    let model = open(&folder.path().join("alone.xml")).unwrap();
    assert_eq!(model.name(model.data_files[0].location), "alone.bin");
    assert_eq!(model.data_files[0].state, DataFileState::Missing);
    // All but the shape that the layer of `Reshape` states.
    let external = model.tensors().filter(|(_, tensor)| matches!(tensor.data, Data::External(_)));
    assert_eq!((external.count(), model.tensors().len()), (6, 7));
    // Three of the sizes [?, 4, 4, 4] are equal, so the order does not follow from the shapes.
    assert_eq!(ints(&model, "Transpose", "perm"), None);
}

/// A file with these layers and edges.
fn net(layers: &str, edges: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<net name=\"n\" version=\"11\"><layers>{layers}</layers>\
         <edges>{edges}</edges></net>"
    )
}

/// A layer with inputs and outputs in number, each of shape [2].
fn layer(id: u64, kind: &str, inputs: u64, outputs: u64, data: &str) -> String {
    let port = |id| format!("<port id=\"{id}\" precision=\"FP32\"><dim>2</dim></port>");
    let ports = |range: std::ops::Range<u64>| range.map(port).collect::<String>();
    format!(
        "<layer id=\"{id}\" name=\"l{id}\" type=\"{kind}\" version=\"opset1\"><data {data}/>\
         <input>{}</input><output>{}</output></layer>",
        ports(0..inputs),
        ports(inputs..inputs + outputs)
    )
}

fn edge(from: (u64, u64), to: (u64, u64)) -> String {
    format!(
        "<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{}\" to-port=\"{}\"/>",
        from.0, from.1, to.0, to.1
    )
}

fn parse(text: &str) -> Model {
    read(text.as_bytes().to_vec(), "n.xml").expect("a model")
}

fn misstated(model: &Model) -> Vec<&str> {
    let texts = model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::Misstated { what } => Some(what.as_str()),
        _ => None,
    });
    texts.collect()
}

fn error(text: &str) -> String {
    match read(text.as_bytes().to_vec(), "n.xml") {
        Err(Error::Malformed { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

#[test]
fn operators_that_are_not_known_keep_their_names() {
    let layers = layer(0, "Parameter", 0, 1, "")
        + &layer(1, "Proposal", 1, 1, "")
        + &layer(2, "Result", 1, 0, "");
    let model = parse(&net(&layers, &(edge((0, 0), (1, 0)) + &edge((1, 1), (2, 0)))));
    assert_eq!(ops(&model), [("Proposal", "Proposal")]);
    let node = model.node(model.main().order[0]);
    assert_eq!(model.name(node.domain), "openvino");
}

#[test]
fn metadata_has_a_path() {
    let info = "<rt_info><Runtime_version value=\"2025.1\"/><conversion_parameters>\
                <input_model value=\"DIR/a.onnx\"/></conversion_parameters>\
                <info name=\"my key\" value=\"1 &amp; 2\"/></rt_info></net>";
    let model = parse(&net("", "").replace("</net>", info));
    let [version, input, own] = &model.header.metadata[..] else { panic!("other metadata") };
    let pair = |(key, value): &(String, String)| format!("{key}={value}");
    assert_eq!(pair(version), "Runtime_version=2025.1");
    assert_eq!(pair(input), "conversion_parameters.input_model=DIR/a.onnx");
    assert_eq!(pair(own), "my key=1 & 2");
    assert_eq!(model.header.producer_name, "OpenVINO");
    assert_eq!(model.header.producer_version, "2025.1");
}

#[test]
fn branches_see_the_values_around_them() {
    let inner = |kind: &str| {
        let layers = layer(0, "Parameter", 0, 1, "")
            + &layer(1, kind, 1, 1, "")
            + &layer(2, "Result", 1, 0, "");
        let edges = edge((0, 0), (1, 0)) + &edge((1, 1), (2, 0));
        format!("<layers>{layers}</layers><edges>{edges}</edges>")
    };
    let map = |branch: &str| {
        format!(
            "<{branch}_port_map><input external_port_id=\"1\" internal_layer_id=\"0\"/>\
             <output external_port_id=\"2\" internal_layer_id=\"2\"/></{branch}_port_map>"
        )
    };
    let bodies = format!(
        "{}{}<then_body>{}</then_body><else_body>{}</else_body></layer>",
        map("then"),
        map("else"),
        inner("ReLU"),
        inner("Abs")
    );
    let branching = layer(2, "If", 2, 1, "").replace("</layer>", &bodies);
    let layers = layer(0, "Parameter", 0, 1, "")
        + &layer(1, "Parameter", 0, 1, "")
        + &branching
        + &layer(3, "Result", 1, 0, "");
    let edges = edge((0, 0), (2, 0)) + &edge((1, 0), (2, 1)) + &edge((2, 2), (3, 0));
    let model = parse(&net(&layers, &edges));
    assert_eq!(ops(&model), [("If", "If")]);
    let inside = model.graphs().filter(|(_, graph)| {
        matches!(graph.kind, GraphKind::Subgraph { .. }) && graph.inputs.is_empty()
    });
    assert_eq!(inside.count(), 2);
    let captured: Vec<_> = model.captures(model.main().order[0]).collect();
    assert_eq!(captured.len(), 1);
    assert_eq!(model.name(model.value(captured[0]).name), "l1");
    assert!(model.issues.is_empty());
}

#[test]
fn what_is_not_so_is_reported() {
    let constant = |size: &str, shape: &str| {
        layer(
            0,
            "Const",
            0,
            1,
            &format!("element_type=\"f32\" shape=\"{shape}\" offset=\"0\" size=\"{size}\""),
        )
    };
    // 2 floats take 8 bytes.
    let model = parse(&net(&constant("9223372036854775808", "2"), ""));
    assert_eq!(misstated(&model).len(), 1);
    assert!(misstated(&parse(&net(&constant("8", "2"), ""))).is_empty());
    // A shape that overflows has no size to compare with.
    parse(&net(&constant("8", "9223372036854775807,9223372036854775807"), ""));
    assert!(misstated(&parse(&net(&constant("8", "2,x"), "")))[0].contains("whole numbers"));
    let twice = layer(5, "ReLU", 1, 1, "") + &layer(5, "Abs", 1, 1, "");
    assert!(misstated(&parse(&net(&twice, "")))[0].contains("id of another"));
    let nowhere = net(&layer(0, "ReLU", 1, 1, ""), &edge((7, 0), (0, 0)));
    assert!(misstated(&parse(&nowhere))[0].contains("not there"));
    let both = edge((0, 0), (2, 0)) + &edge((1, 0), (2, 0));
    let layers = layer(0, "Parameter", 0, 1, "")
        + &layer(1, "Parameter", 0, 1, "")
        + &layer(2, "ReLU", 1, 1, "");
    assert!(misstated(&parse(&net(&layers, &both)))[0].contains("two edges"));
}

#[test]
fn constants_reach_no_further_than_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = "element_type=\"i64\" shape=\"2\" offset=\"18446744073709551615\" size=\"16\"";
    let text = net(&layer(0, "Const", 0, 1, data), "");
    std::fs::write(folder.path().join("n.xml"), text).unwrap();
    std::fs::write(folder.path().join("n.bin"), [0; 16]).unwrap();
    let model = open(&folder.path().join("n.xml")).unwrap();
    let (_, tensor) = model.tensors().next().unwrap();
    let Data::External(external) = &tensor.data else { panic!("{tensor:?}") };
    assert!(external.problem.as_ref().is_some_and(|problem| problem.contains("past the file")));
}

#[test]
fn cycles_and_names_that_repeat_are_kept_apart() {
    let layers = layer(0, "ReLU", 1, 1, "") + &layer(1, "ReLU", 1, 1, "").replace("l1", "l0");
    let model = parse(&net(&layers, &(edge((0, 1), (1, 0)) + &edge((1, 1), (0, 0)))));
    assert_eq!(model.main().cyclic.len(), 2);
    assert!(matches!(model.issues[..], [Issue::Cycle { .. }]), "{:?}", model.issues);
}

#[test]
fn entities_do_not_grow() {
    let mut doctype = String::from("<!DOCTYPE net [<!ENTITY a0 \"aaaaaaaaaa\">");
    for level in 1..10 {
        let inner = format!("&a{};", level - 1).repeat(10);
        doctype += &format!("<!ENTITY a{level} \"{inner}\">");
    }
    let text = net(&layer(0, "ReLU", 1, 1, "").replace("l0", "&a9;"), "");
    let text = text.replace("<net", &format!("{doctype}]>\n<net"));
    let model = parse(&text);
    let node = model.node(model.main().order[0]);
    assert_eq!(model.name(node.name), "&a9;");
}

#[test]
fn depth_and_attributes_are_bounded() {
    let deep = format!("<net version=\"11\">{}", "<a>".repeat(100_000));
    assert!(error(&deep).contains("deeper"));
    let bodies = "<layers><layer id=\"0\" type=\"Loop\"><body>".repeat(10_000);
    assert!(error(&format!("<net version=\"11\">{bodies}")).contains("deeper"));
    let loops = "<layer id=\"0\" type=\"Loop\"><body/></layer>".repeat(20_000);
    assert!(error(&net(&loops, "")).contains("more bodies"));
    let many: String = (0..600).map(|index| format!(" a{index}=\"\"")).collect();
    let text = net(&layer(0, "ReLU", 1, 1, &many), "");
    assert!(error(&text).contains("more attributes"));
}

#[test]
fn wrong_sizes_are_errors() {
    for wrong in ["-5", "9223372036854775808", "x", ""] {
        let text =
            net(&layer(0, "ReLU", 1, 1, ""), "").replace("<dim>2<", &format!("<dim>{wrong}<"));
        assert!(error(&text).contains("a dimension is"), "{wrong:?}");
    }
    let text = net(&layer(0, "ReLU", 1, 1, ""), "").replace("<dim>2<", "<dim>9223372036854775807<");
    parse(&text);
}

#[test]
fn old_versions_are_refused() {
    let old = "<?xml version=\"1.0\"?><net name=\"n\" version=\"7\"><layers/></net>";
    assert!(matches!(read(old.into(), "n.xml"), Err(Error::Foreign { .. })));
}

#[test]
fn every_truncation_gives_a_model_or_an_error() {
    let text = std::fs::read(fixture()).unwrap();
    for length in 0..text.len() {
        let _ = read(text[..length].to_vec(), "tiny.xml");
    }
}
