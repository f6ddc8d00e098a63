//! What is risky about the model, and what to do.

use calipers_report::{Finding, Report, Severity};

use super::overview;
use super::wording::joined;
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::text;
use crate::value::Spans;

/// Names that a finding gives.
const NAMES: usize = 5;

pub(super) fn build(report: &Report) -> Vec<Block> {
    if report.graph.nodes == 0 && report.risks.is_empty() {
        return vec![];
    }
    let mut blocks = vec![match overview::counts(report) {
        None => Block::paragraph("Nothing was found."),
        Some(counts) => Block::paragraph(format!("{counts}.")),
    }];
    blocks.extend(report.risks.iter().flat_map(finding));
    blocks
}

fn finding(finding: &Finding) -> Vec<Block> {
    let severity = match finding.severity {
        Severity::Error => "Error: ",
        Severity::Warning => "Warning: ",
        Severity::Info => "Note: ",
    };
    let heading = Spans::plain(severity).and_value(Value::prose(&finding.title));
    let mut words = match finding.detail.trim() {
        "" => Spans::default(),
        detail => Value::Quoted(text::sentence(detail)).into(),
    };
    let names = finding.nodes.iter().take(NAMES).map(|name| Value::name(name).into());
    if let Some(names) = joined(names.collect(), ", ") {
        let rest = if finding.nodes.len() > NAMES { " and others." } else { "." };
        let before = if words.is_empty() { "In " } else { " In " };
        words = words.and_text(before).and_all(names).and_text(rest);
    }
    let mut blocks = vec![Block::Heading(heading), Block::Paragraph(words)];
    if !finding.recommendation.trim().is_empty() {
        blocks.push(Block::Paragraph(
            Spans::of(Tone::Strong, Value::text("Recommendation:"))
                .and_text(" ")
                .and_value(Value::Quoted(text::sentence(&finding.recommendation))),
        ));
    }
    blocks
}
