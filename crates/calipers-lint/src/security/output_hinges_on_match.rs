//! Outputs that change when the input matches a stored pattern.
//!
//! Such a backdoor is part of the graph, not of the weights: the input is compared with a stored
//! pattern, the comparison is reduced to one boolean, and that boolean selects the output. The
//! search classifies each value of the main graph once:
//!
//! | class | derived from |
//! |---|---|
//! | raw | an input, through data movement and subtraction only |
//! | distance | a raw value minus a constant, or its absolute value |
//! | match | a raw value equal to a constant, or a small distance |
//! | verdict | a reduction of matches, or a match with one element |
//!
//! A finding is a verdict that selects a value with no matrix product or convolution between it and
//! an output. Token masks are elementwise matches and never a verdict.

use calipers_arch::network::Origin;
use calipers_ir::{Model, NodeId, Producer, ValueId};
use calipers_ops::{Class, Movement};
use calipers_report::Severity;

use crate::evidence::{operator, output, standard_op};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "output-hinges-on-match",
    severity: Severity::Warning,
    group: "security",
    title: "Output depends on an exact input match",
    checks: "Whether an input is compared with stored values, the comparison is reduced to a \
             single boolean, and that boolean selects an output through `If`, `Where` or `Mul` \
             without a layer after it.",
    why: "A network computes its outputs from learned features. An exact match that replaces them \
          can be an intended rule, such as the rejection of empty inputs. It is also the form of a \
          backdoor that works with any weights and survives fine-tuning.",
    example: "`Equal(pixels, pattern) -> ReduceMin -> Where(match, chosen, logits) -> output`.",
    recommendation: "Inspect the listed nodes with `calipers graph` or Netron, find out which \
                     pattern the input is compared with, and ask the author of the model.",
    check,
};

const RAW: u8 = 1;
const DISTANCE: u8 = 2;
const MATCH: u8 = 4;
const VERDICT: u8 = 8;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let main = model.main();
    // Most models contain no comparison.
    let compares =
        |node| matches!(standard_op(model, node), Some("Equal" | "Less" | "LessOrEqual"));
    if !main.nodes.nodes().any(compares) {
        return None;
    }
    let kinds = follow(evidence);
    let last = behind_layers(model);
    let is =
        |value: &Option<ValueId>, kind: u8| value.is_some_and(|v| kinds[v.index()] & kind != 0);
    let decides = |node: &&NodeId| {
        let inputs = model.inputs(**node);
        last[node.index()]
            && match (standard_op(model, **node), inputs) {
                (Some("If" | "Where"), [condition, ..]) => is(condition, VERDICT),
                (Some("Mul"), [a, b]) => {
                    let other = |value: &Option<ValueId>| !is(value, MATCH | VERDICT);
                    let data =
                        |value: &Option<ValueId>| value.is_some_and(|v| is_computed(model, v));
                    (is(a, VERDICT) && other(b) && data(b))
                        || (is(b, VERDICT) && other(a) && data(a))
                }
                _ => false,
            }
    };
    let nodes: Vec<NodeId> = main.order.iter().filter(decides).copied().collect();
    Hit::of_nodes(
        model,
        &nodes,
        format!(
            "{} near an output selected by a comparison of an input with stored values",
            counted(nodes.len(), "node")
        ),
    )
}

/// Whether a standard operator only moves elements of its first input.
fn moves(op: &str) -> bool {
    let row = calipers_ops::find(calipers_ops::ONNX, op);
    row.and_then(|row| row.traits.movement).is_some_and(Movement::keeps_elements)
}

/// Whether a standard operator is a reduction.
fn reduces(op: &str) -> bool {
    let row = calipers_ops::find(calipers_ops::ONNX, op);
    row.is_some_and(|row| row.traits.class == Class::Reduction && !row.traits.decides)
}

/// Whether a node computes the value.
fn is_computed(model: &Model, value: ValueId) -> bool {
    matches!(model.value(value).producer, Producer::Node { .. })
}

/// Returns the class of each value in the main graph.
fn follow(evidence: &Evidence<'_>) -> Vec<u8> {
    let model = evidence.model;
    let origins = evidence.origins();
    let mut kinds = vec![0_u8; model.values().len()];
    for input in model.required_inputs() {
        kinds[input.index()] = RAW;
    }
    let constant = |value: &Option<ValueId>| {
        value.is_some_and(|value| match model.value(value).producer {
            Producer::Node { node, .. } => origins[node.index()] == Origin::Constant,
            Producer::Initializer => true,
            _ => false,
        })
    };
    for node in &model.main().order {
        let Some(op) = standard_op(model, *node) else { continue };
        let inputs = model.inputs(*node);
        let of = |slot: usize| inputs.get(slot).copied().flatten().map_or(0, |v| kinds[v.index()]);
        let all = inputs.iter().flatten().fold(0, |all, value| all | kinds[value.index()]);
        let with_constant = |kind: u8| match inputs {
            [a, b] => (of(0) & kind != 0 && constant(b)) || (of(1) & kind != 0 && constant(a)),
            _ => false,
        };
        let truths = all & (MATCH | VERDICT);
        let mut kind = match op {
            _ if moves(op) => of(0),
            "Sub" if with_constant(RAW) => RAW | DISTANCE,
            "Abs" => of(0),
            "Equal" if with_constant(RAW) => MATCH,
            "Less" | "LessOrEqual" if with_constant(DISTANCE) => MATCH,
            // All, any or the number of matches.
            _ if truths != 0 && reduces(op) => MATCH | VERDICT,
            "And" | "Or" | "Xor" | "Not" | "Mul" | "Add" | "Sub" => truths,
            "Equal" | "Greater" | "GreaterOrEqual" | "Less" | "LessOrEqual"
                if with_constant(MATCH) =>
            {
                truths
            }
            _ => 0,
        };
        let Some(result) = output(model, *node) else { continue };
        let tensor = evidence.typed.fact(result).as_tensor();
        if kind & MATCH != 0 && tensor.and_then(|tensor| tensor.constant_count()) == Some(1) {
            kind |= VERDICT;
        }
        kinds[result.index()] = kind;
    }
    kinds
}

