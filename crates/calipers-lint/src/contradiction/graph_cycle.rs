//! Cycles in a graph.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "graph-cycle",
    severity: Severity::Error,
    group: "contradiction",
    title: "Cycle in the graph",
    checks: "Whether the nodes of every graph can be topologically sorted.",
    why: "A node on a cycle needs a result that is computed from its own output, so no runtime can \
          execute it. ONNX Runtime reports \"the graph is not acyclic\". Depth and peak memory are \
          undefined.",
    example: "`Add(a, c) -> b` and `Relu(b) -> c`: each needs the other's output.",
    recommendation: "Re-export the model; if you edited the graph, undo the edit that created the \
                     cycle and verify with `onnx.checker.check_model(model)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::Cycle { graph } => Some(model.graph(*graph).cyclic.iter()),
        _ => None,
    });
    let nodes: Vec<_> = issues.flatten().collect();
    (!nodes.is_empty()).then(|| {
        Hit::new(
            format!("{} on or after a cycle cannot be ordered", counted(nodes.len(), "node")),
            nodes.iter().map(|node| model.node_label(**node)),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    fn ring(last: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Add", &["x", last], &["a"], &[]).node("Relu", &["a"], &["y"], &[]);
        model.build()
    }

    #[test]
    fn a_cycle_is_found_and_a_chain_is_not() {
        assert_eq!(raised(&RULE, ring("y")).unwrap().nodes.len(), 2);
        assert_eq!(raised(&RULE, ring("x")), None);
    }
}
