use calipers_infer::{Bindings, infer};
use calipers_samples::DataType::{F32, I64};
use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

use super::*;

/// The sizes assumed for an input named `name` that a node of this operator reads with weights of
/// this shape.
fn assumed(
    name: &str,
    dtype: DataType,
    shape: &[&str],
    op: &str,
    weights: &[i64],
) -> Vec<(String, i64)> {
    let mut builder = ModelBuilder::new(17);
    builder.input(name, dtype, shape);
    let count = usize::try_from(weights.iter().product::<i64>()).unwrap();
    builder.initializer(&Tensor::f32("w", weights, &vec![0.0; count]));
    let inputs: &[&str] = match op {
        "Gather" => &["w", name],
        _ => &[name, "w"],
    };
    builder.node(op, inputs, &["y"], &[]).output("y", F32, &[]);
    found(&builder).into_iter().map(|(name, assumed)| (name, assumed.size)).collect()
}

fn found(builder: &ModelBuilder) -> Sizes {
    let model = calipers_formats::read(builder.build(), "test.onnx").unwrap();
    let typed = infer(&model, &Bindings::default()).unwrap();
    sizes(&model, &typed, &Caches::find(&model, &typed), None)
}

fn pairs(list: &[(&str, i64)]) -> Vec<(String, i64)> {
    list.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
}

#[test]
fn a_line_of_text_is_20_thirds_as_wide_as_high() {
    // 48 * 20 / 3 is 320; 213.3 and 426.7 are nearest to 7 and 13 times 32.
    assert_eq!([48, 32, 64, 1].map(line_width), [320, 224, 416, 32]);
    let conv = |shape: &[&str]| assumed("x", F32, shape, "Conv", &[8, 3, 1, 1]);
    assert_eq!(conv(&["N", "3", "48", "W"]), pairs(&[("N", 1), ("W", 320)]));
    assert_eq!(conv(&["N", "3", "640", "W"]), pairs(&[("N", 1), ("W", 640)]));
    assert_eq!(conv(&["N", "3", "H", "96"]), pairs(&[("H", 96), ("N", 1)]));
    assert_eq!(conv(&["N", "3", "H", "W"]), pairs(&[("H", 224), ("N", 1), ("W", 224)]));
}

#[test]
fn videos_and_maps_have_sizes_of_their_own() {
    let video = assumed("x", F32, &["N", "3", "T", "H", "W"], "Conv", &[8, 3, 1, 1, 1]);
    assert_eq!(video, pairs(&[("H", 224), ("N", 1), ("T", 16), ("W", 224)]));
    let map = assumed("x", F32, &["N", "C", "H", "W"], "Conv", &[8, 64, 1, 1]);
    assert_eq!(map, pairs(&[("C", 64), ("H", 32), ("N", 1), ("W", 32)]));
}

#[test]
fn a_sound_is_one_second() {
    let sound = assumed("x", F32, &["N", "1", "S"], "Conv", &[8, 1, 16]);
    assert_eq!(sound, pairs(&[("N", 1), ("S", 16_000)]));
    let bands = assumed("x", F32, &["N", "80", "T"], "Conv", &[8, 80, 3]);
    assert_eq!(bands, pairs(&[("N", 1), ("T", 100)]));
    // A free side of rows that nothing convolves is none.
    assert_eq!(assumed("x", F32, &["N", "S"], "Mul", &[1]), pairs(&[("N", 1), ("S", 1)]));
}

#[test]
fn sequences_are_128_long_and_features_as_many_as_the_weights() {
    let vectors = assumed("x", F32, &["r", "s", "t"], "MatMul", &[256, 4]);
    assert_eq!(vectors, pairs(&[("r", 1), ("s", 128), ("t", 256)]));
    let tokens = assumed("ids", I64, &["r", "s"], "Gather", &[64, 4]);
    assert_eq!(tokens, pairs(&[("r", 1), ("s", 64)]));
    // A batch is one, wherever it is.
    let state = assumed("x", F32, &["2", "batch", "28"], "MatMul", &[28, 4]);
    assert_eq!(state, pairs(&[("batch", 1)]));
}

#[test]
fn values_are_assumed_where_a_shape_needs_them() {
    let mut builder = ModelBuilder::new(17);
    builder.input("x", F32, &["2", "10"]).input("k", I64, &["1"]).input("id", I64, &["1"]);
    builder.node("TopK", &["x", "k"], &["best", "at"], &[Attribute::int("axis", 1)]);
    builder.node("Neg", &["id"], &["y"], &[]);
    builder.output("best", F32, &[]).output("y", I64, &[]);
    let sizes = found(&builder);
    assert_eq!(sizes.keys().collect::<Vec<_>>(), ["k"]);
    let mut assumptions = Vec::new();
    report(&sizes, &mut assumptions);
    assert_eq!((assumptions[0].what.as_str(), assumptions[0].value.as_str()), ("value k", "1"));
    assert!(assumptions[0].why.contains("--value"));
}

#[test]
fn a_graph_has_nodes_and_edges() {
    let graph = |list: &str, rows: &str| {
        let mut builder = ModelBuilder::new(17);
        builder.input("x", F32, &["N", "8"]).input(list, I64, &[rows, "E"]);
        builder.node("Identity", &["x"], &["y"], &[]).output("y", F32, &[]);
        builder.node("Identity", &[list], &["z"], &[]).output("z", I64, &[]);
        found(&builder).into_iter().map(|(name, it)| (name, it.size)).collect::<Vec<_>>()
    };
    assert_eq!(graph("edge_index", "2"), pairs(&[("E", 400), ("N", 100)]));
    assert_eq!(graph("edge_index", "3"), pairs(&[("E", 1), ("N", 1)]), "edges are pairs");
    assert_eq!(graph("pairs", "2"), pairs(&[("E", 1), ("N", 1)]), "nothing scatters");
}
