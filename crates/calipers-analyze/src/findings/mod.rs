//! What is risky about a model.
//!
//! Each finding is a [`Rule`] in a file of its own, in the folder of its group: its id, how much it
//! matters, what it checks, why that matters, an example, what to do, and the check. To add one:
//! write the file, add its line to [`RULES`].

mod external;
mod file;
mod graph;
mod shapes;
mod tensors;

use calipers_ir::Model;
use calipers_report::{
    Architecture, Cost, Finding, GraphFacts, Memory, Parameters, Quantization, Severity, Task,
};

use crate::infer::Typed;
use crate::net::Net;

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

/// Everything that a check may look at.
pub(crate) struct Evidence<'a> {
    pub(crate) model: &'a Model,
    pub(crate) typed: &'a Typed,
    /// The network with its blocks recognised.
    pub(crate) net: &'a Net<'a>,
    pub(crate) graph: &'a GraphFacts,
    pub(crate) parameters: &'a Parameters,
    pub(crate) cost: &'a Cost,
    pub(crate) memory: &'a Memory,
    pub(crate) architecture: &'a Architecture,
    pub(crate) task: &'a Task,
    pub(crate) quantization: &'a Quantization,
    /// What the weights hold, when they were read.
    pub(crate) weights: Option<&'a Weights>,
}

/// What reading the weights showed; filled only when that was asked for.
#[derive(Debug, Default)]
pub(crate) struct Weights {}

/// A kind of finding: documented, checked, and told what to do about.
pub(crate) struct Rule {
    /// Stable name, such as `graph-cycle`.
    pub(crate) id: &'static str,
    pub(crate) severity: Severity,
    /// Folder and family: `contradiction`, `deployment`, `quantization`, `security`, `structure`,
    /// `weights`.
    pub(crate) group: &'static str,
    /// One line that states the finding.
    pub(crate) title: &'static str,
    /// What is looked at.
    pub(crate) checks: &'static str,
    /// Why it matters.
    pub(crate) why: &'static str,
    /// A model that has it, in words or a few lines.
    pub(crate) example: &'static str,
    /// What to do about it.
    pub(crate) recommendation: &'static str,
    pub(crate) check: fn(&Evidence<'_>) -> Option<Hit>,
}

/// What a check found.
pub(crate) struct Hit {
    /// What was found, with the figures.
    pub(crate) detail: String,
    /// Names of nodes or tensors concerned, all of them or the first few.
    pub(crate) nodes: Vec<String>,
}

/// Every rule, by group and then by id.
pub(crate) const RULES: &[&Rule] = &[];

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