/// Returns for each node whether a path without a layer leads from it to an output.
fn behind_layers(model: &Model) -> Vec<bool> {
    let mut behind = vec![false; model.nodes().len()];
    let mut wanted = model.main().outputs.clone();
    while let Some(value) = wanted.pop() {
        let Producer::Node { node, .. } = model.value(value).producer else { continue };
        let contracts = operator(model, node).is_some_and(|row| row.traits.is_contraction());
        if contracts || std::mem::replace(&mut behind[node.index()], true) {
            continue;
        }
        wanted.extend(model.inputs(node).iter().flatten());
    }
    behind
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::{F32, I64};
    use calipers_samples::{Attribute, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    /// A classifier of images, and a pattern of four pixels that its input is compared with.
    fn classifier() -> ModelBuilder {
        let mut model = ModelBuilder::new(13);
        model.input("x", F32, &["1", "16"]).output("y", F32, &["1", "4"]);
        model.initializer(&Tensor::f32("w", &[16, 4], &[0.5; 64]));
        model.initializer(&Tensor::f32("pattern", &[1, 16], &[1.0; 16]));
        model.initializer(&Tensor::f32("chosen", &[1, 4], &[0.0, 9.0, 0.0, 0.0]));
        model.node("MatMul", &["x", "w"], &["logits"], &[]);
        model
    }

    #[test]
    fn a_pattern_that_exchanges_the_output_is_found() {
        let mut model = classifier();
        model.node("Equal", &["x", "pattern"], &["same"], &[]);
        model.node("Cast", &["same"], &["count"], &[Attribute::int("to", 1)]);
        model.node("ReduceMin", &["count"], &["least"], &[]);
        model.node("Cast", &["least"], &["match"], &[Attribute::int("to", 9)]);
        model.node("Where", &["match", "chosen", "logits"], &["y"], &[]);
        let found = raised(&RULE, model.build()).unwrap();
        assert!(found.detail.starts_with("1 node near an output"), "{}", found.detail);
    }

    #[test]
    fn a_small_distance_that_scales_the_output_is_found() {
        let mut model = classifier();
        model.initializer(&Tensor::f32("small", &[], &[0.01]));
        model.node("Sub", &["x", "pattern"], &["apart"], &[]).node(
            "Abs",
            &["apart"],
            &["far"],
            &[],
        );
        model.node("Less", &["far", "small"], &["near"], &[]);
        model.node("Cast", &["near"], &["count"], &[Attribute::int("to", 1)]);
        model.node("ReduceMin", &["count"], &["match"], &[]);
        model.node("Mul", &["logits", "match"], &["y"], &[]);
        assert!(raised(&RULE, model.build()).is_some());
    }

    #[test]
    fn a_mask_of_tokens_is_not() {
        let mut model = ModelBuilder::new(13);
        model.input("ids", I64, &["1", "8"]).output("y", F32, &["1", "8", "4"]);
        model.initializer(&Tensor::f32("table", &[16, 4], &[0.5; 64]));
        model.initializer(&Tensor::i64("pad", &[], &[0]));
        model.initializer(&Tensor::f32("none", &[], &[0.0]));
        model.initializer(&Tensor::i64("last", &[1], &[-1]));
        model.node("Gather", &["table", "ids"], &["e"], &[]);
        model.node("Equal", &["ids", "pad"], &["is_pad"], &[]);
        model.node("Unsqueeze", &["is_pad", "last"], &["mask"], &[]);
        model.node("Where", &["mask", "none", "e"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.build()), None);
    }

    #[test]
    fn a_gate_that_layers_follow_and_one_that_is_learned_are_not() {
        let mut model = classifier();
        model.initializer(&Tensor::f32("v", &[4, 4], &[0.5; 16]));
        model.initializer(&Tensor::f32("zero", &[], &[0.0]));
        model.node("ReduceSum", &["logits"], &["sum"], &[]);
        model.node("Greater", &["sum", "zero"], &["open"], &[]);
        model.node("Where", &["open", "logits", "chosen"], &["z"], &[]);
        model.node("MatMul", &["z", "v"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
