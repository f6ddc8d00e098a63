//! What the checks found.

use calipers_report::{Report, Severity};

use super::super::parts::findings::{advice, counts as counts_text};
use super::{Fact, Role};

/// Findings that are named.
const MAX_FINDINGS: usize = 4;

/// What is said where no finding is severe. Checks cannot show that a model has no error.
const NONE: &str = "no errors or warnings in the checks of Calipers";

/// How many errors and warnings there are.
pub(super) fn counts(report: &Report) -> Fact {
    let counts = counts_text(report);
    let is_clean = counts.is_empty();
    let text = if is_clean { NONE.to_owned() } else { counts };
    Fact::new(Role::Finding, text).required_if(!is_clean)
}

/// The most severe findings by their titles, and what to do about the first.
pub(super) fn titles(report: &Report) -> Vec<Fact> {
    let is_named = |severity: Severity| severity != Severity::Info;
    let named = report.findings.iter().filter(|finding| is_named(finding.severity));
    let mut facts: Vec<Fact> = named
        .take(MAX_FINDINGS)
        .map(|finding| {
            let title = finding.title.trim_end_matches('.');
            let text = format!("the {} \"{title}\"", finding.severity.id());
            Fact::new(Role::Finding, text)
        })
        .collect();
    if let Some(first) = report.findings.first().filter(|first| is_named(first.severity))
        && let Some(advice) = advice(first)
    {
        // A recommendation may hold a name of the model's.
        let fact = Fact::new(Role::Statement, advice);
        facts.push(fact.listed_as("The recommendation for the most severe finding"));
    }
    facts
}
