//! Nodes that cannot run on their inputs.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "shapes-contradict",
    severity: Severity::Error,
    group: "contradiction",
    title: "A node cannot run on its inputs",
    checks: "Whether the types and shapes that are inferred for a node's inputs can go together.",
    why: "The model fails when it runs, whatever is fed. Only what is certain is reported: dimensions \
          that may be equal are taken to be.",
    example: "`MatMul` of `[2, 3]` and `[4, 5]`.",
    recommendation: "check the sizes that are fed or bound, and the export",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let contradictions = &evidence.typed.contradictions;
    let mut nodes: Vec<_> =
        contradictions.iter().filter_map(|c| Some((c.node?, &c.what))).collect();
    // A loop's body is looked into more than once.
    nodes.dedup();
    let (node, what) = nodes.first()?;
    Some(Hit::new(
        format!("{}, first {:?}: {what}", counted(nodes.len(), "node"), model.node_label(*node)),
        nodes.iter().map(|(node, _)| model.node_label(*node)),
    ))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn sizes_that_differ_are_found_and_those_that_may_agree_are_not() {
        let product = |rows: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("a", F32, &["2", "3"]).input("b", F32, &[rows, "5"]);
            model.node("MatMul", &["a", "b"], &["y"], &[]).output("y", F32, &["2", "5"]).build()
        };
        assert!(raised(&RULE, product("4")).is_some());
        assert_eq!(raised(&RULE, product("rows")), None);
    }
}
