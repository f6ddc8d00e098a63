//! Checks of the shapes: what cannot go together, and what is declared wrongly.

use calipers_ir::Model;
use calipers_report::{Finding, Severity};

use super::{counted, finding};
use crate::infer::Typed;

/// Nodes that cannot run on their inputs, and declared types that cannot be right.
pub(super) fn contradictions(model: &Model, typed: &Typed) -> Vec<Finding> {
    let mut nodes: Vec<_> =
        typed.contradictions.iter().filter_map(|c| Some((c.node?, &c.what))).collect();
    let mut values: Vec<_> =
        typed.contradictions.iter().filter_map(|c| Some((c.value?, &c.what))).collect();
    // A loop's body is looked into more than once.
    nodes.dedup();
    values.dedup();
    let mut findings = Vec::new();
    if let Some((node, what)) = nodes.first() {
        findings.push(finding(
            "shapes-contradict",
            Severity::Error,
            "A node cannot run on its inputs",
            format!(
                "{}, first {:?}: {what}",
                counted(nodes.len(), "node"),
                model.node_label(*node)
            ),
            nodes.iter().map(|(node, _)| model.node_label(*node)),
            "check the sizes that are fed or bound, and the export",
        ));
    }
    if let Some((value, what)) = values.first() {
        let name = |value| model.name(model.value(value).name).to_owned();
        findings.push(finding(
            "declared-type-wrong",
            Severity::Warning,
            "A declared type or shape is wrong",
            format!("{}, first {:?}: {what}", counted(values.len(), "value"), name(*value)),
            values.iter().map(|(value, _)| name(*value)),
            "infer the shapes of the model again and save it",
        ));
    }
    findings
}
