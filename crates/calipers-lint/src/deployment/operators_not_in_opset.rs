//! Operators that are younger than the operator set that the model imports.

use std::collections::BTreeMap;

use calipers_infer::walk::{ResolvedKind, ResolvedOps};
use calipers_ops::{ML, ONNX};
use calipers_report::Severity;

use crate::evidence::{Imports, running};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "operators-not-in-opset",
    severity: Severity::Warning,
    group: "deployment",
    title: "Operators are newer than the stated opset",
    checks: "Nodes of standard operators that appeared after the version of the operator set that the \
             model, or the function around them, imports.",
    why: "A runtime that follows the standard does not find the operator at that version and refuses \
          the model. Optimisers write such nodes for the runtime that they belong to.",
    example: "`LayerNormalization`, which appeared in 17, in a model of opset 11.",
    recommendation: "export with a newer opset, or run the model only where it was optimized for",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let (imports, resolved) = (Imports::of(model), ResolvedOps::find(model));
    let mut found: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let mut nodes = Vec::new();
    for node in running(model) {
        let ResolvedKind::Operator(row) = resolved.get(node).kind else { continue };
        let standard = row.domain == ONNX || row.domain == ML;
        let Some(first) = row.since.first().filter(|_| standard) else { continue };
        if let Some(version) = imports.version(model, node)
            && version < *first
        {
            found.insert(row.name, (*first, version));
            nodes.push(node);
        }
    }
    let reported: Vec<String> = found
        .iter()
        .map(|(op, (first, version))| format!("{op} appeared in {first}, imported is {version}"))
        .collect();
    Hit::of_nodes(
        model,
        &nodes,
        format!("{}: {}", counted(nodes.len(), "node"), reported.join("; ")),
    )
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn an_operator_of_the_future_is_found_and_one_of_its_time_is_not() {
        let norm = |opset: i64| {
            let mut tiny = Tiny::of_opset(opset);
            let x = tiny.input(&["2", "8"]);
            let scale = tiny.weight(&[8]);
            let y = tiny.op("LayerNormalization", &[&x, &scale]);
            tiny.output(&y).bytes()
        };
        let found = raised(&RULE, norm(11)).unwrap();
        assert!(found.detail.contains("LayerNormalization appeared in 17, imported is 11"));
        assert_eq!(raised(&RULE, norm(17)), None);
    }
}
