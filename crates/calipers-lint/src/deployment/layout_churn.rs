//! Transposes that undo each other.

use calipers_ir::{AttributeValue, List, Model, NodeId};
use calipers_report::Severity;

use crate::evidence::{Outputs, operator, output, running, standard_op};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "layout-churn",
    severity: Severity::Info,
    group: "deployment",
    title: "Transposes undo each other",
    checks: "Nodes `Transpose` that turn back what a `Transpose` before them turned, with nothing in \
             between but arithmetic that takes each element by itself.",
    why: "Each copies the whole tensor for nothing. Converters between layouts of images leave such \
          pairs around convolutions; big runtimes take some of them out on loading, others none.",
    example: "`Conv -> Transpose(0, 2, 3, 1) -> Relu -> Transpose(0, 3, 1, 2) -> Conv`.",
    recommendation: "run a simplifier, or convert with the layout of the target",
    check,
};

/// Steps that are looked at between two transposes.
const MOST_STEPS: usize = 8;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let outputs = Outputs::of(model);
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
        format!("{} that leave the layout as it was", counted(pairs.len(), "pair")),
    )
}

/// Whether a node of the standard maps each element of one input by itself.
fn is_unary(model: &Model, node: NodeId) -> bool {
    let standard = operator(model, node).filter(|row| row.domain == calipers_ops::ONNX);
    standard.is_some_and(|row| row.traits.is_unary)
}

/// The order of dimensions that a transpose states.
fn order(model: &Model, node: NodeId) -> Option<&[i64]> {
    if standard_op(model, node) != Some("Transpose") {
        return None;
    }
    match model.attribute(node, "perm")? {
        AttributeValue::Ints(List::Held(order)) => Some(order),
        _ => None,
    }
}

/// Whether two orders one after another leave dimensions where they were, and one alone does not.
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
