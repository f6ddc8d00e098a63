//! Findings, and what to do next.

use calipers_report::units;
use calipers_report::{Finding, Report, Severity};

use super::super::wording::{capital, listed, lower};

/// Longest advice that is repeated, in words.
const SHORT: usize = 14;

/// How many findings there are, the most severe one, and what to do about it.
pub(in super::super) fn sentences(report: &Report) -> Vec<String> {
    let count = |severity: Severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let first = match report.findings.first() {
        Some(first) if errors + warnings > 0 => first,
        _ => return vec!["No errors or warnings were found.".to_owned()],
    };
    let counts: Vec<String> = [(errors, "error", "errors"), (warnings, "warning", "warnings")]
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| units::counted(count, one, many))
        .collect();
    let title = lower(first.title.trim_end_matches('.'));
    // A threshold in a title is not a figure of the report.
    let has_number = title.contains(|c: char| c.is_ascii_digit());
    let found = match errors + warnings {
        _ if has_number => format!("{}.", listed(&counts)),
        1 => format!("{}: {title}.", listed(&counts)),
        _ => format!("{}, first: {title}.", listed(&counts)),
    };
    vec![capital(&found), advice(first)]
}

/// The recommendation, where it is one short sentence of plain words.
fn advice(finding: &Finding) -> String {
    let text = finding.recommendation.trim().trim_end_matches('.');
    let is_plain = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | ',' | '-' | '\'');
    let is_short = !text.is_empty() && text.split_whitespace().count() <= SHORT;
    match is_short && text.chars().all(is_plain) {
        true => format!("{}.", capital(text)),
        false => "See Findings for the fix.".to_owned(),
    }
}
