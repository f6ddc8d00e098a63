//! Operators that are newer than the imported opset.

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
    title: "Operators newer than the imported opset",
    checks: "Standard operators that were introduced after the opset version that the model, or \
             the enclosing function, imports.",
    why: "A runtime that follows the specification does not find the operator at that version and \
          rejects the model. Graph optimizers write such nodes for the runtime they belong to.",
    example: "`LayerNormalization`, introduced in opset 17, in a model with opset 11.",
    recommendation: "Re-export with a newer opset, e.g. `torch.onnx.export(..., \
                     opset_version=17)`, or deploy only on the runtime that the optimizer targets.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let (imports, resolved) = (Imports::from_model(model), ResolvedOps::find(model));
    let mut found: BTreeMap<&str, (i64, i64)> = BTreeMap::new();
    let mut nodes = Vec::new();
    let mut newest: Option<i64> = None;
    for node in running(model) {
        let ResolvedKind::Operator(row) = resolved.get(node).kind else { continue };
        let standard = row.domain == ONNX || row.domain == ML;
        let Some(first) = row.since.first().filter(|_| standard) else { continue };
        if let Some(version) = imports.version(model, node)
            && version < *first
        {
            found.insert(row.name, (*first, version));
            newest = newest.max((row.domain == ONNX).then_some(*first));
            nodes.push(node);
        }
    }
    let reported: Vec<String> = found
        .iter()
        .map(|(op, (first, version))| {
            format!("{op} requires opset {first}, the model imports {version}")
        })
        .collect();
    let detail = format!("{}: {}", counted(nodes.len(), "node"), reported.join("; "));
    let hit = Hit::of_nodes(model, &nodes, detail)?;
    Some(match newest {
        Some(opset) => hit.recommend(format!(
            "Re-export with `torch.onnx.export(..., opset_version={opset})` or newer, or deploy \
             only on the runtime that the optimizer targets."
        )),
        None => hit,
    })
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
        assert!(
            found.detail.contains("LayerNormalization requires opset 17, the model imports 11")
        );
        assert_eq!(raised(&RULE, norm(17)), None);
    }
}
