//! Stored tensors and constants.

use calipers_samples::DataType::{F32, String as Text};
use calipers_samples::{Attribute, ModelBuilder, SparseTensor, Tensor};

use super::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family("small initializers, each another", different),
    family("equal initializers", equal),
    family("unused initializers", unused),
    family("constant nodes", constants),
    family("target shapes, each another", targets),
    family("slices of different bounds", slices),
    family("data files", files),
    family("overlapping data", overlapping),
    family("sparse initializers", sparse),
    family("text tensors", texts),
    family("elements of one constant", elements),
    family("numbers of one attribute", attribute),
    family("trees", trees),
];

fn added(count: usize, tensor: impl Fn(usize, &str) -> Tensor) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "2"]);
    let mut last = "x".to_owned();
    for i in 0..count / 2 + 1 {
        let (c, y) = (format!("c{i}"), format!("y{i}"));
        model.initializer(&tensor(i, &c)).node("Add", &[&last, &c], &[&y], &[]);
        last = y;
    }
    model.output(&last, F32, &["batch", "2"]);
    model
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn different(count: usize) -> ModelBuilder {
    added(count, |i, name| Tensor::f32(name, &[2], &[i as f32, 0.5]))
}

fn equal(count: usize) -> ModelBuilder {
    added(count, |_, name| Tensor::f32(name, &[2], &[1.0, 0.5]))
}

fn unused(count: usize) -> ModelBuilder {
    let mut model = added(2, |_, name| Tensor::f32(name, &[2], &[1.0, 0.5]));
    for i in 0..count {
        model.initializer(&Tensor::f32(&format!("unused{i}"), &[2], &[1.0, 0.5]));
    }
    model
}

fn constants(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "2"]);
    for i in 0..count / 2 + 1 {
        let (c, y) = (format!("c{i}"), format!("y{i}"));
        let number = i64::try_from(i).unwrap();
        model.node("Constant", &[], &[&c], &[Attribute::int("value_int", number)]);
        model.node("Expand", &["x", &c], &[&y], &[]);
    }
    model.output("y0", F32, &["?", "2"]);
    model
}

fn targets(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "720720"]);
    for i in 0..count / 2 + 1 {
        let (to, y) = (format!("to{i}"), format!("y{i}"));
        let first = i64::try_from(i % 64 + 1).unwrap();
        model.initializer(&Tensor::i64(&to, &[3], &[0, first, -1]));
        model.node("Reshape", &["x", &to], &[&y], &[]);
    }
    model.output("y0", F32, &["batch", "?", "?"]);
    model
}

fn slices(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "length"]);
    model.initializer(&Tensor::i64("axis", &[1], &[1]));
    for i in 0..count / 3 + 1 {
        let [from, to, y] = ["from", "to", "y"].map(|part| format!("{part}{i}"));
        let start = i64::try_from(i).unwrap();
        model.initializer(&Tensor::i64(&from, &[1], &[start]));
        model.initializer(&Tensor::i64(&to, &[1], &[start + 5]));
        model.node("Slice", &["x", &from, &to, "axis"], &[&y], &[]);
    }
    model.output("y0", F32, &["batch", "?"]);
    model
}

fn files(count: usize) -> ModelBuilder {
    added(count, |i, name| {
        Tensor::external(name, F32, &[2], &format!("data{i}.bin"), Some(0), Some(8))
    })
}

fn overlapping(count: usize) -> ModelBuilder {
    added(count, |i, name| {
        Tensor::external(name, F32, &[2], "data.bin", Some(4 * i as u64), Some(8))
    })
}

fn sparse(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "8"]);
    for i in 0..count / 2 + 1 {
        let (c, y) = (format!("c{i}"), format!("y{i}"));
        let values = Tensor::f32(&c, &[1], &[1.0]);
        let indices = Tensor::i64("", &[1], &[3]);
        model.sparse_initializer(&SparseTensor::new(&values, &indices, &[8]));
        model.node("Add", &["x", &c], &[&y], &[]);
    }
    model.output("y0", F32, &["batch", "8"]);
    model
}

fn texts(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", Text, &["batch"]);
    let words: Vec<String> = (0..count).map(|i| format!("word{i}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    model.initializer(&Tensor::strings("words", &[i64::try_from(count).unwrap()], &words));
    model.node("Equal", &["x", "words"], &["y"], &[]).output("y", F32, &["?"]);
    model
}

fn elements(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch"]);
    let values: Vec<i64> = (0..i64::try_from(count).unwrap()).collect();
    model.initializer(&Tensor::i64("at", &[values.len() as i64], &values));
    model.node("Gather", &["x", "at"], &["y"], &[]).output("y", F32, &["?"]);
    model
}

fn attribute(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch"]);
    let values: Vec<i64> = (0..i64::try_from(count).unwrap()).collect();
    model.node("Constant", &[], &["c"], &[Attribute::ints("value_ints", &values)]);
    model.node("Gather", &["x", "c"], &["y"], &[]).output("y", F32, &["?"]);
    model
}

fn trees(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.opset("ai.onnx.ml", 3).input("x", F32, &["batch", "8"]);
    let ints = |f: fn(i64) -> i64| (0..i64::try_from(count).unwrap()).map(f).collect::<Vec<_>>();
    let mut node = calipers_samples::Node::new(
        "TreeEnsembleRegressor",
        &["x"],
        &["y"],
        &[
            Attribute::ints("nodes_treeids", &ints(|i| i / 3)),
            Attribute::ints("nodes_nodeids", &ints(|i| i % 3)),
            Attribute::ints("nodes_featureids", &ints(|i| i % 8)),
            Attribute::ints("nodes_truenodeids", &ints(|i| if i % 3 == 0 { 1 } else { 0 })),
            Attribute::ints("nodes_falsenodeids", &ints(|i| if i % 3 == 0 { 2 } else { 0 })),
            Attribute::floats("nodes_values", &vec![0.5; count]),
            Attribute::ints("target_treeids", &ints(|i| i / 3)),
            Attribute::ints("target_nodeids", &ints(|i| i % 3)),
            Attribute::ints("target_ids", &ints(|_| 0)),
            Attribute::floats("target_weights", &vec![0.5; count]),
        ],
    );
    node.domain = "ai.onnx.ml".to_owned();
    let modes: Vec<&str> =
        (0..count).map(|i| if i % 3 == 0 { "BRANCH_LEQ" } else { "LEAF" }).collect();
    node.attributes.push(Attribute::strings("nodes_modes", &modes));
    model.push(&node).output("y", F32, &["batch", "1"]);
    model
}
