//! Alignments of small models, and what holds for all of them.

use calipers_ir::Model;
use calipers_samples::{DataType, ModelBuilder, Node, Tensor};
use proptest::prelude::*;

use super::{Alignment, Subject, align};

/// Element-wise operators.
const UNARY: [&str; 5] = ["Relu", "Tanh", "Sigmoid", "Abs", "Neg"];

/// What a node computes: an operator, and how far back its inputs are.
#[derive(Clone, Debug)]
struct Step {
    op: usize,
    back: usize,
    other: Option<usize>,
}

fn steps(count: impl Into<proptest::collection::SizeRange>) -> impl Strategy<Value = Vec<Step>> {
    let step = (0..UNARY.len(), 0..3_usize, proptest::option::weighted(0.3, 0..6_usize))
        .prop_map(|(op, back, other)| Step { op, back, other });
    proptest::collection::vec(step, count)
}

/// A graph of these steps, whose last value is the output.
fn model(steps: &[Step], prefix: &str) -> Model {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "8"]);
    let value = |at: usize| match at {
        0 => "x".to_owned(),
        _ if at == steps.len() => "y".to_owned(),
        _ => format!("{prefix}{at}"),
    };
    for (at, step) in steps.iter().enumerate() {
        let (input, output) = (value(at.saturating_sub(step.back)), value(at + 1));
        let node = match step.other {
            Some(other) => {
                Node::new("Add", &[&input, &value(at.saturating_sub(other))], &[&output], &[])
            }
            None => Node::new(UNARY[step.op], &[&input], &[&output], &[]),
        };
        model.push(&node.named(&format!("{prefix}node{at}")));
    }
    model.output("y", DataType::F32, &["n", "8"]);
    calipers_formats::read(model.build(), "tiny.onnx").unwrap()
}

fn aligned(a: &Model, b: &Model) -> Alignment {
    align(Subject { model: a, digest: &|_| None }, Subject { model: b, digest: &|_| None })
}

/// Nodes that are removed, added, and matched with a difference.
fn counts(alignment: &Alignment) -> (usize, usize, usize) {
    let changed = alignment.pairs.iter().filter(|pair| pair.differences.any()).count();
    (alignment.removed.len(), alignment.added.len(), changed)
}

fn chain(ops: &[&str]) -> Model {
    let step = |op: &&str| Step {
        op: UNARY.iter().position(|it| it == op).unwrap(),
        back: 0,
        other: None,
    };
    model(&ops.iter().map(step).collect::<Vec<_>>(), "")
}

#[test]
fn one_edit_of_a_chain_is_found() {
    let base = chain(&["Relu", "Tanh", "Relu", "Neg"]);
    type Edit<'a> = (&'a [&'a str], (usize, usize, usize));
    let edits: [Edit<'_>; 4] = [
        (&["Relu", "Tanh", "Relu", "Neg"], (0, 0, 0)),
        (&["Relu", "Relu", "Neg"], (1, 0, 0)),
        (&["Relu", "Tanh", "Abs", "Relu", "Neg"], (0, 1, 0)),
        (&["Relu", "Sigmoid", "Relu", "Neg"], (0, 0, 1)),
    ];
    for (ops, expected) in edits {
        assert_eq!(counts(&aligned(&base, &chain(ops))), expected, "{ops:?}");
    }
}

/// Matrix products and other operators, one after the other.
fn layers(ops: &[&str], prefix: &str) -> Model {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "8"]);
    model.initializer(&Tensor::f32("w", &[8, 8], &[0.5; 64]));
    let value = |at: usize| match at {
        0 => "x".to_owned(),
        _ if at == ops.len() => "y".to_owned(),
        _ => format!("{prefix}{at}"),
    };
    for (at, op) in ops.iter().enumerate() {
        let (input, output) = (value(at), value(at + 1));
        let inputs: &[&str] = if *op == "MatMul" { &[&input, "w"] } else { &[&input] };
        model.push(&Node::new(op, inputs, &[&output], &[]).named(&format!("{prefix}node{at}")));
    }
    model.output("y", DataType::F32, &["n", "8"]);
    calipers_formats::read(model.build(), "tiny.onnx").unwrap()
}

