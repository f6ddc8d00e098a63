//! Findings, and what to do next.

use calipers_report::units;
use calipers_report::{Finding, Report, Severity};

use super::super::wording::{capitalized, in_sentence, listed};

/// Longest advice that is repeated, in words.
const SHORT: usize = 14;

/// How many findings there are, the most severe one, and what to do about it.
pub(in super::super) fn sentences(report: &Report) -> Vec<String> {
    let counts = counts(report);
    let first = match report.findings.first() {
        Some(first) if !counts.is_empty() => first,
        _ => return vec!["No errors or warnings were found.".to_owned()],
    };
    let title = in_sentence(first.title.trim_end_matches('.'));
    // A threshold in a title is not a figure of the report.
    let has_number = title.contains(|c: char| c.is_ascii_digit());
    let are_severe = |finding: &&Finding| finding.severity != Severity::Info;
    let found = match report.findings.iter().filter(are_severe).count() {
        _ if has_number => format!("{counts}."),
        1 => format!("{counts}: {title}."),
        _ => format!("{counts}, first: {title}."),
    };
    let advice = advice(first).unwrap_or_else(|| "See Findings for the fix".to_owned());
    vec![capitalized(&found), format!("{advice}.")]
}

/// How many errors and warnings there are: `1 error and 2 warnings`; empty where there are none.
pub(in super::super) fn counts(report: &Report) -> String {
    let count = |severity: Severity| {
        report.findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let counts: Vec<String> =
        [(Severity::Error, "error", "errors"), (Severity::Warning, "warning", "warnings")]
            .into_iter()
            .map(|(severity, one, many)| (count(severity), one, many))
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| units::counted(count, one, many))
            .collect();
    listed(&counts)
}

/// The recommendation without its period, where it is one short sentence of plain words.
pub(in super::super) fn advice(finding: &Finding) -> Option<String> {
    let text = finding.recommendation.trim().trim_end_matches('.');
    let is_plain = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | ',' | '-' | '\'');
    let is_short = !text.is_empty() && text.split_whitespace().count() <= SHORT;
    (is_short && text.chars().all(is_plain)).then(|| capitalized(text))
}
