//! The report in a few sentences, beneath its title.
//!
//! ```text
//!   Summary      BERT encoder that embeds texts: 22.6 million parameters, 2.87 GFLOPs a run
//!
//!                This is a BERT encoder that embeds texts. It stacks 6 post-norm layers …
//! ```

use calipers_report::Report;

use super::page::{Line, Page, Role};
use crate::{origin, text};

/// The title, the paragraphs, and who wrote them where that was a language model.
pub(super) fn prose(report: &Report, page: &mut Page) {
    let Some(summary) = &report.summary else { return };
    let mut lines = Vec::new();
    let paragraphs = summary.text.split("\n\n");
    let pieces = std::iter::once((Role::Strong, summary.title.as_str()))
        .chain(paragraphs.map(|paragraph| (Role::Plain, paragraph)));
    for (role, words) in pieces {
        let words = text::prose(words, page.charset);
        if words.is_empty() {
            continue;
        }
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(Line::of(role, words).wrap(page.body()));
    }
    for note in origin::of(summary) {
        let note = text::prose(&note, page.charset);
        lines.extend(Line::of(Role::Quiet, note).wrap(page.body()));
    }
    page.section("Summary", "", lines);
}
