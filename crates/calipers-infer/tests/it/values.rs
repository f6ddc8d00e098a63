//! Elements of integer inputs.

use calipers_infer::BindError;
use calipers_samples::DataType::{F32, I64};
use calipers_samples::{Attribute, ModelBuilder, Type};

use crate::{free, inferred, inputs, names, refused, values};

/// The `k` largest of each row, and a tensor of the shape that `sizes` says.
fn model() -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["N", "10"]).input("k", I64, &["1"]).input("sizes", I64, &["3"]);
    model.input("ids", I64, &["1"]);
    model.node("TopK", &["x", "k"], &["best", "at"], &[]);
    model.node("ConstantOfShape", &["sizes"], &["zeros"], &[]);
    model.node("Neg", &["ids"], &["less"], &[]);
    model.output("best", F32, &["?", "?"]).output("zeros", F32, &["?", "?", "?"]);
    model.output("less", I64, &["?"]);
    model
}

#[test]
fn elements_from_which_shapes_are_computed_are_symbols() {
    assert_eq!(inferred(&model(), &free(), "best"), "float32[N, k]");
    assert_eq!(inferred(&model(), &free(), "zeros"), "float32[sizes_0, sizes_1, sizes_2]");
    let names = names(&model(), &values(&[("k", &[4])]));
    assert_eq!(names["k"], Some(4));
    assert_eq!(names["sizes_2"], None);
    // Nothing is as long as `ids` says.
    assert!(!names.contains_key("ids"));
}

#[test]
fn values_take_the_place_of_symbols() {
    let bound = values(&[("k", &[4]), ("sizes", &[1, 2, 3])]);
    assert_eq!(inferred(&model(), &bound, "best"), "float32[N, 4]");
    assert_eq!(inferred(&model(), &bound, "zeros"), "float32[1, 2, 3]");
}

#[test]
fn one_symbol_is_the_same_at_every_use() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2", "10"]).input("k", I64, &[]);
    model.node("Unsqueeze", &["k", "zero"], &["list"], &[]);
    model.initializer(&calipers_samples::Tensor::i64("zero", &[1], &[0]));
    model.node("TopK", &["x", "list"], &["best", "at"], &[]);
    model.node("Add", &["best", "best"], &["twice"], &[]);
    model.node("Concat", &["best", "twice"], &["y"], &[Attribute::int("axis", 1)]);
    model.output("y", F32, &["?", "?"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[2, 2*k]");
    assert_eq!(inferred(&model, &values(&[("k", &[3])]), "y"), "float32[2, 6]");
}

#[test]
fn values_that_cannot_be_are_refused() {
    let error = refused(&model(), &values(&[("q", &[4])]));
    assert_eq!(
        error.to_string(),
        "the model has no integer input named \"q\"; expected one of: k, sizes, ids"
    );
    assert!(matches!(refused(&model(), &values(&[("x", &[4])])), BindError::UnknownValue { .. }));
    let error = refused(&model(), &values(&[("sizes", &[1, 2])]));
    assert_eq!(error.to_string(), "input \"sizes\" has 3 elements, got 2 values");
}

#[test]
fn long_vectors_are_data() {
    let mut model = ModelBuilder::new(17);
    model.input("sizes", I64, &["n"]).node("ConstantOfShape", &["sizes"], &["y"], &[]);
    model.output_of("y", &Type::unranked(F32));
    // A vector of unknown length has no elements to name, and values set its length.
    assert!(!inferred(&model, &free(), "y").contains("sizes"));
    assert_eq!(inferred(&model, &values(&[("sizes", &[5, 6])]), "y"), "float32[5, 6]");
    assert_eq!(inferred(&model, &inputs(&[("sizes", &[2])]), "y"), "float32[sizes_0, sizes_1]");
    let many = inferred(&model, &inputs(&[("sizes", &[9])]), "y");
    assert!(!many.contains("sizes_8"), "{many}");
}
