//! Nodes in the main graph that share a name.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "duplicate-node-name",
    severity: Severity::Info,
    group: "contradiction",
    title: "Duplicate node names",
    checks: "Names of the nodes in the main graph. Unnamed nodes are ignored.",
    why: "Profilers, logs and graph editors identify nodes by name. Execution is not affected.",
    example: "Two nodes named `/encoder/MatMul`.",
    recommendation: "Assign unique names before profiling: `for i, node in \
                     enumerate(model.graph.node): node.name = f\"{node.op_type}_{i}\"`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    // Names are interned, so the counts fit an array.
    let mut counts = vec![0_usize; model.names.len()];
    let mut shared = Vec::new();
    for node in model.main().nodes.nodes() {
        let name = model.node(node).name;
        counts[name.index()] += 1;
        if counts[name.index()] == 2 && name != model.names.empty() {
            shared.push(name);
        }
    }
    let nodes = shared.iter().map(|name| counts[name.index()]).sum();
    let mut shared: Vec<_> = shared.into_iter().map(|name| model.name(name)).collect();
    shared.sort_unstable();
    (!shared.is_empty()).then(|| {
        Hit::new(
            format!("{} share {}", counted(nodes, "node"), counted(shared.len(), "name")),
            shared.iter().map(|name| (*name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    fn two(first: &str, second: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.push(&Node::new("Relu", &["x"], &["a"], &[]).named(first));
        model.push(&Node::new("Abs", &["a"], &["y"], &[]).named(second));
        model.build()
    }

    #[test]
    fn one_name_for_two_is_found_and_no_names_are_not() {
        assert_eq!(raised(&RULE, two("n", "n")).unwrap().nodes, ["n"]);
        assert_eq!(raised(&RULE, two("n", "m")), None);
        assert_eq!(raised(&RULE, two("", "")), None);
    }
}
