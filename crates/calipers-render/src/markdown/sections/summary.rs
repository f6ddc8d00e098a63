//! The executive summary, where the report has one.

use calipers_report::Report;

use crate::markdown::escape::plain;
use crate::markdown::page::Page;

/// A summary: a line, paragraphs, and who wrote them.
struct Summary<'a> {
    title: &'a str,
    text: &'a str,
    source: &'a str,
}

/// The report's summary. The report has no place for one yet.
fn found(_: &Report) -> Option<Summary<'_>> {
    None
}

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(summary) = found(report) else { return };
    set(&summary, page);
}

fn set(summary: &Summary<'_>, page: &mut Page) {
    if !summary.title.trim().is_empty() {
        page.text(format!("**In short:** {}", plain(summary.title)));
    }
    for paragraph in summary.text.split("\n\n") {
        page.text(plain(paragraph));
    }
    if !summary.source.trim().is_empty() {
        page.text(format!("*Source: {}*", plain(summary.source)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_keeps_its_paragraphs_and_is_escaped() {
        let mut page = Page::default();
        let text = "One <b>.\n\nTwo.";
        set(&Summary { title: "It fits.", text, source: "built-in" }, &mut page);
        assert_eq!(
            page.finish(),
            "**In short:** It fits.\n\nOne \\<b>.\n\nTwo.\n\n*Source: built-in*\n"
        );
    }
}
