//! Weights wherever a model may keep them.

use calipers_ir::Source;
use calipers_report::{Unknown, Weights as Section};
use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor};

use super::read;

fn model(weight: &Tensor) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "2"]);
    model.initializer(weight);
    model.node("MatMul", &["x", "w"], &["y"], &[]).output("y", DataType::F32, &["n", "2"]);
    model
}

fn section(bytes: Vec<u8>, files: &[Result<Source, String>]) -> (Section, Vec<Unknown>) {
    let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
    let mut unknown = Vec::new();
    let section = read(&model, files, &|_, _| {}).summarize(&mut unknown);
    (section, unknown)
}

#[test]
fn weights_in_the_model_file() {
    let weight = Tensor::f32("w", &[2, 2], &[0.0, 1.0, 0.0, -3.0]);
    let (section, unknown) = section(model(&weight).build(), &[]);
    assert_eq!((section.tensors, section.bytes, section.elements), (1, 16, 4));
    assert_eq!((section.zeros, section.sparsity_percent, section.dead_channels), (2, 50.0, 1));
    let range = &section.ranges[0];
    assert_eq!((range.name.as_str(), range.min, range.max, range.mean), ("w", -3.0, 1.0, -0.5));
    assert_eq!(unknown, []);
}

/// Of the weight [[1, 0], [1, 0]] the second column is zero, and no row is.
#[test]
fn channels_are_where_the_operator_stores_them() {
    let dead = |node: Node| {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["n", "2"]);
        model.initializer(&Tensor::f32("w", &[2, 2], &[1.0, 0.0, 1.0, 0.0]));
        model.push(&node).output("y", DataType::F32, &["n", "2"]);
        section(model.build(), &[]).0.dead_channels
    };
    let node = |op, attributes: &[Attribute]| Node::new(op, &["x", "w"], &["y"], attributes);
    assert_eq!(dead(node("MatMul", &[])), 1);
    assert_eq!(dead(node("Gemm", &[])), 1);
    assert_eq!(dead(node("Gemm", &[Attribute::int("transB", 1)])), 0);
    assert_eq!(dead(node("FusedMatMul", &[]).in_domain("com.microsoft")), 1);
    // Which axis is the output's is in the equation, which is not read here.
    assert_eq!(dead(node("Einsum", &[Attribute::string("equation", "nj,kj->nk")])), 0);
}

#[test]
fn weights_in_another_file() {
    let weight = Tensor::external("w", DataType::F32, &[2, 2], "w.bin", Some(4), Some(16));
    let bytes = model(&weight).build();
    let data: Vec<u8> =
        [9.0_f32, 1.0, 2.0, 3.0, f32::NAN].iter().flat_map(|x| x.to_le_bytes()).collect();
    let (there, unknown) = section(bytes.clone(), &[Ok(Source::new(data))]);
    assert_eq!((there.nan, there.ranges[0].max), (1, 3.0));
    assert_eq!(unknown, []);

    let (missing, unknown) = section(bytes.clone(), &[Err("file not found".to_owned())]);
    assert_eq!((missing.tensors, missing.unread), (0, 1));
    assert_eq!(unknown[0].what, "weights.unread");
    assert!(
        unknown[0].reason.contains("1 of 1 tensors")
            && unknown[0].reason.contains("file not found")
    );

    // A file that was cut short.
    let (short, unknown) = section(bytes, &[Ok(Source::new(vec![0; 12]))]);
    assert_eq!(short.unread, 1);
    assert!(unknown[0].reason.contains("past the end"), "{}", unknown[0].reason);
}

#[test]
fn data_that_does_not_fit_its_shape_is_not_read() {
    let weight = Tensor::raw("w", DataType::F32, &[2, 2], &[0; 12]);
    let (section, unknown) = section(model(&weight).build(), &[]);
    assert_eq!(section.tensors, 0);
    assert!(unknown[0].reason.contains("needs 16 bytes, but it has 12"), "{}", unknown[0].reason);
}

#[test]
fn the_same_bytes_are_not_read_for_ever() {
    // Many tensors of the same few bytes, no two of one place.
    let mut model = ModelBuilder::new(17);
    for at in 0..200_u64 {
        let name = format!("v{at}");
        let dims = [90_000, 1];
        let tensor = Tensor::external(&name, DataType::U8, &dims, "w.bin", Some(at), None);
        model.initializer(&tensor);
    }
    model.node("Relu", &["v0"], &["y"], &[]).output("y", DataType::U8, &["90000", "1"]);
    let data = Ok::<_, String>(Source::new(vec![1; 100_000]));
    let model = calipers_formats::read(model.build(), "tiny.onnx").unwrap();
    let weights = read(&model, &[data], &|_, _| {});
    let bytes: u64 = weights.tensors.iter().map(|seen| seen.bytes).sum();
    assert!(bytes <= 10 * (100_000 + model.source.size()));
    assert!(weights.unread.iter().any(|(_, reason)| reason.contains("overlap")));
}

#[test]
fn figures_of_huge_doubles_survive_json() {
    let mut model = ModelBuilder::new(17);
    let bytes: Vec<u8> = [f64::MAX, f64::MIN].iter().flat_map(|x| x.to_le_bytes()).collect();
    model.input("x", DataType::F64, &["n", "2"]);
    model.initializer(&Tensor::raw("w", DataType::F64, &[2, 1], &bytes));
    model.node("MatMul", &["x", "w"], &["y"], &[]).output("y", DataType::F64, &["n", "1"]);
    let (section, _) = section(model.build(), &[]);
    let json = serde_json::to_string(&section).unwrap();
    assert_eq!(serde_json::from_str::<Section>(&json).unwrap(), section);
}
