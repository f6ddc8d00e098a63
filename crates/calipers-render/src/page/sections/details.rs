//! The sections of the card, folded: the page has everything that the card has.
//!
//! Some hold at every size and on every device. The others are written for one choice of them: a script
//! hides these as soon as the reader chooses another, so that no figure contradicts the controls.

use calipers_report::{GraphView, Report};
use maud::{Markup, html};

use super::parts::part;
use super::{architecture, charts};
use crate::document::Section;
use crate::page::untrusted::Untrusted;
use crate::sections::{SECTIONS, SectionKind};
use crate::{html, units};

/// Sections of the card that the page has in parts of its own.
const SHOWN: &[&str] =
    &["summary", "key-figures", "diagram", architecture::SECTION, "ports", "findings"];

/// Sections whose figures depend neither on sizes nor on the device or the precision.
const CONSTANT: &[&str] = &[
    "how-to-use",
    "intended-use",
    "limitations",
    "file",
    "graph",
    "parameters",
    "quantization",
    "weights",
];

/// The part.
pub(super) fn details(report: &Report, view: &GraphView) -> Markup {
    let all = SECTIONS.iter().filter(|kind| !SHOWN.contains(&kind.id));
    let (constant, following): (Vec<&SectionKind>, Vec<&SectionKind>) =
        all.partition(|kind| CONSTANT.contains(&kind.id));
    let draw = |kinds: &[&SectionKind]| -> Vec<Markup> {
        let sections = kinds.iter().map(|kind| kind.section(report));
        sections.filter(|section| !section.is_empty()).map(|it| fold(report, &it)).collect()
    };
    let (constant, following) = (draw(&constant), draw(&following));
    part(
        "details",
        "Details",
        &html! {
            @for section in &constant { (section) }
            @if !following.is_empty() {
                h3 { "For " (conditions(report, view)) }
                (at_report(&html! { @for section in &following { (section) } }))
            }
        },
    )
}

fn fold(report: &Report, section: &Section) -> Markup {
    html! {
        details.section #{ "card-" (section.id) } {
            summary { (section.title) }
            (html::page_blocks(section, &|name| charts::show(report, &[name])))
        }
    }
}

/// Contents that a script hides while the controls differ from the report.
pub(super) fn at_report(contents: &Markup) -> Markup {
    html! {
        div.at-report { (contents) }
        p.note.elsewhere hidden {
            "Not shown for the chosen device and sizes. "
            button.reset type="button" { "Reset the controls" }
        }
    }
}

/// The choices that the report was written for: `batch 1, sequence 128, fp32, no device`.
pub(super) fn conditions(report: &Report, view: &GraphView) -> Markup {
    let controls = &view.sizes.size_controls;
    let hardware = report.hardware.as_ref();
    let device = hardware.and_then(|hardware| hardware.device.as_ref());
    let batch = hardware.filter(|_| controls.is_empty()).map(|hardware| hardware.batch);
    html! {
        @if let Some(batch) = batch { "batch " (units::integer(batch)) ", " }
        @for control in controls {
            (Untrusted(&control.name)) " " (units::integer(control.size)) ", "
        }
        @if let Some(hardware) = hardware { (hardware.precision.display_name()) ", " }
        @match device {
            Some(device) => (Untrusted(&device.name)),
            None => "no device",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_is_that_of_a_section() {
        for id in SHOWN.iter().chain(CONSTANT) {
            assert!(SECTIONS.iter().any(|kind| kind.id == *id), "the card has no section {id}");
        }
    }
}
