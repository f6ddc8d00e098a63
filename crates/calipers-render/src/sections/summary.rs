//! The executive summary, where the report has one.

use super::context::{Context, Detail};
use crate::document::Block;
use crate::origin;
use crate::table::{Tone, Value};
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(summary) = &report.summary else { return vec![] };
    let title = Value::prose(&summary.title);
    let title = match context.detail {
        Detail::Brief => Spans::of(Tone::Strong, title),
        Detail::Full => {
            Spans::of(Tone::Strong, Value::text("In short:")).and_text(" ").and_value(title)
        }
    };
    let mut blocks = vec![Block::Paragraph(title)];
    let paragraphs = summary.text.split("\n\n").filter(|text| !text.trim().is_empty());
    blocks.extend(paragraphs.map(|text| Block::Paragraph(Value::prose(text).into())));
    let notes = origin::of(summary).into_iter();
    blocks.extend(notes.map(|note| Block::Note(Spans::of(Tone::Emphasis, Value::Prose(note)))));
    blocks
}

#[cfg(test)]
mod tests {
    use calipers_report::{Report, Summary};

    use super::*;
    use crate::document::Section;
    use crate::markdown;

    #[test]
    fn a_summary_keeps_its_paragraphs_and_is_escaped() {
        let text = "One <b>.\n\nTwo.".to_owned();
        let notes = vec!["a <i>note</i>".to_owned()];
        let summary = Summary { title: "It fits.".to_owned(), text, notes, ..Summary::default() };
        let report = Report { summary: Some(summary), ..Report::default() };
        let page = markdown::section(
            &Section::new("summary", "Summary", build(&mut Context::new(&report, Detail::Full))),
            &[],
        );
        let wanted = "## Summary\n\n**In short:** It fits.\n\nOne \\<b>.\n\nTwo.\n\n*";
        assert!(page.starts_with(wanted), "{page}");
        assert!(page.contains("*a \\<i>note\\</i>*"), "{page}");
    }
}
