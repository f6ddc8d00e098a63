//! What the model is, in a paragraph.

use calipers_report::{Report, Summary};

use super::context::Context;
use crate::document::Block;
use crate::origin;
use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(summary) = &report.summary else {
        return match context.is_brief() {
            true => vec![],
            false => vec![Block::Paragraph(described(report))],
        };
    };
    let mut blocks = match context.is_brief() {
        true => {
            let title = Spans::toned(Tone::Strong, Value::prose(&summary.title));
            std::iter::once(Block::Paragraph(title)).chain(paragraphs(summary)).collect()
        }
        // What our own text goes on to say is in the sections that follow.
        false if summary.check.is_none() => paragraphs(summary).take(1).collect::<Vec<_>>(),
        false => paragraphs(summary).collect(),
    };
    let notes = origin::notes(summary).into_iter();
    blocks.extend(notes.map(|note| Block::Note(Spans::toned(Tone::Emphasis, Value::Prose(note)))));
    blocks
}

fn paragraphs(summary: &Summary) -> impl Iterator<Item = Block> {
    let paragraphs = summary.text.split("\n\n").filter(|text| !text.trim().is_empty());
    paragraphs.map(|text| Block::Paragraph(Value::prose(text).into()))
}

/// A sentence about a model whose report has no summary.
fn described(report: &Report) -> Spans {
    let words = &report.architecture.words;
    if words.trim().is_empty() && report.graph.nodes > 0 {
        let nodes = units::counted(report.graph.nodes, "node", "nodes");
        return format!("The architecture of this graph of {nodes} was not recognized.").into();
    }
    Value::prose(words).into()
}

#[cfg(test)]
mod tests {
    use calipers_report::SummaryCheck;

    use super::super::context::Detail;
    use super::*;
    use crate::document::Section;
    use crate::markdown;

    fn page(summary: Option<Summary>) -> String {
        let mut report = Report { summary, ..Report::default() };
        report.graph.nodes = 3;
        let blocks = build(&mut Context::new(&report, Detail::Full));
        markdown::section(&Section::new("summary", "Summary", blocks), &[])
    }

    #[test]
    fn a_summary_is_one_paragraph_of_ours_and_all_of_anothers() {
        let text = "One <b>.\n\nTwo.".to_owned();
        let notes = vec!["a <i>note</i>".to_owned()];
        let mut summary = Summary { text, notes, ..Summary::default() };
        let ours = page(Some(summary.clone()));
        assert!(ours.starts_with("## Summary\n\nOne \\<b>.\n\n*a \\<i>note\\</i>*"), "{ours}");
        summary.check = Some(SummaryCheck::default());
        let theirs = page(Some(summary));
        assert!(theirs.starts_with("## Summary\n\nOne \\<b>.\n\nTwo.\n\n*"), "{theirs}");
        assert!(
            page(None).contains("The architecture of this graph of 3 nodes was not recognized.")
        );
    }
}
