//! Transposes that cancel out.

use calipers_ir::{AttributeValue, List, Model, NodeId};
use calipers_report::Severity;

use crate::evidence::{Outputs, operator, output, running, standard_op};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "layout-churn",
    severity: Severity::Info,
    group: "deployment",
    title: "Transposes that cancel out",
    checks: "`Transpose` nodes that undo an earlier `Transpose`, with only elementwise operators \
             in between.",
    why: "Each of them copies the whole tensor. Layout converters (NHWC to NCHW) leave such pairs \
          around convolutions; ONNX Runtime removes many of them at load time, smaller runtimes do \
          not.",
    example: "`Conv -> Transpose(0, 2, 3, 1) -> Relu -> Transpose(0, 3, 1, 2) -> Conv`.",
    recommendation: "Run `python -m onnxruntime.tools.optimize_onnx_model --opt_level basic \
                     in.onnx out.onnx`.",
    check,
};

/// Operators that are followed between two transposes.
const MOST_STEPS: usize = 8;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let outputs = Outputs::from_model(model);
    let undone = |node: &NodeId| {
        let first = order(model, *node)?;
        let mut value = output(model, *node)?;
        for _ in 0..MOST_STEPS {
            let next = outputs.only_reader(model, value)?;
            if let Some(second) = order(model, next) {
                return undoes(first, second).then_some(());
            }
            is_unary(model, next).then_some(())?;
            value = output(model, next)?;
        }
        None
    };
    let nodes = running(model);
    let pairs: Vec<NodeId> = nodes.into_iter().filter(|node| undone(node).is_some()).collect();
    Hit::of_nodes(
        model,
        &pairs,
        format!("{} without a net effect on the layout", counted(pairs.len(), "pair")),
    )
}

/// Whether a node is a standard elementwise operator with one input.
fn is_unary(model: &Model, node: NodeId) -> bool {
    let standard = operator(model, node).filter(|row| row.domain == calipers_ops::ONNX);
    standard.is_some_and(|row| row.traits.is_unary)
}

/// Returns the permutation of a transpose.
fn order(model: &Model, node: NodeId) -> Option<&[i64]> {
    if standard_op(model, node) != Some("Transpose") {
        return None;
    }
    match model.attribute(node, "perm")? {
        AttributeValue::Ints(List::Held(order)) => Some(order),
        _ => None,
    }
}

/// Whether two permutations compose to the identity, and the first is not the identity.
fn undoes(first: &[i64], second: &[i64]) -> bool {
    let same = |axis: usize, place: i64| usize::try_from(place) == Ok(axis);
    let moves = !first.iter().enumerate().all(|(axis, place)| same(axis, *place));
    let through = |place: &i64| first.get(usize::try_from(*place).ok()?).copied();
    moves
        && first.len() == second.len()
        && second
            .iter()
            .enumerate()
            .all(|(axis, place)| through(place).is_some_and(|p| same(axis, p)))
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn model(between: &str, back: &[i64]) -> Vec<u8> {
        let mut tiny = Tiny::new();
        let x = tiny.input(&["1", "3", "8", "8"]);
        let turned = tiny.op_with("Transpose", &[&x], &[Attribute::ints("perm", &[0, 2, 3, 1])]);
        let y = tiny.op(between, &[&turned]);
        let y = tiny.op_with("Transpose", &[&y], &[Attribute::ints("perm", back)]);
        tiny.output(&y).bytes()
    }

    #[test]
    fn a_pair_around_a_activation_is_found() {
        assert!(raised(&RULE, model("Relu", &[0, 3, 1, 2])).unwrap().detail.starts_with("1 pair"));
    }

    #[test]
    fn one_around_a_reduction_and_one_that_turns_further_are_not() {
        assert_eq!(raised(&RULE, model("Softmax", &[0, 3, 1, 2])), None);
        assert_eq!(raised(&RULE, model("Relu", &[0, 2, 3, 1])), None);
    }
}
