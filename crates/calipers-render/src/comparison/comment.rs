//! The comment of a pull request: the answer first, the rest folded, and a marker by which a later
//! run finds the comment and updates it.

use calipers_report::{Comparison, ComparisonTable, FigureChange, GateResult};

use super::{figures, graph, many, sections, weights};
use crate::document::{Block, Document, Section};
use crate::markdown;
use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

/// Groups of changes that are not folded.
const GROUPS: usize = 8;

/// A comparison of two models as a comment. It ends in a newline.
///
/// `key` distinguishes models of the same name, such as a digest of their paths.
pub fn markdown(comparison: &Comparison, key: &str) -> String {
    let labels = [comparison.a.label.as_str(), comparison.b.label.as_str(), key];
    let marker = marker(labels.into_iter());
    let document = Document {
        title: Spans::plain("Calipers: ").and_all(sections::title(comparison)),
        sections: vec![
            Section::new("verdict", "", answer(comparison)),
            Section::new("details", "", details(comparison)),
        ],
        ..Document::default()
    };
    let text = markdown::document(&document, &[]);
    // A comment is not a page of its own: its heading is small.
    let text = text.replacen("# ", "### ", 1);
    format!("{marker}\n{text}\n{}\n", markdown::MARK)
}

/// A comparison of several models as a comment; see [`markdown()`].
pub fn table_markdown(table: &ComparisonTable, key: &str) -> String {
    let marker = marker(table.models.iter().map(|model| model.label.as_str()).chain([key]));
    let text = markdown::document(&many::table_document(table), &[]).replacen("# ", "### ", 1);
    format!("{marker}\n{text}\n{}\n", markdown::MARK)
}

/// The line by which a comment is found again: the same for the same models.
fn marker<'a>(labels: impl Iterator<Item = &'a str>) -> String {
    let safe = |label: &str| -> String {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/');
        label.chars().map(|c| if is_safe(c) { c } else { '_' }).collect()
    };
    let labels: Vec<String> = labels.map(safe).collect();
    format!("<!-- calipers compare {} -->", labels.join(" "))
}

/// What is not folded.
fn answer(comparison: &Comparison) -> Vec<Block> {
    let verdict = &comparison.verdict;
    let mark = if verdict.drop_in { "✅ " } else { "⚠️ " };
    let sentence = Spans::plain(mark)
        .and_value(Value::quoted(&verdict.compatibility))
        .and_text(" ")
        .and_value(Value::quoted(&verdict.trade));
    let mut blocks = vec![Block::Paragraph(sentence)];
    if !comparison.gates.is_empty() {
        blocks.push(gates(&comparison.gates));
    }
    let changed: Vec<FigureChange> =
        comparison.figures.iter().filter(|figure| is_worth_showing(figure)).cloned().collect();
    if !changed.is_empty() {
        let labels = (comparison.a.label.as_str(), comparison.b.label.as_str());
        blocks.push(Block::Table(figures::figures(&changed, labels)));
    }
    let breaking = comparison.interface.changes.iter().filter(|change| change.breaking);
    let breaking: Vec<Spans> = breaking
        .map(|change| {
            Spans::toned(Tone::Strong, Value::text("Breaks callers:"))
                .and_text(" ")
                .and_value(Value::quoted(&change.detail))
        })
        .collect();
    blocks.push(Block::list(breaking));
    if let Some(graph) = &comparison.graph {
        let groups = graph.groups.iter().take(GROUPS);
        blocks.push(Block::list(groups.map(|group| Value::quoted(&group.text).into())));
    }
    blocks
}

/// Figures that changed, but for those that an estimate cannot separate.
fn is_worth_showing(figure: &FigureChange) -> bool {
    figure.a != figure.b && !figure.within_error
}

fn gates(gates: &[GateResult]) -> Block {
    let mut sorted: Vec<&GateResult> = gates.iter().collect();
    sorted.sort_by_key(|gate| gate.passed);
    Block::list(sorted.into_iter().map(|gate| {
        let mark = if gate.passed { "✅ " } else { "❌ " };
        Spans::plain(mark)
            .and_value(Value::name(&gate.expression))
            .and_text(": ")
            .and_value(Value::quoted(&gate.detail))
    }))
}

/// What is folded.
fn details(comparison: &Comparison) -> Vec<Block> {
    let mut blocks = Vec::new();
    let interface = sections::interface(&comparison.interface).blocks;
    blocks.push(Block::fold("Interface", interface));
    match &comparison.graph {
        Some(graph) if !graph.is_empty() => {
            let mut inside = vec![Block::Paragraph(graph::counts(graph))];
            if graph.groups.len() > GROUPS {
                let rest = graph.groups.iter().skip(GROUPS);
                inside.push(Block::list(rest.map(|group| Value::quoted(&group.text).into())));
            }
            inside.extend(graph::nodes(graph));
            blocks.push(Block::fold("Graph", inside));
        }
        Some(graph) => {
            blocks.push(Block::fold("Graph", vec![Block::Paragraph(graph::counts(graph))]));
        }
        None => {}
    }
    if comparison.weights.is_some() {
        let inside = weights::section(comparison.weights.as_ref()).blocks;
        blocks.push(Block::fold("Weights", inside));
    }
    let table = sections::figure_table(comparison);
    blocks.push(Block::fold("All figures", vec![Block::Table(table)]));
    let findings = &comparison.findings;
    for (list, [one, many]) in [
        (&findings.new, ["new finding", "new findings"]),
        (&findings.resolved, ["resolved finding", "resolved findings"]),
    ] {
        if list.is_empty() {
            continue;
        }
        let items = list.iter().map(|finding| {
            Spans::toned(Tone::Strong, Value::text(finding.severity.id()))
                .and_text(" ")
                .and_value(Value::prose(&finding.title))
                .and_text(": ")
                .and_value(Value::quoted(&finding.detail))
        });
        let summary = units::counted(list.len() as u64, one, many);
        blocks.push(Block::fold(summary, vec![Block::list(items)]));
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_cannot_end_its_comment() {
        let text = marker(["a--><b>.onnx", "models/b.onnx"].into_iter());
        assert_eq!(text, "<!-- calipers compare a____b_.onnx models/b.onnx -->");
    }

    #[test]
    fn the_answer_comes_before_the_details() {
        let mut comparison = Comparison::default();
        comparison.a.label = "a.onnx".to_owned();
        comparison.b.label = "b.onnx".to_owned();
        comparison.verdict.compatibility = "Not a drop-in replacement: `x` is removed.".to_owned();
        comparison.verdict.trade = "Better: MACs −5.0%.".to_owned();
        comparison.figures.push(FigureChange {
            label: "MACs".to_owned(),
            a: Some(calipers_report::Quantity::Integer(100)),
            b: Some(calipers_report::Quantity::Integer(95)),
            ..FigureChange::default()
        });
        let text = markdown(&comparison, "1f");
        assert!(
            text.starts_with("<!-- calipers compare a.onnx b.onnx 1f -->\n### Calipers: "),
            "{text}"
        );
        let (answer, details) = text.split_once("<details>").unwrap();
        assert!(answer.contains("⚠️ Not a drop-in replacement: `x` is removed."), "{text}");
        assert!(details.contains("<summary>All figures</summary>"), "{text}");
    }
}
