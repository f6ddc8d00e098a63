//! Nodes that wait for each other.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "graph-cycle",
    severity: Severity::Error,
    group: "contradiction",
    title: "Nodes wait for each other",
    checks: "Whether the nodes of every graph can be put into an order of execution.",
    why: "A node in a ring needs a result that is computed from its own. No runtime can run it, and \
          figures that follow the order of execution, such as depth and peak memory, do not exist.",
    example: "`Add(a, c) -> b` and `Relu(b) -> c`: each waits for the other.",
    recommendation: "export the model again; no runtime can order these nodes",
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
            format!(
                "{} can never run: each needs what another gives",
                counted(nodes.len(), "node")
            ),
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
    fn a_ring_is_found_and_a_chain_is_not() {
        assert_eq!(raised(&RULE, ring("y")).unwrap().nodes.len(), 2);
        assert_eq!(raised(&RULE, ring("x")), None);
    }
}
