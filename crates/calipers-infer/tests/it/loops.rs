//! Loops without a trip count.

use calipers_infer::{Bindings, infer};
use calipers_samples::DataType::{Bool, F32, I64};
use calipers_samples::{Attribute, Graph, ModelBuilder, Tensor};

use crate::{fact_text, free, inferred, read, values};

/// `while (i < n) { i += step; y = relu(y) }`, with what each turn gives stacked up.
fn counted(compare: &str, step: i64) -> ModelBuilder {
    let mut body = Graph::new("body");
    body.input("turn", I64, &[]).input("on", Bool, &[]);
    body.input("i", I64, &[]).input("state", F32, &["2"]);
    body.initializer(&Tensor::i64("step", &[], &[step]));
    body.node("Add", &["i", "step"], &["after"], &[]);
    body.node(compare, &["after", "n"], &["go"], &[]);
    body.node("Relu", &["state"], &["next"], &[]);
    body.node("Identity", &["next"], &["seen"], &[]);
    body.output("go", Bool, &[]).output("after", I64, &[]);
    body.output("next", F32, &["2"]).output("seen", F32, &["2"]);
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["2"]).input("n", I64, &[]);
    model.initializer(&Tensor::i64("zero", &[], &[0]));
    model.initializer(&Tensor::bool("yes", &[], &[true]));
    let attributes = [Attribute::graph("body", &body)];
    model.node("Less", &["zero", "n"], &["start"], &[]);
    model.node("Loop", &["", "start", "zero", "x"], &["end", "last", "all"], &attributes);
    model.output("last", F32, &["?"]).output("all", F32, &["?", "?"]);
    model
}

fn at(n: i64) -> Bindings {
    values(&[("n", &[n])])
}

#[test]
fn a_counter_ends_a_loop() {
    let model = counted("Less", 1);
    // Few turns are followed one by one, many are counted: 0, 1, … 99 are 100.
    assert_eq!(inferred(&model, &at(7), "all"), "float32[7, 2]");
    assert_eq!(inferred(&model, &at(100), "all"), "float32[100, 2]");
    assert_eq!(inferred(&model, &free(), "all"), "float32[n, 2]");
    assert_eq!(inferred(&model, &free(), "last"), "float32[2]");
}

#[test]
fn the_step_and_the_comparison_count() {
    // 0, 3, 6 … 99 are 34 turns until 102 is not less than 100.
    assert_eq!(inferred(&counted("Less", 3), &at(100), "all"), "float32[34, 2]");
    // One more turn where the bound is reached: 0, 1, … 100.
    let model = read(&counted("LessOrEqual", 1));
    let typed = infer(&model, &at(100)).unwrap();
    assert_eq!(fact_text(&model, &typed, "all"), "float32[101, 2]");
    assert!(typed.fresh.is_empty(), "{:?}", typed.fresh);
}

#[test]
fn a_state_that_does_not_count_leaves_it_open() {
    // The counter goes the wrong way, and the loop never ends.
    let open = inferred(&counted("Less", -1), &at(100), "all");
    assert!(open.starts_with("float32[Loop_"), "{open}");
    let open = inferred(&counted("Equal", 1), &at(100), "all");
    assert!(open.starts_with("float32[Loop_"), "{open}");
}

#[test]
fn a_state_may_start_as_a_scalar() {
    let mut body = Graph::new("body");
    body.input("turn", I64, &[]).input("on", Bool, &[]).input("state", F32, &[]);
    body.initializer(&Tensor::f32("ones", &[1], &[1.0]));
    body.node("Identity", &["on"], &["go"], &[]);
    // The file says that the sum is a scalar; broadcasting makes it a vector.
    body.node("Add", &["state", "ones"], &["next"], &[]);
    body.output("go", Bool, &[]).output("next", F32, &[]);
    let mut model = ModelBuilder::new(17);
    model.input("n", I64, &[]);
    model.initializer(&Tensor::f32("first", &[], &[0.0]));
    model.initializer(&Tensor::i64("many", &[], &[1000]));
    model.initializer(&Tensor::bool("yes", &[], &[true]));
    let attributes = [Attribute::graph("body", &body)];
    model.node("Loop", &["many", "yes", "first"], &["y"], &attributes);
    model.node("Loop", &["n", "yes", "first"], &["z"], &attributes);
    model.output("y", F32, &["?"]).output("z", F32, &["?"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[1]");
    // Without a turn it stays a scalar.
    assert!(!inferred(&model, &values(&[("n", &[0])]), "z").starts_with("float32[1"));
}

#[test]
fn broadcasting_knows_the_rank_better_than_the_file() {
    let mut model = ModelBuilder::new(17);
    model.opset("com.acme", 1).input("x", F32, &["2", "3"]);
    model.push(&calipers_samples::Node::new("Fancy", &["x"], &["y"], &[]).in_domain("com.acme"));
    model.node("Add", &["x", "y"], &["short"], &[]).value("short", F32, &["3"]);
    model.node("Mul", &["x", "y"], &["long"], &[]).value("long", F32, &["5", "2", "3"]);
    model.output("short", F32, &["3"]).output("long", F32, &["5", "2", "3"]);
    assert_eq!(inferred(&model, &free(), "short"), "float32[…]");
    assert_eq!(inferred(&model, &free(), "long"), "float32[5, 2, 3]");
}
