//! Code of the model that calls out of it.

use calipers_ir::Hazard;
use calipers_report::Severity;

use super::shortened;
use crate::{Evidence, Hit, Rule, counted, listed};

pub(crate) const RULE: Rule = Rule {
    id: "calls-out",
    severity: Severity::Warning,
    group: "security",
    title: "Model calls out of its network",
    checks: "Operators and functions that read or write files, call Python, or belong to libraries \
             that are not part of the framework, in TensorFlow graphs and TorchScript code.",
    why: "They act with the privileges of the process whenever the model runs, and what they do \
          is not in the file.",
    example: "A TensorFlow graph with `WriteFile`.",
    recommendation: "Run the model only in a sandbox without network and with read-only storage, \
                     or export it again without these operators.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let calls = evidence.model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::CallsOut { what } => Some(shortened(what)),
        _ => None,
    });
    let mut calls: Vec<String> = calls.collect();
    calls.sort_unstable();
    calls.dedup();
    let detail = format!("{}: {}", counted(calls.len(), "call"), listed(calls.clone()));
    (!calls.is_empty()).then(|| Hit::new(detail, calls))
}
