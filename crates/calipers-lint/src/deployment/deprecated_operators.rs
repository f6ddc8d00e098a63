//! Operators that ONNX has removed.

use std::collections::BTreeMap;

use calipers_ops::canonical_domain;
use calipers_report::Severity;

use crate::evidence::{Imports, running};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "deprecated-operators",
    severity: Severity::Warning,
    group: "deployment",
    title: "Deprecated operators",
    checks: "Nodes whose operator the imported opset version no longer contains: `Upsample` from \
             opset 10, `Scatter` from 11, tree ensembles from version 5 of `ai.onnx.ml`, and \
             experimental operators of early releases.",
    why: "A runtime that follows the specification rejects the operator at that version, or drops \
          it in a later release.",
    example: "`Upsample` in a model with opset 11, where `Resize` replaces it.",
    recommendation: "Re-export the model with a current exporter, e.g. `torch.onnx.export(..., \
                     opset_version=17)`, or replace the nodes with the operators named in the \
                     detail.",
    check,
};

/// Returns the replacement of an operator that this version no longer contains.
fn instead(domain: &str, op: &str, version: i64) -> Option<&'static str> {
    let deprecation = calipers_ops::deprecation(domain, op)?;
    (version >= deprecation.since).then_some(deprecation.replacement)
}

/// Whether the operator was part of ONNX and has been removed.
pub(crate) fn was_standard(domain: &str, op: &str) -> bool {
    calipers_ops::deprecation(domain, op).is_some()
}

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let imports = Imports::from_model(model);
    let mut found: BTreeMap<&str, &'static str> = BTreeMap::new();
    let mut nodes = Vec::new();
    for id in running(model) {
        let node = model.node(id);
        let (domain, op) = (canonical_domain(model.name(node.domain)), model.name(node.op));
        if was_standard(domain, op)
            && let Some(version) = imports.version(model, id)
            && let Some(other) = instead(domain, op, version)
        {
            found.insert(op, other);
            nodes.push(id);
        }
    }
    let reported: Vec<String> =
        found.iter().map(|(op, other)| format!("{op} (replaced by {other})")).collect();
    Hit::of_nodes(
        model,
        &nodes,
        format!("{}: {}", counted(nodes.len(), "node"), reported.join(", ")),
    )
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_dropped_operator_is_found_and_one_of_its_time_is_not() {
        let upsample = |opset: i64| {
            let mut model = ModelBuilder::new(opset);
            model.input("x", F32, &["1", "1", "2", "2"]).output("y", F32, &["1", "1", "4", "4"]);
            model.initializer(&Tensor::f32("s", &[4], &[1.0, 1.0, 2.0, 2.0]));
            model.node("Upsample", &["x", "s"], &["y"], &[]).build()
        };
        assert!(raised(&RULE, upsample(10)).unwrap().detail.contains("replaced by Resize"));
        assert_eq!(raised(&RULE, upsample(9)), None);
    }
}
