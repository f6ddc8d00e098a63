//! How the network is built: the card's section, with the evidence for it.

use calipers_report::Report;
use maud::{Markup, html};

use super::charts;
use super::parts::part;
use crate::html;
use crate::page::untrusted::Untrusted;
use crate::sections::SECTIONS;

/// The id of the card's section.
pub(super) const SECTION: &str = "architecture";

/// The section.
pub(super) fn architecture(report: &Report) -> Markup {
    let kind = SECTIONS.iter().find(|kind| kind.id == SECTION);
    let section = kind.map(|kind| kind.section(report)).unwrap_or_default();
    let evidence: Vec<&String> =
        report.architecture.evidence.iter().chain(&report.task.evidence).collect();
    part(
        SECTION,
        "Architecture",
        &html! {
            div.columns { (html::page_blocks(&section, &|name| charts::show(report, &[name]))) }
            @if !evidence.is_empty() {
                details {
                    summary { "Evidence" }
                    ul { @for line in evidence { li { (Untrusted(line)) } } }
                }
            }
        },
    )
}
