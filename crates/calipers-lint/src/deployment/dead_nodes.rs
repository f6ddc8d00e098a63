//! Nodes whose results nothing needs.

use calipers_infer::walk::subgraphs;
use calipers_ir::{Model, NodeId, Producer, ValueId};
use calipers_report::Severity;

use crate::number;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "dead-nodes",
    severity: Severity::Info,
    group: "deployment",
    title: "Nodes compute what nothing needs",
    checks: "Nodes of the main graph from which no way leads to an output, subgraphs included.",
    why: "Most runtimes leave them out when they load the model; those that do not compute them for \
          nothing. The weights that only they read are loaded all the same.",
    example: "A second classifier of a training setup, exported without its output.",
    recommendation: "run a simplifier, or export only what leads to the outputs",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let alive = alive(model);
    let dead: Vec<NodeId> =
        model.main().nodes.nodes().filter(|node| !alive[node.index()]).collect();
    (!dead.is_empty() && !model.main().outputs.is_empty()).then(|| {
        Hit::new(
            format!("{} of {}", counted(dead.len(), "node"), number(model.main().nodes.len())),
            dead.iter().map(|node| model.node_label(*node)),
        )
    })
}

/// For each node, whether an output of the model needs it. Nodes of subgraphs are needed where the
/// node around them is and an output of the subgraph needs them; those of functions always are.
pub(crate) fn alive(model: &Model) -> Vec<bool> {
    let mut alive = vec![false; model.nodes().len()];
    let mut wanted: Vec<ValueId> = model.main().outputs.clone();
    for (_, function) in model.functions() {
        wanted.extend(&model.graph(function.body).outputs);
    }
    while let Some(value) = wanted.pop() {
        let Producer::Node { node, .. } = model.value(value).producer else { continue };
        if std::mem::replace(&mut alive[node.index()], true) {
            continue;
        }
        wanted.extend(model.inputs(node).iter().flatten());
        for graph in subgraphs(model, node) {
            // Nodes inside lead back to what they read from outside.
            wanted.extend(&model.graph(graph).outputs);
        }
    }
    alive
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType::Bool, DataType::F32, Graph, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_node_without_a_way_out_is_found() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]).node("Abs", &["x"], &["a"], &[]);
        model.node("Neg", &["a"], &["b"], &[]);
        assert_eq!(raised(&RULE, model.build()).unwrap().detail, "2 nodes of 3");
    }

    #[test]
    fn what_only_a_branch_reads_is_alive() {
        let mut branch = Graph::new("b");
        branch.node("Neg", &["a"], &["z"], &[]).output("z", F32, &["1"]);
        let branches =
            [Attribute::graph("then_branch", &branch), Attribute::graph("else_branch", &branch)];
        let mut model = ModelBuilder::new(17);
        model.input("c", Bool, &[]).input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.node("Abs", &["x"], &["a"], &[]).node("If", &["c"], &["y"], &branches);
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