#[test]
fn nodes_with_weights_stay_where_others_can_move() {
    let a = layers(&["MatMul", "Relu", "MatMul", "Relu", "Softmax"], "");
    let b = layers(&["MatMul", "Relu", "Relu", "MatMul", "Softmax"], "other/");
    for (a, b) in [(&a, &b), (&b, &a)] {
        let alignment = aligned(a, b);
        let op = |model: &Model, node| model.name(model.node(node).op).to_string();
        let removed: Vec<String> = alignment.removed.iter().map(|node| op(a, *node)).collect();
        let added: Vec<String> = alignment.added.iter().map(|node| op(b, *node)).collect();
        assert_eq!((removed, added), (vec!["Relu".to_owned()], vec!["Relu".to_owned()]));
    }
}

/// Two operators, each of an input of its own, and one of a stored tensor; their values are combined.
fn branches(ops: [&str; 3], prefix: &str) -> Model {
    let mut model = ModelBuilder::new(17);
    let value = |name: &str| format!("{prefix}{name}");
    for input in ["x", "y"] {
        model.input(input, DataType::F32, &["n", "8"]);
    }
    model.initializer(&Tensor::f32("w", &[8], &[0.5; 8]));
    for ((op, input), output) in ops.iter().zip(["x", "y", "w"]).zip(["p", "q", "r"]) {
        model.push(&Node::new(op, &[input], &[&value(output)], &[]).named(&value(op)));
    }
    let (p, q, r, difference) = (value("p"), value("q"), value("r"), value("difference"));
    model.push(&Node::new("Sub", &[&p, &q], &[&difference], &[]));
    model.push(&Node::new("Div", &[&difference, &r], &["z"], &[]));
    model.output("z", DataType::F32, &["n", "8"]);
    calipers_formats::read(model.build(), "tiny.onnx").unwrap()
}

#[test]
fn an_operator_that_returns_elsewhere_is_not_moved() {
    let a = branches(["Sigmoid", "Tanh", "Exp"], "");
    let b = branches(["Abs", "Sigmoid", "Exp"], "other/");
    assert_eq!(counts(&aligned(&a, &b)), (0, 0, 2));
    assert_eq!(counts(&aligned(&b, &a)), (0, 0, 2));
}

#[test]
fn an_operator_of_a_stored_tensor_can_change() {
    let a = branches(["Sigmoid", "Tanh", "Exp"], "");
    let b = branches(["Sigmoid", "Tanh", "Sqrt"], "other/");
    assert_eq!(counts(&aligned(&a, &b)), (0, 0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Names do not decide what differs.
    #[test]
    fn a_renamed_model_is_the_same(steps in steps(1..24)) {
        let alignment = aligned(&model(&steps, ""), &model(&steps, "other/"));
        prop_assert_eq!(counts(&alignment), (0, 0, 0));
        prop_assert_eq!(alignment.pairs.len(), steps.len());
    }

    /// Every node is in one pair, or removed, or added.
    #[test]
    fn every_node_is_counted_once(left in steps(1..20), right in steps(1..20)) {
        let (a, b) = (model(&left, ""), model(&right, ""));
        let alignment = aligned(&a, &b);
        let pairs = &alignment.pairs;
        let mut nodes_a: Vec<_> = pairs.iter().map(|pair| pair.a).chain(alignment.removed.iter().copied()).collect();
        let mut nodes_b: Vec<_> = pairs.iter().map(|pair| pair.b).chain(alignment.added.iter().copied()).collect();
        for (nodes, count) in [(&mut nodes_a, left.len()), (&mut nodes_b, right.len())] {
            nodes.sort();
            nodes.dedup();
            prop_assert_eq!(nodes.len(), count);
        }
        prop_assert_eq!(pairs.len() + alignment.removed.len(), left.len());
        prop_assert_eq!(pairs.len() + alignment.added.len(), right.len());
    }
}
