//! Graph outputs that nothing defines.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "undefined-output",
    severity: Severity::Error,
    group: "contradiction",
    title: "Undefined graph output",
    checks: "Whether every output of every graph is a node output, a graph input or an \
             initializer.",
    why: "ONNX Runtime refuses to load the model because nothing computes the output.",
    example: "A graph whose only node writes `logits` while the declared output is `scores`.",
    recommendation: "Re-export the model, or correct the name in `model.graph.output` and verify \
                     with `onnx.checker.check_model(model)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::UndefinedOutput { value, .. } => Some(model.name(model.value(*value).name)),
        _ => None,
    });
    let names: Vec<_> = issues.collect();
    (!names.is_empty()).then(|| {
        Hit::new(
            format!("{} without a definition", counted(names.len(), "output")),
            names.iter().map(|name| (*name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn an_output_without_a_node_is_found_and_an_input_given_out_is_not() {
        let model = |output: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &["1"]).output(output, F32, &["1"]);
            model.node("Relu", &["x"], &["y"], &[]).output("y", F32, &["1"]).build()
        };
        assert_eq!(raised(&RULE, model("scores")).unwrap().nodes, ["scores"]);
        assert_eq!(raised(&RULE, model("x")), None);
    }
}
