//! The executive summary, where the report has one.

use calipers_report::Report;

use crate::markdown::escape::plain;
use crate::markdown::page::Page;
use crate::origin;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(summary) = &report.summary else { return };
    page.text(format!("**In short:** {}", plain(&summary.title)));
    for paragraph in summary.text.split("\n\n").filter(|text| !text.trim().is_empty()) {
        page.text(plain(paragraph));
    }
    for words in origin::of(summary) {
        page.text(format!("*{}*", plain(&words)));
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::Summary;

    use super::*;

    #[test]
    fn a_summary_keeps_its_paragraphs_and_is_escaped() {
        let text = "One <b>.\n\nTwo.".to_owned();
        let notes = vec!["a <i>note</i>".to_owned()];
        let summary = Summary { title: "It fits.".to_owned(), text, notes, ..Summary::default() };
        let report = Report { summary: Some(summary), ..Report::default() };
        let mut page = Page::default();
        write(&report, &mut page);
        let page = page.finish();
        assert!(page.starts_with("**In short:** It fits.\n\nOne \\<b>.\n\nTwo.\n\n*"), "{page}");
        assert!(page.contains("*a \\<i>note\\</i>*"), "{page}");
    }
}
