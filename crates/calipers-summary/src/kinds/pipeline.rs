//! Pipelines: preprocessing and a model in one graph.

use calipers_report::{ModelKind, Report};

use super::super::Kind;
use super::{classes, for_task, is_kind, one_row, operators};

/// Operators that are named.
const MOST: usize = 4;

pub(in super::super) const KIND: Kind = Kind {
    name: "pipeline",
    matches: |report| is_kind(report, ModelKind::Pipeline),
    noun: |report| for_task(report, "pipeline"),
    figures: |report| classes(report).into_iter().collect(),
    notes,
    run: one_row,
};

fn notes(report: &Report) -> Vec<String> {
    match (operators(report, MOST).as_str(), report.graph.nodes) {
        ("", _) => Vec::new(),
        (operator, 1) => vec![format!("Its only operator is {operator}.")],
        (operators, _) => vec![format!("It runs {operators}.")],
    }
}
