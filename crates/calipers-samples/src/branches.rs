//! Control flow: `If`, `Loop`, and a function that the model defines.
//!
//! | part | where it is stored | parameters |
//! |---|---|---|
//! | first `Affine` | the main graph | 8·8 + 8 = 72 |
//! | `then`: a product | the subgraph | 8·8 = 64 |
//! | `else`: a bias | a Constant node of the subgraph | 8 |
//! | `Affine` of the loop's body | the main graph, captured | 8·8 + 8 = 72 |
//! | **sum** | | **216** |
//!
//! One more element, the `true` that starts the loop, is a constant.

use crate::net::Weights;
use crate::{
    Attribute, AttributeKind, DataType, Function, Graph, ModelBuilder, Node, Sample, Tensor,
};

/// Learned elements: 72 + 64 + 8 + 72.
pub const PARAMETERS: u64 = 216;

/// Domain of the model's function, `Affine`.
pub const DOMAIN: &str = "calipers.samples";

/// The model with its figures.
///
/// Nodes: Affine, If and Loop in the main graph; MatMul in `then`; Constant and Add in `else`;
/// Identity, Affine and ReduceMean in the loop's body; MatMul, Add and LeakyRelu in the function.
pub const SAMPLE: Sample = Sample {
    name: "branches",
    model,
    parameters: PARAMETERS,
    nodes: 3,
    nodes_total: 12,
    initializers: 5,
};

const WIDTH: i64 = 8;

/// The file's bytes: inputs `x`, `float32[batch, 8]`, `wide`, a `bool` scalar that chooses the
/// branch, and `steps`, an `int64` scalar, the loop's trip count; outputs `y`,
/// `float32[batch, 8]`, and `trace`, `float32[steps, batch]`.
pub fn model() -> Vec<u8> {
    let mut weights = Weights::new(8);
    let mut then = Graph::new("then");
    then.initializer(&weights.tensor("then.weight", &[WIDTH, WIDTH], 8))
        .push(&Node::new("MatMul", &["hidden", "then.weight"], &["widened"], &[]).named("widen"))
        .output("widened", DataType::F32, &["batch", "8"]);

    let bias = Attribute::tensor("value", &weights.tensor("", &[WIDTH], 8));
    let mut otherwise = Graph::new("else");
    otherwise
        .push(&Node::new("Constant", &[], &["else.bias"], &[bias]).named("bias"))
        .push(&Node::new("Add", &["hidden", "else.bias"], &["shifted"], &[]).named("shift"))
        .output("shifted", DataType::F32, &["batch", "8"]);

    let chosen =
        [Attribute::graph("then_branch", &then), Attribute::graph("else_branch", &otherwise)];
    let body = Attribute::graph("body", &body());
    ModelBuilder::new(17)
        .opset(DOMAIN, 1)
        .name("branches")
        .doc("Runs one of two branches, then a loop. The weights are random.")
        .function(&affine())
        .input("x", DataType::F32, &["batch", "8"])
        .input("wide", DataType::Bool, &[])
        .input("steps", DataType::I64, &[])
        .initializer(&weights.tensor("first.weight", &[WIDTH, WIDTH], 8))
        .initializer(&weights.tensor("first.bias", &[WIDTH], 8))
        .initializer(&weights.tensor("step.weight", &[WIDTH, WIDTH], 8))
        .initializer(&weights.tensor("step.bias", &[WIDTH], 8))
        .initializer(&Tensor::bool("go", &[], &[true]))
        .push(&call("first", &["x", "first.weight", "first.bias"], "hidden", 0.1))
        .push(&Node::new("If", &["wide"], &["chosen"], &chosen).named("choose"))
        .push(
            &Node::new("Loop", &["steps", "go", "chosen"], &["y", "trace"], &[body])
                .named("repeat"),
        )
        .output("y", DataType::F32, &["batch", "8"])
        .output("trace", DataType::F32, &["steps", "batch"])
        .build()
}

/// The loop's body: one `Affine` step, and the mean of each row for the trace.
fn body() -> Graph {
    let mut body = Graph::new("body");
    let mean = [Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)];
    body.input("step", DataType::I64, &[])
        .input("going", DataType::Bool, &[])
        .input("state", DataType::F32, &["batch", "8"])
        .push(&Node::new("Identity", &["going"], &["still_going"], &[]).named("go_on"))
        .push(&call("advance", &["state", "step.weight", "step.bias"], "next", 0.2))
        .push(&Node::new("ReduceMean", &["next"], &["mean"], &mean).named("record"))
        .output("still_going", DataType::Bool, &[])
        .output("next", DataType::F32, &["batch", "8"])
        .output("mean", DataType::F32, &["batch"]);
    body
}

/// leaky(x·weight + bias), its slope for negative numbers being the caller's `slope`.
fn affine() -> Function {
    let slope = Attribute::reference("alpha", AttributeKind::Float, "slope");
    let mut affine = Function::new(DOMAIN, "Affine", &["x", "weight", "bias"], &["y"]);
    affine
        .opset("", 17)
        .attribute("slope")
        .node("MatMul", &["x", "weight"], &["product"], &[])
        .node("Add", &["product", "bias"], &["sum"], &[])
        .node("LeakyRelu", &["sum"], &["y"], &[slope]);
    affine
}

fn call(name: &str, inputs: &[&str], output: &str, slope: f32) -> Node {
    let slope = Attribute::float("slope", slope);
    Node::new("Affine", inputs, &[output], &[slope]).named(name).in_domain(DOMAIN)
}
