//! Branches and loops in the graph.

use std::collections::BTreeMap;

use calipers_ops::Class;
use calipers_report::Severity;

use crate::evidence::{operator, running};
use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "control-flow",
    severity: Severity::Info,
    group: "deployment",
    title: "Control flow in the graph",
    checks: "`If`, `Loop`, `Scan` and `SequenceMap` nodes, including those in subgraphs and \
             functions.",
    why: "Accelerator compilers unroll control flow, reject it or run it on the host. Costs count \
          the more expensive branch, and a loop as often as its trip count is known.",
    example: "An `If` node that tracing kept from `if x.shape[0] == 1`.",
    recommendation: "Run `onnxsim in.onnx out.onnx`, which removes branches with a constant \
                     condition; check that the target executes the nodes that remain.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    let mut deepest = 0;
    for node in running(model) {
        let row = operator(model, node).filter(|row| row.traits.class == Class::ControlFlow);
        if let Some(row) = row {
            *counts.entry(row.name).or_default() += 1;
            nodes.push(node);
            deepest = deepest.max(model.graph(model.node(node).graph).nesting + 1);
        }
    }
    let reported: Vec<String> = counts.iter().map(|(op, count)| format!("{count} {op}")).collect();
    let nested = if deepest > 1 { format!(", nesting depth {deepest}") } else { String::new() };
    Hit::of_nodes(model, &nodes, format!("{}{nested}", reported.join(", ")))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType::Bool, DataType::F32, Graph, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_branch_is_found_and_a_choice_of_elements_is_not() {
        let branch = |name: &str, op: &str| {
            let mut graph = Graph::new(name);
            graph.node(op, &["x"], &[name], &[]).output(name, F32, &["1"]);
            Attribute::graph(&format!("{name}_branch"), &graph)
        };
        let mut model = ModelBuilder::new(17);
        model.input("c", Bool, &[]).input("x", F32, &["1"]).output("y", F32, &["1"]);
        let branches = [branch("then", "Relu"), branch("else", "Abs")];
        model.node("If", &["c"], &["y"], &branches);
        assert_eq!(raised(&RULE, model.build()).unwrap().detail, "1 If");
        let mut model = ModelBuilder::new(17);
        model.input("c", Bool, &["1"]).input("x", F32, &["1"]).output("y", F32, &["1"]);
        assert_eq!(raised(&RULE, model.node("Where", &["c", "x", "x"], &["y"], &[]).build()), None);
    }
}
