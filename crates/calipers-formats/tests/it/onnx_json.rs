//! ONNX as JSON.

use calipers_formats::{Error, read};
use calipers_ir::{AttributeValue, DType, Format, Model};

/// As `google.protobuf.json_format.MessageToJson` writes it, and with what it accepts too: names in
/// snake case, numbers of 64 bits that are not texts, `null`, and keys that are not known.
const JSON: &str = r#"{
  "irVersion": "8", "producerName": "me", "modelVersion": 3,
  "graph": {
    "name": "g",
    "node": [
      {"input": ["x", "w"], "output": ["m"], "opType": "MatMul", "name": "a", "domain": ""},
      {"input": ["m"], "output": ["y"], "op_type": "Elu", "docString": null, "new": [{"a": 1}],
       "attribute": [{"name": "alpha", "f": 0.1, "type": "FLOAT"},
                     {"name": "n", "f": "NaN", "type": 1},
                     {"name": "s", "s": "YWI=", "type": "STRING"},
                     {"name": "l", "ints": ["1", 2], "type": "INTS"}]}
    ],
    "initializer": [
      {"dims": ["2", "2"], "dataType": 1, "name": "w", "rawData": "AACAPwAAAEAAAEBAAACAQA=="}
    ],
    "input": [{"name": "x", "type": {"tensorType": {"elemType": 1, "shape":
      {"dim": [{"dimParam": "N"}, {"dimValue": "2"}]}}}}],
    "output": [{"name": "y"}]
  },
  "opsetImport": [{"domain": "", "version": "17"}],
  "metadataProps": [{"key": "k", "value": "v"}]
}"#;

fn parse(text: &str) -> Model {
    read(text.as_bytes().to_vec(), "m.json").expect("a model")
}

#[test]
fn everything_is_read() {
    let model = parse(JSON);
    let header = &model.header;
    assert_eq!((header.format, header.bytes), (Format::OnnxJson, JSON.len() as u64));
    assert_eq!((header.ir_version, header.model_version), (Some(8), Some(3)));
    assert_eq!(header.opsets[0].version, 17);
    assert_eq!(header.metadata, [("k".to_owned(), "v".to_owned())]);
    let (id, weights) = model.tensors().next().unwrap();
    assert_eq!((weights.dtype, &*weights.dims), (DType::Float32, &[2, 2][..]));
    assert_eq!(model.floats(id, 4).unwrap(), [1.0, 2.0, 3.0, 4.0]);
    let elu = model.main().order[1];
    assert_eq!(model.written_op(elu), "Elu");
    assert_eq!(model.attribute(elu, "alpha"), Some(&AttributeValue::Float(0.1)));
    assert!(matches!(model.attribute(elu, "n"), Some(AttributeValue::Float(n)) if n.is_nan()));
    let Some(AttributeValue::Text(text)) = model.attribute(elu, "s") else { panic!("no text") };
    assert_eq!(text.shown().unwrap(), "ab");
    let Some(AttributeValue::Ints(list)) = model.attribute(elu, "l") else { panic!("no list") };
    assert_eq!(list.held(), Some(&[1, 2][..]));
    assert!(model.issues.is_empty());
}

#[test]
fn wrong_values_are_errors() {
    for (right, wrong) in [
        ("\"irVersion\": \"8\"", "\"irVersion\": \"8.5\""),
        ("\"irVersion\": \"8\"", "\"irVersion\": {}"),
        ("\"FLOAT\"", "\"NOTHING\""),
        ("\"YWI=\"", "\"Y\""),
        ("\"dimValue\": \"2\"", "\"dimValue\": \"9223372036854775808\""),
        ("\"name\": \"g\"", "\"name\": 5"),
        ("\"node\": [", "\"node\": [7, "),
    ] {
        assert!(JSON.contains(right));
        let result = read(JSON.replacen(right, wrong, 1).into(), "m.json");
        assert!(matches!(result, Err(Error::Malformed { .. })), "{wrong}: {result:?}");
    }
    let result = read(format!("{JSON} x").into(), "m.json");
    let Err(Error::Malformed { at, .. }) = result else { panic!("no error") };
    assert_eq!(at, JSON.len() as u64 + 1);
}

#[test]
fn depth_is_bounded() {
    let deep = "{\"attribute\": [{\"g\": {\"node\": [".repeat(100_000);
    let text = format!("{{\"irVersion\": 8, \"graph\": {{\"node\": [{deep}");
    assert!(matches!(read(text.into(), "m.json"), Err(Error::Malformed { .. })));
    let text = format!("{{\"irVersion\": 8, \"x\": {}", "[".repeat(1_000_000));
    assert!(matches!(read(text.into(), "m.json"), Err(Error::Malformed { .. })));
}

#[test]
fn every_truncation_gives_a_model_or_an_error() {
    for length in 0..JSON.len() {
        let _ = read(JSON.as_bytes()[..length].to_vec(), "m.json");
    }
}
