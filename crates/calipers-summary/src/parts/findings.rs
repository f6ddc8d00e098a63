//! What is notable, and what to do next.

use calipers_report::units;
use calipers_report::{Report, Severity};

use super::super::wording::{capital, listed, lower};

/// The weightiest finding, how many there are, and the advice that goes with it.
pub(in super::super) fn reported(report: &Report) -> Vec<String> {
    let count = |severity: Severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let counted = |severity: Severity, one: &str, many: &str| match count(severity) {
        0 => None,
        some => Some(units::counted(some, one, many)),
    };
    let Some(first) = report.findings.first() else {
        return vec!["Nothing risky was found in it.".to_owned()];
    };
    let grave: Vec<String> = [
        counted(Severity::Error, "error", "errors"),
        counted(Severity::Warning, "warning", "warnings"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let what = lower(&first.title);
    let total = count(Severity::Error) + count(Severity::Warning);
    let is_out = match (grave.is_empty(), total, report.findings.len()) {
        (true, _, 1) => format!("There are no errors and no warnings, and one note: {what}."),
        (true, _, notes) => format!(
            "There are no errors and no warnings; of {notes} notes the first is this: {what}."
        ),
        (false, 1, _) => format!("What is notable is {}: {what}.", listed(&grave)),
        (false, ..) => format!("It has {}, the gravest this: {what}.", listed(&grave)),
    };
    vec![is_out, format!("{}.", capital(&format!("next, {}", first.recommendation)))]
}
