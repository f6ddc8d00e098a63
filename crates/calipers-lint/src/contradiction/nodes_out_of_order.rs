//! Nodes that are not stored in topological order.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "nodes-out-of-order",
    severity: Severity::Warning,
    group: "contradiction",
    title: "Nodes are not topologically sorted",
    checks: "Whether every node comes after the nodes whose outputs it reads.",
    why: "The ONNX specification requires topological order. ONNX Runtime sorts the nodes itself; \
          `onnx.checker`, onnxsim and some converters reject the model.",
    example: "`Relu(b) -> c` stored before `Add(x, x) -> b`.",
    recommendation: "Run `onnxslim in.onnx out.onnx`, which sorts the nodes.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::OutOfOrder { graph } => Some(model.name(model.graph(*graph).name).to_owned()),
        _ => None,
    });
    let graphs: Vec<_> = issues.collect();
    (!graphs.is_empty()).then(|| {
        Hit::new(
            format!(
                "{} with nodes stored before their inputs; Calipers sorted them for this report",
                counted(graphs.len(), "graph")
            ),
            graphs,
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn an_early_node_is_found_and_branches_in_any_order_are_not() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["a"], &["y"], &[]).node("Abs", &["x"], &["a"], &[]);
        assert!(raised(&RULE, model.build()).is_some());
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["b"], &[]).node("Abs", &["x"], &["a"], &[]);
        model.node("Add", &["a", "b"], &["y"], &[]);
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
