//! Nodes whose operator domain the model does not import.

use std::collections::BTreeMap;

use calipers_ops::canonical_domain;
use calipers_report::Severity;

use crate::commands::argument;
use crate::evidence::{Imports, running};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "domain-not-imported",
    severity: Severity::Warning,
    group: "contradiction",
    title: "Operator domain is not imported",
    checks: "The domain of every node, compared with the `opset_import` entries of the model or of \
             the function that contains the node.",
    why: "Without an import the operator version is undefined. `onnx.checker` rejects the model; \
          ONNX Runtime loads it only if it implements the domain itself.",
    example: "A `com.microsoft.Gelu` node in a model that imports only `ai.onnx`.",
    recommendation: "Add an import for the domain, e.g. \
                     `model.opset_import.append(onnx.helper.make_opsetid(\"com.microsoft\", 1))`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    // A model without any import has a finding of its own.
    if model.header.opsets.is_empty() {
        return None;
    }
    let imports = Imports::from_model(model);
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    for node in running(model) {
        if imports.version(model, node).is_none() {
            let domain = canonical_domain(model.name(model.node(node).domain));
            *missing.entry(domain).or_default() += 1;
        }
    }
    let nodes = missing.values().sum();
    let (first, _) = missing.first_key_value()?;
    let detail = format!(
        "{} in {} without an opset_import entry",
        counted(nodes, "node"),
        counted(missing.len(), "domain")
    );
    let hit = Hit::new(detail, missing.keys().map(|domain| (*domain).to_owned()));
    Some(match argument(first) {
        Some(domain) => hit.recommend(format!(
            "Add an import for the domain: \
             `model.opset_import.append(onnx.helper.make_opsetid(\"{domain}\", 1))`."
        )),
        None => hit,
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
