//! ONNX in text form.

use calipers_formats::{Error, read};
use calipers_ir::{AttributeValue, DType, DataFileState, Format, Model};

const TEXT: &str = r#"
# A model with everything that the syntax has.
<ir_version: 10, opset_import: ["" : 17, "local" : 1], producer_name: "me", producer_version: "2",
 domain: "d", model_version: 3, doc_string: "a \"text\"", metadata_props: ["a": "b"]>
g (float[N,3] "in/x.1", float[] u, float s, bool c, seq(map(string, float[?])) q, int64[2] i = {1,-1})
   => (float[N,4] y)
   <float[3,4] w = {1,2,3,4,5,6,7,8,9,10,11,12}, float[2] far = ["location": "w.bin", "length": "8"],
    float[N,4] mm>
{
  ["node/0"] mm = MatMul("in/x.1", w)
  y1 = local.f <alpha = 0.5> (mm)
  k = Constant <value: tensor = float[2] {1.5, -2e3}> ()
  k2 = Constant <value_ints = [1, 2, 3]> ()
  k3 = Constant () <value_float: float = 2>
  d, m = Dropout(y1, , )
  z = If (c) <then_branch = tg () => (float[N,4] o) { o = Relu(y1) },
              else_branch: graph = eg () => (float[N,4] o2) { o2 = Neg(y1) }>
  y = Cast <to: int = 1> (z)
}
<opset_import: ["" : 17], domain: "local">
f <alpha, beta: float = 1.0> (a) => (b) { b = LeakyRelu <alpha: float = @alpha> (a) }
"#;

fn parse(text: &str) -> Model {
    read(text.as_bytes().to_vec(), "m.onnxtxt").expect("a model")
}

#[test]
fn everything_is_read() {
    let model = parse(TEXT);
    let header = &model.header;
    assert_eq!(header.format, Format::OnnxText);
    assert_eq!(header.bytes, TEXT.len() as u64);
    assert_eq!((header.ir_version, header.model_version), (Some(10), Some(3)));
    assert_eq!((header.producer_name.as_str(), header.producer_version.as_str()), ("me", "2"));
    assert_eq!(header.doc, "a \"text\"");
    assert_eq!(header.metadata, [("a".to_owned(), "b".to_owned())]);
    assert_eq!(header.opsets.len(), 2);
    let ops: Vec<&str> = model.main().nodes.nodes().map(|id| model.written_op(id)).collect();
    assert_eq!(ops, ["MatMul", "f", "Constant", "Constant", "Constant", "Dropout", "If", "Cast"]);
    assert_eq!(model.main().inputs.len(), 6);
    assert_eq!(model.required_inputs().len(), 5);
    assert_eq!(model.functions().len(), 1);
    // The main graph, two branches and a function.
    assert_eq!(model.graphs().len(), 4);
    let names: Vec<_> = model.tensors().map(|(_, tensor)| model.name(tensor.name)).collect();
    assert!(["i", "w", "far"].iter().all(|name| names.contains(name)), "{names:?}");
    let (weights, _) = model.tensors().find(|(_, it)| model.name(it.name) == "w").unwrap();
    assert_eq!(model.floats(weights, 64).unwrap(), (1..=12).map(f64::from).collect::<Vec<_>>());
    assert_eq!(model.data_files[0].state, DataFileState::Unchecked);
    let (negative, _) = model.tensors().find(|(_, it)| model.name(it.name) == "i").unwrap();
    assert_eq!(model.integers(negative, 64).unwrap(), [1, -1]);
    let third = model.main().nodes.nodes().nth(4).unwrap();
    assert_eq!(model.attribute(third, "value_float"), Some(&AttributeValue::Float(2.0)));
    // A name that is left out before a comma is an input that is left out.
    let dropout = model.main().nodes.nodes().nth(5).unwrap();
    assert_eq!(model.inputs(dropout).len(), 2);
    assert!(model.issues.is_empty(), "{:?}", model.issues);
}

#[test]
fn elements_of_every_type() {
    for (name, dtype) in [
        ("float", DType::Float32),
        ("double", DType::Float64),
        ("float16", DType::Float16),
        ("bfloat16", DType::Bfloat16),
        ("int8", DType::Int8),
        ("uint64", DType::Uint64),
        ("int4", DType::Int4),
        ("float8e4m3fn", DType::Float8E4M3Fn),
        ("bool", DType::Bool),
    ] {
        let model = parse(&format!("<ir_version: 9> g () => () <{name}[3] w = {{1, 2, 3}}> {{}}"));
        assert_eq!(model.tensors().next().unwrap().1.dtype, dtype, "{name}");
    }
    let model = parse("<ir_version: 9> g () => () <string[2] w = {\"a\", \"b\"}> {}");
    assert_eq!(model.tensors().next().unwrap().1.dtype, DType::String);
    // The printer writes three points where it leaves elements out.
    let model = parse("<ir_version: 9> g () => () <complex64[5] w = ...> {}");
    assert_eq!(model.tensors().len(), 1);
}

#[test]
fn errors_have_their_line() {
    let wrong = "<ir_version: 9>\ng (float[2] x) => (float[2] y)\n{ y = Relu(x }";
    let Err(Error::Malformed { path, problem, .. }) = read(wrong.into(), "m.onnxtxt") else {
        panic!("no error")
    };
    assert_eq!((path.as_str(), problem.as_str()), ("line 3", "')' is expected"));
    for wrong in [
        "<ir_version: 99999999999999999999> g () => () {}",
        "<ir_version: x> g () => () {}",
        "<ir_version: 9> g () => () <float[N] w = {1}> {}",
        "<ir_version: 9> g () => () <int8[1] w = {9999999999}> {}",
        "<ir_version: 9> g () => () { y = Op <a = []> () }",
        "<ir_version: 9> g () => () { y = Op <a: ints = [1.5]> () }",
        "<ir_version: 9> g () => () { y = Op <a = \"> () }",
    ] {
        let result = read(wrong.into(), "m.onnxtxt");
        assert!(matches!(result, Err(Error::Malformed { .. })), "{wrong}: {result:?}");
    }
}

#[test]
fn depth_is_bounded() {
    let graphs = "y = Op <a = g () => () { ".repeat(100_000);
    let types = format!("(seq{}", "(seq".repeat(100_000));
    for inside in [format!("() => () {{ {graphs}"), types] {
        let result = read(format!("<ir_version: 9> g {inside}").into(), "m.onnxtxt");
        assert!(matches!(result, Err(Error::Malformed { .. })));
    }
}

#[test]
fn every_truncation_gives_a_model_or_an_error() {
    for length in 0..TEXT.len() {
        let _ = read(TEXT.as_bytes()[..length].to_vec(), "m.onnxtxt");
    }
}
