//! What the rules behind findings check.

use calipers_report::{FindingRule, Severity};

use crate::document::{Block, Document, Section};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, text};

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

/// Every rule in one document: a table of them, then each in full under its group.
pub fn rules(rules: &[FindingRule]) -> Document {
    let index = Section::new("rules", "", vec![Block::Table(tables::rules(rules))]);
    let groups = rules.chunk_by(|one, next| one.group == next.group).map(|group| {
        let name = group.first().map_or("", |rule| rule.group.as_str());
        let blocks = group.iter().flat_map(in_full).collect();
        Section::new(name, &format!("Group {name}"), blocks)
    });
    let byline = "Every kind of finding: what it checks, why it matters, and what to do. `calipers \
                  explain ID` prints one of them.";
    Document {
        title: Spans::plain("Findings"),
        facts: vec![],
        byline: Some(Value::quoted(byline).into()),
        sections: std::iter::once(index).chain(groups).collect(),
    }
}

/// One rule under its id.
fn in_full(rule: &FindingRule) -> Vec<Block> {
    let severity = Spans::of(Tone::Strong, Value::text(severity(rule.severity)));
    let part = |title: &str, words: &str| {
        let title = Spans::of(Tone::Emphasis, Value::text(title)).and_text(" ");
        Block::Paragraph(title.and_value(Value::quoted(words)))
    };
    vec![
        Block::heading(rule.id.as_str()),
        Block::Values(vec![severity, Value::quoted(&rule.title).into()]),
        Block::Paragraph(Value::quoted(&rule.checks).into()),
        part("Why it matters.", &rule.why),
        part("Example.", &rule.example),
        part("What to do.", &text::sentence(&rule.recommendation)),
    ]
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
    use crate::{Style, markdown, terminal};

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
    fn the_document_of_rules_links_to_each() {
        let page = markdown::document(&rules(&[graph_cycle()]), &[]);
        assert!(page.contains("[`graph-cycle`](#graph-cycle)"), "{page}");
        assert!(page.contains("\n### graph-cycle\n"), "{page}");
        assert!(page.contains("*What to do.* Export it again."), "{page}");
    }

    #[test]
    fn rules_are_listed_under_their_groups() {
        let text = terminal::table(&tables::rules(&[graph_cycle()]), &Style::plain(80));
        assert_eq!(text, "  contradiction\n    graph-cycle  error  Nodes wait for each other\n");
    }
}
