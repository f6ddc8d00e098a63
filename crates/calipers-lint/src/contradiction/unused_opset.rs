//! Operator sets that no node uses.

use calipers_ops::{ONNX, canonical_domain};
use calipers_report::Severity;
use hashbrown::HashSet;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "unused-opset",
    severity: Severity::Info,
    group: "contradiction",
    title: "Unused operator set import",
    checks: "Whether a node, including nodes in subgraphs and function bodies, uses each operator \
             set that the model imports. The standard domain is ignored.",
    why: "A runtime that does not implement the domain may warn or refuse to load the model, \
          although no node needs it. Exporters often add such imports; most are harmless.",
    example: "`opset_import` of `ai.onnx.ml` in a model that consists of convolutions.",
    recommendation: "No action is needed unless a runtime rejects the domain; then remove its \
                     entry from `model.opset_import`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut seen = HashSet::new();
    let mut used = HashSet::new();
    for (_, node) in model.nodes() {
        // Most nodes share a domain, so each name is resolved once.
        if seen.insert(node.domain) {
            used.insert(canonical_domain(model.name(node.domain)));
        }
    }
    let imported = model.header.opsets.iter().map(|set| canonical_domain(model.name(set.domain)));
    let mut unused: Vec<_> =
        imported.filter(|domain| *domain != ONNX && !used.contains(domain)).collect();
    unused.sort_unstable();
    unused.dedup();
    // A model without nodes must still import an operator set.
    (!unused.is_empty() && !used.is_empty()).then(|| {
        Hit::new(
            format!("{} without a node", counted(unused.len(), "imported domain")),
            unused.iter().map(|domain| (*domain).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn an_import_by_habit_is_found_and_one_that_a_node_needs_is_not() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]).opset("com.microsoft", 1);
        model.node("Relu", &["x"], &["a"], &[]);
        assert_eq!(raised(&RULE, model.build()).unwrap().nodes, ["com.microsoft"]);
        model.push(&Node::new("Gelu", &["a"], &["y"], &[]).in_domain("com.microsoft"));
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
