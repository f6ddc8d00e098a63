//! Operator sets that are imported and used by no node.

use calipers_ops::{ONNX, canonical_domain};
use calipers_report::Severity;
use hashbrown::HashSet;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "unused-opset",
    severity: Severity::Info,
    group: "contradiction",
    title: "An operator set is imported and not used",
    checks: "Whether some node, in a subgraph or a function's body too, uses each operator set that \
             the model imports. The standard one is always imported.",
    why: "A runtime that does not know a domain refuses the model, or warns, though no node needs \
          it. Exporters write such imports by habit, so this is common and mostly harmless.",
    example: "`opset_import` of `ai.onnx.ml` in a model of nothing but convolutions.",
    recommendation: "take the import away if a runtime complains about its domain",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut seen = HashSet::new();
    let mut used = HashSet::new();
    for (_, node) in model.nodes() {
        // Most nodes share a domain: its text is looked at once.
        if seen.insert(node.domain) {
            used.insert(canonical_domain(model.name(node.domain)));
        }
    }
    let imported = model.header.opsets.iter().map(|set| canonical_domain(model.name(set.domain)));
    let mut unused: Vec<_> =
        imported.filter(|domain| *domain != ONNX && !used.contains(domain)).collect();
    unused.sort_unstable();
    unused.dedup();
    // A model without nodes has to import some set all the same.
    (!unused.is_empty() && !used.is_empty()).then(|| {
        Hit::new(
            format!("{} that no node belongs to", counted(unused.len(), "domain")),
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
