//! A model without an operator set.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "no-opset",
    severity: Severity::Warning,
    group: "contradiction",
    title: "No operator set imported",
    checks: "Whether a model with nodes has at least one `opset_import` entry.",
    why: "Operators change between opset versions. Without a version readers have to guess, and \
          ONNX Runtime refuses to load the model.",
    example: "A model with one `Dropout` node and no `opset_import`.",
    recommendation: "Add the opset that the model was exported with, e.g. \
                     `model.opset_import.append(onnx.helper.make_opsetid(\"\", 17))`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let nodes = model.main().nodes.len();
    (model.header.opsets.is_empty() && nodes > 0)
        .then(|| Hit::new(format!("{} and no opset_import entry", counted(nodes, "node")), []))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn nodes_without_a_version_are_found_and_no_nodes_are_not() {
        // graph { node { op_type: "Relu" } }
        let relu = [0x3a, 8, 0x0a, 6, 0x22, 4, b'R', b'e', b'l', b'u'];
        assert!(raised(&RULE, relu.to_vec()).is_some());
        assert_eq!(raised(&RULE, vec![0x3a, 0]), None);
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        assert_eq!(raised(&RULE, model.node("Relu", &["x"], &["y"], &[]).build()), None);
    }
}
