//! What the rules behind findings check.

use calipers_report::{FindingRule, Severity};

use crate::document::{Block, Document, Section};
use crate::table::Value;
use crate::text;

/// The documentation of one rule.
pub fn rule(rule: &FindingRule) -> Document {
    let advice = text::sentence(&rule.recommendation);
    let section = |id: &str, title: &str, words: &str| {
        Section::new(id, title, vec![Block::Paragraph(Value::quoted(words).into())])
    };
    Document {
        title: Value::text(&rule.id).into(),
        facts: vec![severity(rule.severity).into(), Value::text(&rule.group).into()],
        byline: Some(Value::quoted(&rule.title).into()),
        sections: vec![
            section("checks", "Checks", &rule.checks),
            section("why", "Why", &rule.why),
            section("example", "Example", &rule.example),
            section("what-to-do", "What to do", &advice),
        ],
    }
}

/// The word that `--fail-on` takes.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, tables, terminal};

    fn graph_cycle() -> FindingRule {
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
    fn a_rule_is_documented_in_full() {
        let text = terminal::document(&rule(&graph_cycle()), &Style::plain(80));
        for part in ["graph-cycle", "error", "Whether nodes", "A ring", "Export it again."] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn rules_are_listed_under_their_groups() {
        let text = terminal::table(&tables::rules(&[graph_cycle()]), &Style::plain(80));
        assert_eq!(text, "  contradiction\n    graph-cycle  error  Nodes wait for each other\n");
    }
}
