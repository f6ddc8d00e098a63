//! Findings on their own, and their rules, as pages.

use std::fmt::Write as _;

use calipers_report::{Finding, FindingRule, FindingTable, Severity};

use super::escape::plain;
use crate::{text, units};

/// Findings on their own, most severe first; ends in a newline.
pub fn findings(table: &FindingTable) -> String {
    let mut page = format!("# Findings: {}\n\n", plain(&table.file));
    let counted =
        |count: u64, one: &str, many: &str| (count > 0).then(|| units::counted(count, one, many));
    let counts: Vec<String> = [
        counted(table.errors, "error", "errors"),
        counted(table.warnings, "warning", "warnings"),
        counted(table.infos, "note", "notes"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match counts.as_slice() {
        [] => page.push_str("Nothing was found.\n"),
        counts => {
            page.push_str(&counts.join(", "));
            page.push_str(".\n");
        }
    }
    for finding in &table.findings {
        set_finding(finding, &mut page);
    }
    page
}

fn set_finding(finding: &Finding, page: &mut String) {
    // Writing to a String does not fail.
    let _ = write!(
        page,
        "\n## {}\n\n**{}** `{}`: {}.\n",
        plain(&finding.title),
        shown(finding.severity),
        finding.id,
        plain(&finding.detail)
    );
    if !finding.nodes.is_empty() {
        page.push('\n');
        for node in &finding.nodes {
            let _ = writeln!(page, "- {}", plain(node));
        }
    }
    let _ = write!(page, "\n{}\n", plain(&text::sentence(&finding.recommendation)));
}

/// The documentation of rules, as a page; ends in a newline. Their texts are ours, and may use
/// Markdown.
pub fn rules(rules: &[FindingRule]) -> String {
    let mut page =
        "# Findings\n\nEvery kind of finding: what is looked at, why it matters, and what \
        to do. `calipers explain ID` prints one of them.\n\n| id | severity | what it says |\n\
        |---|---|---|\n"
            .to_owned();
    for rule in rules {
        let _ = writeln!(
            page,
            "| [`{id}`](#{id}) | {} | {} |",
            word(rule.severity),
            rule.title,
            id = rule.id
        );
    }
    for group in rules.chunk_by(|one, next| one.group == next.group) {
        let name = group.first().map_or("", |rule| rule.group.as_str());
        let _ = write!(page, "\n## Group `{name}`\n");
        for rule in group {
            let _ = write!(
                page,
                "\n### {}\n\n**{}** · {}\n\n{}\n\n*Why it matters.* {}\n\n*Example.* {}\n\n\
                 *What to do.* {}\n",
                rule.id,
                word(rule.severity),
                rule.title,
                rule.checks,
                rule.why,
                rule.example,
                text::sentence(&rule.recommendation)
            );
        }
    }
    page
}

/// The word for a finding; on a page, what is worth knowing is a note.
fn shown(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        other => word(other),
    }
}

/// The word that `--fail-on` takes.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_without_findings_says_so() {
        let table = FindingTable {
            file: "m.onnx".into(),
            errors: 0,
            warnings: 0,
            infos: 0,
            findings: Vec::new(),
        };
        assert!(findings(&table).ends_with("Nothing was found.\n"));
    }
}
