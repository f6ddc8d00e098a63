//! A model that does not say which operators it means.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "no-opset",
    severity: Severity::Warning,
    group: "contradiction",
    title: "No operator set is stated",
    checks: "Whether a model with nodes imports any operator set.",
    why: "Operators changed their resolved over time. Without a version a reader has to guess, and \
          runtimes refuse the model.",
    example: "A model of one `Dropout` node without `opset_import`.",
    recommendation: "add an opset_import for every domain that the nodes use",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    (model.header.opsets.is_empty() && !model.main().nodes.is_empty()).then(|| {
        Hit::new(
            "the same operator means different things at different versions, and the file names \
             none"
                .to_owned(),
            [],
        )
    })
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
