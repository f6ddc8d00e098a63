//! Nodes whose inputs have incompatible types or shapes.

use std::collections::BTreeSet;

use calipers_ir::{DType, NodeId};
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "shapes-contradict",
    severity: Severity::Error,
    group: "contradiction",
    title: "Incompatible input types or shapes",
    checks: "Inferred types and shapes of each node's inputs. Only certain conflicts are reported: \
             symbolic dimensions that could be equal are assumed to be equal.",
    why: "The model fails at load time or on the first run, whatever the input data is.",
    example: "`MatMul` of `[2, 3]` and `[4, 5]`, or `Sub` of a float16 and a float32 tensor.",
    recommendation: "Re-export the model with consistent shapes and verify it with \
                     `onnx.checker.check_model(model, full_check=True)`; if you set sizes with \
                     `--dim` or `--input`, check those first.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let contradictions = &evidence.typed.contradictions;
    let mut nodes: Vec<_> =
        contradictions.iter().filter_map(|c| Some((c.node?, &c.what))).collect();
    // The body of a loop is visited more than once.
    nodes.dedup();
    let (node, what) = nodes.first()?;
    let hit = Hit::new(
        format!("{}; first {:?}: {what}", counted(nodes.len(), "node"), model.node_label(*node)),
        nodes.iter().map(|(node, _)| model.node_label(*node)),
    );
    Some(if is_type_conflict(evidence, *node, what) { hit.recommend(CAST) } else { hit })
}

/// The recommendation for inputs of different types.
const CAST: &str = "Insert a `Cast` before the node so that all inputs have one type, or convert \
                    the original float32 model again with \
                    `onnxruntime.transformers.float16.convert_float_to_float16(model)`.";

/// Whether the reason of a contradiction names two of the node's input types.
fn is_type_conflict(evidence: &Evidence<'_>, node: NodeId, reason: &str) -> bool {
    let inputs = evidence.model.inputs(node).iter().flatten();
    let types: BTreeSet<DType> = inputs
        .filter_map(|input| Some(evidence.typed.fact(*input).as_tensor()?.dtype))
        .filter(|dtype| reason.contains(&dtype.to_string()))
        .collect();
    types.len() > 1
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::{F16, F32};
    use calipers_samples::ModelBuilder;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn sizes_that_differ_are_found_and_those_that_may_agree_are_not() {
        let product = |rows: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("a", F32, &["2", "3"]).input("b", F32, &[rows, "5"]);
            model.node("MatMul", &["a", "b"], &["y"], &[]).output("y", F32, &["2", "5"]).build()
        };
        assert!(raised(&RULE, product("4")).is_some());
        assert_eq!(raised(&RULE, product("rows")), None);
    }

    #[test]
    fn a_type_conflict_has_advice_about_types() {
        let mut model = ModelBuilder::new(17);
        model.input("a", F16, &["2"]).input("b", F32, &["2"]).output("y", F32, &["2"]);
        let found = raised(&RULE, model.node("Sub", &["a", "b"], &["y"], &[]).build()).unwrap();
        assert!(found.detail.contains("float16 and float32"), "{}", found.detail);
        assert!(found.recommendation.contains("`Cast`"), "{}", found.recommendation);
    }
}
