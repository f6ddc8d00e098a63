//! Nodes that do not contribute to an output.

use calipers_infer::walk::subgraphs;
use calipers_ir::{Model, NodeId, Producer, ValueId};
use calipers_report::Severity;

use crate::number;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "dead-nodes",
    severity: Severity::Info,
    group: "deployment",
    title: "Dead nodes",
    checks: "Nodes of the main graph, including their subgraphs, that do not contribute to an \
             output.",
    why: "Most runtimes remove them at load time; the others compute results that nobody reads. \
          Weights that only dead nodes read enlarge the file.",
    example: "An auxiliary training classifier exported without its output.",
    recommendation: "Run `onnxsim in.onnx out.onnx`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let alive = alive(model);
    let dead: Vec<NodeId> =
        model.main().nodes.nodes().filter(|node| !alive[node.index()]).collect();
    (!dead.is_empty() && !model.main().outputs.is_empty()).then(|| {
        Hit::new(
            format!(
                "{} of {} do not contribute to an output",
                number(dead.len()),
                counted(model.main().nodes.len(), "node")
            ),
            dead.iter().map(|node| model.node_label(*node)),
        )
    })
}

/// Returns for each node whether it contributes to an output of the model. A node of a subgraph does
/// if its owner does and an output of the subgraph needs it; nodes of functions always do.
pub(crate) fn alive(model: &Model) -> Vec<bool> {
    let mut alive = vec![false; model.nodes().len()];
    let mut wanted: Vec<ValueId> = model.main().outputs.clone();
    for (_, function) in model.functions() {
        wanted.extend(&model.graph(function.body).outputs);
    }
    // A node without outputs runs for what it changes, such as a variable.
    for (id, _) in model.nodes().filter(|(id, _)| model.outputs(*id).is_empty()) {
        alive[id.index()] = true;
        wanted.extend(model.inputs(id).iter().flatten());
    }
    while let Some(value) = wanted.pop() {
        let Producer::Node { node, .. } = model.value(value).producer else { continue };
        if std::mem::replace(&mut alive[node.index()], true) {
            continue;
        }
        wanted.extend(model.inputs(node).iter().flatten());
        for graph in subgraphs(model, node) {
            // Nodes of the subgraph lead back to the outer values that they read.
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
        assert_eq!(
            raised(&RULE, model.build()).unwrap().detail,
            "2 of 3 nodes do not contribute to an output"
        );
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
