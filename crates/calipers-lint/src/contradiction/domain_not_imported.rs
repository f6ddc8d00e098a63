//! Nodes of a domain that the model does not import.

use std::collections::BTreeMap;

use calipers_ops::canonical_domain;
use calipers_report::Severity;

use crate::evidence::{Imports, running};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "domain-not-imported",
    severity: Severity::Warning,
    group: "contradiction",
    title: "A node's operator set is not imported",
    checks: "Whether the model, or the function that a node is in, imports the domain of every \
             node.",
    why: "The version of the operator is then open, and the checker of the `onnx` package and most \
          runtimes refuse the model.",
    example: "A node `com.microsoft.Gelu` in a model that imports only `ai.onnx`.",
    recommendation: "add an opset_import for the domain",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    // A model that imports nothing at all is another finding.
    if model.header.opsets.is_empty() {
        return None;
    }
    let imports = Imports::of(model);
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for node in running(model) {
        if imports.version(model, node).is_none() {
            let domain = canonical_domain(model.name(model.node(node).domain));
            *missing.entry(domain).or_default() += 1;
        }
    }
    let nodes = missing.values().sum();
    (nodes > 0).then(|| {
        Hit::new(
            format!(
                "{} of {} that no opset_import names",
                counted(nodes, "node"),
                counted(missing.len(), "domain")
            ),
            missing.keys().map(|domain| (*domain).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_domain_without_an_import_is_found_and_the_standard_one_by_name_is_not() {
        let model = |domain: &str| {
            let mut model = ModelBuilder::new(20);
            model.input("x", F32, &["1"]).output("y", F32, &["1"]);
            model.push(&Node::new("Gelu", &["x"], &["y"], &[]).in_domain(domain)).build()
        };
        assert_eq!(raised(&RULE, model("com.microsoft")).unwrap().nodes, ["com.microsoft"]);
        assert_eq!(raised(&RULE, model("ai.onnx")), None);
    }
}
