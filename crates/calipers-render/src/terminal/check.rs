//! Findings on their own, and what the rules behind them say.
//!
//! ```text
//!   model.onnx
//!   1 error · 2 warnings · 3 notes
//!
//!   ✗ error    A data file's location is unsafe
//! ```

use calipers_report::{FindingRule, FindingTable, Severity};

use super::Style;
use super::findings::{SEVERITY, set_finding};
use super::page::{Line, Page, Role};
use super::rows::Rows;
use crate::text;
use crate::units;

/// Lines of one part of a rule's documentation.
const PROSE_LINES: usize = 20;

/// Every finding in full, each under its id; ends in a newline.
pub fn findings(table: &FindingTable, style: &Style) -> String {
    let mut page = Page::new(style);
    let name = text::truncate(&text::name(&table.file, page.charset), page.full(), page.charset);
    page.line(Line::of(Role::Strong, name));
    let counts = [
        (table.errors, Role::Error, "error", "errors"),
        (table.warnings, Role::Warning, "warning", "warnings"),
        (table.infos, Role::Accent, "note", "notes"),
    ];
    let mut line = Line::default();
    for (count, role, one, many) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        if line.width() > 0 {
            line.push(Role::Quiet, page.dot());
        }
        line.push(role, units::counted(count, one, many));
    }
    if line.width() == 0 {
        line.push(Role::Plain, "nothing was found");
    }
    page.line(line);
    for finding in &table.findings {
        page.blank();
        for line in set_finding(finding, true, &page) {
            page.line(line);
        }
        let id = Line::of(Role::Quiet, format!("calipers explain {}", finding.id));
        let indent = if page.body() >= 50 { SEVERITY } else { 2 };
        page.line(id.indent(indent).cut(page.full(), page.charset));
    }
    page.finish()
}

/// The rules, a line each under their groups; ends in a newline.
pub fn rule_list(rules: &[FindingRule], style: &Style) -> String {
    let mut page = Page::new(style);
    for (index, group) in rules.chunk_by(|one, next| one.group == next.group).enumerate() {
        if index > 0 {
            page.blank();
        }
        let mut rows = Rows::default();
        for rule in group {
            let severity = format!("{:<7}  ", word(rule.severity));
            let title = text::prose(&rule.title, page.charset);
            let line = Line::of(role(rule.severity), severity).and(Role::Plain, title);
            rows.facts(&rule.id, vec![line]);
        }
        page.line(Line::of(Role::Strong, group.first().map_or("", |rule| rule.group.as_str())));
        for line in rows.set(&page) {
            page.line(line.indent(2));
        }
    }
    page.finish()
}

/// Rules in full; ends in a newline.
pub fn rules(rules: &[FindingRule], style: &Style) -> String {
    let mut page = Page::new(style);
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        let about = format!("   {}{}{}", word(rule.severity), page.dot(), rule.group);
        page.line(Line::of(Role::Strong, &*rule.id).and(Role::Quiet, about));
        page.line(Line::of(Role::Plain, text::prose(&rule.title, page.charset)));
        let advice = text::sentence(&rule.recommendation);
        for (heading, raw) in [
            ("Checks", &rule.checks),
            ("Why", &rule.why),
            ("Example", &rule.example),
            ("What to do", &advice),
        ] {
            let line = Line::of(Role::Plain, text::prose(raw, page.charset));
            let lines = line.wrap_within(page.body(), PROSE_LINES, page.charset);
            page.section(heading, "", lines);
        }
    }
    page.finish()
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        // As `--fail-on` takes it.
        Severity::Info => "info",
    }
}

fn role(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Info => Role::Accent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> FindingRule {
        FindingRule {
            id: "graph-cycle".into(),
            severity: Severity::Error,
            group: "contradiction".into(),
            title: "Nodes wait for each other".into(),
            checks: "Whether nodes can be ordered.".into(),
            why: "A ring cannot run.".into(),
            example: "`a` needs `b`, `b` needs `a`.".into(),
            recommendation: "export it again".into(),
        }
    }

    #[test]
    fn a_rule_is_told_in_full() {
        let text = rules(&[rule()], &Style::plain(80));
        for part in ["graph-cycle", "error", "Whether nodes", "A ring", "Export it again."] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn rules_are_listed_under_their_groups() {
        let text = rule_list(&[rule()], &Style::plain(80));
        assert!(text.contains("contradiction") && text.contains("Nodes wait"), "{text}");
    }
}
