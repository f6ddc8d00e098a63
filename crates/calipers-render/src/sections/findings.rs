//! The findings and their recommendations: in the card, on the screen, and on their own.

use calipers_report::{Finding, FindingTable, Report, Severity};

use super::context::Context;
use super::key_figures;
use super::wording::more;
use crate::document::{Block, Document, Message, Section};
use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

/// Names listed with a finding.
const NAMES: usize = 5;
/// Findings on a screen, most severe first.
const SHOWN: usize = 8;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if context.is_brief() {
        // An info finding is shortened here; `calipers check` prints all of it.
        let shown = report.findings.iter().take(SHOWN).map(|finding| match finding.severity {
            Severity::Info => Message {
                names: vec![],
                has_more_names: false,
                advice: String::new(),
                ..message(finding)
            },
            _ => message(finding),
        });
        let rest = report.findings.len().saturating_sub(SHOWN);
        let rest = more(rest, ["finding", "findings"]).map(Block::Note);
        return shown.map(Block::Message).chain(rest).collect();
    }
    if report.graph.nodes == 0 && report.findings.is_empty() {
        return vec![];
    }
    let counts = match key_figures::counts(report) {
        None => Block::paragraph("No findings."),
        Some(counts) => Block::paragraph(format!("{counts}.")),
    };
    std::iter::once(counts).chain(report.findings.iter().map(message).map(Block::Message)).collect()
}

/// Whether a finding on the screen lists this name.
pub(super) fn is_named(name: &str, report: &Report) -> bool {
    report.findings.iter().take(SHOWN).any(|finding| finding.nodes.iter().any(|node| node == name))
}

fn message(finding: &Finding) -> Message {
    Message {
        severity: finding.severity,
        title: finding.title.clone(),
        detail: finding.detail.clone(),
        names: finding.nodes.iter().take(NAMES).cloned().collect(),
        has_more_names: finding.nodes.len() > NAMES,
        advice: finding.recommendation.clone(),
        command: String::new(),
    }
}

/// Returns the document of `calipers check`: findings, most severe first, with all their names.
pub fn findings(table: &FindingTable) -> Document {
    let counts = [
        (table.errors, Tone::Error, "error", "errors"),
        (table.warnings, Tone::Warning, "warning", "warnings"),
        (table.infos, Tone::Accent, "info", "info"),
    ];
    let counts: Vec<Spans> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, tone, one, many)| {
            Spans::toned(tone, Value::text(units::counted(count, one, many)))
        })
        .collect();
    let counts = match counts.is_empty() {
        true => Spans::plain("No findings."),
        false => {
            let dot = |joined: Spans, next| joined.and_quiet(" · ").and_all(next);
            counts.into_iter().reduce(dot).unwrap_or_default()
        }
    };
    let messages = table.findings.iter().map(|finding| {
        Block::Message(Message {
            names: finding.nodes.clone(),
            has_more_names: false,
            command: format!("calipers explain {}", finding.id),
            ..message(finding)
        })
    });
    Document {
        title: Spans::plain("Findings: ").and_value(Value::name(&table.file)),
        facts: vec![],
        byline: Some(counts),
        sections: vec![Section::new("findings", "", messages.collect())],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Style, markdown, terminal};

    #[test]
    fn findings_say_the_same_in_every_format() {
        let finding = Finding {
            id: "graph-cycle".into(),
            severity: Severity::Error,
            title: "Cycle in the graph".into(),
            detail: "`a` needs `b`".into(),
            nodes: vec!["a".into(), "b|".into()],
            recommendation: "Re-export the model.".into(),
        };
        let table =
            FindingTable { file: "m.onnx".into(), errors: 1, findings: vec![finding], ..empty() };
        let screen = terminal::document(&findings(&table), &Style::plain(80));
        let page = markdown::document(&findings(&table), &[]);
        for part in ["m.onnx", "1 error", "Cycle in", "needs", "calipers explain graph-cycle"] {
            assert!(screen.contains(part), "{part:?} is not in\n{screen}");
            assert!(page.contains(part), "{part:?} is not in\n{page}");
        }
        assert!(screen.contains("→ Re-export the model."), "{screen}");
        assert!(page.contains("**Recommendation:** Re-export the model."), "{page}");
    }

    #[test]
    fn a_table_without_findings_says_so() {
        let page = markdown::document(&findings(&empty()), &[]);
        assert!(page.ends_with("No findings.\n"), "{page}");
    }

    fn empty() -> FindingTable {
        FindingTable {
            file: "m.onnx".into(),
            errors: 0,
            warnings: 0,
            infos: 0,
            findings: Vec::new(),
        }
    }
}
