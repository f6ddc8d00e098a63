//! The documentation of the findings.

use calipers_report::{FindingRule, Severity};

use crate::document::{Block, Document, Section};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, text};

/// Returns the documentation of one finding.
pub fn rule(rule: &FindingRule) -> Document {
    let advice = text::sentence(&rule.recommendation);
    let section = |id: &str, title: &str, text: &str| {
        Section::new(id, title, vec![Block::Paragraph(Value::quoted(text).into())])
    };
    Document {
        title: Value::text(&rule.id).into(),
        facts: vec![severity(rule.severity).into(), Value::text(&rule.group).into()],
        byline: Some(Value::quoted(&rule.title).into()),
        sections: vec![
            section("checks", "Checks", &rule.checks),
            section("why", "Why", &rule.why),
            section("example", "Example", &rule.example),
            section("recommendation", "Recommendation", &advice),
        ],
    }
}

/// Returns the documentation of all findings: a table, then each finding under its group.
pub fn rules(rules: &[FindingRule]) -> Document {
    let index = Section::new("rules", "", vec![Block::Table(tables::rules(rules))]);
    let groups = rules.chunk_by(|one, next| one.group == next.group).map(|group| {
        let name = group.first().map_or("", |rule| rule.group.as_str());
        let blocks = group.iter().flat_map(in_full).collect();
        Section::new(name, &format!("Group {name}"), blocks)
    });
    let byline = "Every finding that Calipers can report: what it checks, why it matters and how to fix \
                  it. An error means that a runtime refuses the model or that loading it is unsafe; a \
                  warning means likely problems; info is worth knowing. `calipers explain ID` prints \
                  one entry.";
    Document {
        title: Spans::plain("Findings"),
        facts: vec![],
        byline: Some(Value::quoted(byline).into()),
        sections: std::iter::once(index).chain(groups).collect(),
    }
}

/// Returns the blocks of one rule.
fn in_full(rule: &FindingRule) -> Vec<Block> {
    let severity = Spans::toned(Tone::Strong, Value::text(severity(rule.severity)));
    let part = |title: &str, text: &str| {
        let title = Spans::toned(Tone::Emphasis, Value::text(title)).and_text(" ");
        Block::Paragraph(title.and_value(Value::quoted(text)))
    };
    vec![
        Block::heading(rule.id.as_str()),
        Block::Values(vec![severity, Value::quoted(&rule.title).into()]),
        Block::Paragraph(Value::quoted(&rule.checks).into()),
        part("Why it matters.", &rule.why),
        part("Example.", &rule.example),
        part("Recommendation.", &text::sentence(&rule.recommendation)),
    ]
}

/// Returns the severity as `--fail-on` spells it.
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
            title: "Cycle in the graph".into(),
            checks: "Whether nodes can be ordered.".into(),
            why: "A cycle cannot run.".into(),
            example: "`a` needs `b`, `b` needs `a`.".into(),
            recommendation: "Re-export the model.".into(),
        }
    }

    #[test]
    fn a_rule_is_documented_in_full() {
        let text = terminal::document(&rule(&graph_cycle()), &Style::plain(80));
        for part in ["graph-cycle", "error", "Whether nodes", "A cycle", "Re-export the model."] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn the_document_of_rules_links_to_each() {
        let page = markdown::document(&rules(&[graph_cycle()]), &[]);
        assert!(page.contains("[`graph-cycle`](#graph-cycle)"), "{page}");
        assert!(page.contains("\n### graph-cycle\n"), "{page}");
        assert!(page.contains("*Recommendation.* Re-export the model."), "{page}");
    }

    #[test]
    fn rules_are_listed_under_their_groups() {
        let text = terminal::table(&tables::rules(&[graph_cycle()]), &Style::plain(80));
        assert_eq!(text, "  contradiction\n    graph-cycle  error  Cycle in the graph\n");
    }
}
