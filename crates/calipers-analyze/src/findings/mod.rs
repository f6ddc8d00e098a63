//! What is wrong with a model, as far as reading it shows.
//!
//! Each check looks at the model and gives at most one finding. To add one: write the check, add
//! its line to [`CHECKS`].

mod external;
mod file;
mod graph;
mod shapes;
mod tensors;

use calipers_ir::Model;
use calipers_report::{Finding, Severity};

use crate::infer::Typed;

/// A check: nothing, or what it found.
type Check = fn(&Model) -> Option<Finding>;

/// All checks. The report sorts their findings by severity; within one, this order stays.
const CHECKS: &[Check] = &[
    graph::cycle,
    graph::undefined_inputs,
    graph::undefined_outputs,
    graph::duplicate_definitions,
    graph::out_of_order,
    graph::duplicate_node_names,
    external::refused,
    external::bad_range,
    external::missing,
    external::overlapping,
    external::unknown_keys,
    tensors::impossible_size,
    tensors::unknown_type,
    tensors::short_data,
    file::no_opset,
    file::newer_ir,
    file::unknown_fields,
    file::odd_names,
];

/// Runs every check.
pub(crate) fn check(model: &Model, typed: &Typed) -> Vec<Finding> {
    let mut findings: Vec<_> = CHECKS.iter().filter_map(|check| check(model)).collect();
    findings.extend(shapes::contradictions(model, typed));
    findings.sort_by_key(|finding| finding.severity);
    findings
}

/// Names shown with a finding; the detail says how many there are in all.
const SHOWN: usize = 8;

/// A finding about some things, with the first few of their names.
fn finding(
    id: &str,
    severity: Severity,
    title: &str,
    detail: String,
    names: impl IntoIterator<Item = String>,
    recommendation: &str,
) -> Finding {
    Finding {
        id: id.to_owned(),
        severity,
        title: title.to_owned(),
        detail,
        nodes: names.into_iter().take(SHOWN).collect(),
        recommendation: recommendation.to_owned(),
    }
}

/// `1 node`, `2 nodes`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
