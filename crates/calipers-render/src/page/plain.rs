//! A document as a page without scripts, and its sections for other pages.

use calipers_report::Generator;
use maud::{Markup, PreEscaped, html};

use super::untrusted::Untrusted;
use super::{STYLE, Shell};
use crate::chart::{Chart, Theme};
use crate::document::{Block, Document, Section};
use crate::html;

/// A chart for light pages and the same for dark ones.
pub(crate) type Both = [Chart; 2];

/// Draws a chart in both themes.
pub(crate) fn both(draw: impl Fn(Theme) -> Option<Chart>) -> Option<Both> {
    Some([draw(Theme::Light)?, draw(Theme::Dark)?])
}

/// The document as one page that opens from disk and makes no request.
pub(super) fn page(
    kind: &'static str,
    title: &str,
    document: &Document,
    charts: &[Both],
) -> String {
    let generator = Generator::default();
    let sections = || document.sections.iter().filter(|section| !section.is_empty());
    let body = html! {
        a.skip href="#main" { "Skip to the content" }
        header.top {
            h1.file { (html::sentence(&document.title)) }
            nav aria-label="Parts of the page" {
                @for section in sections() { a href={ "#" (section.id) } { (section.title) } }
            }
        }
        main #main {
            ul.about { @for fact in &document.facts { li { (html::sentence(fact)) } } }
            @for part in sections() { (section(part, charts)) }
        }
        footer {
            p.note { (Untrusted(&generator.name)) " " (Untrusted(&generator.version)) }
        }
    };
    let generator = &generator;
    Shell { kind, title, generator, style: STYLE, scripts: &[], data: None, body }.html()
}

/// A section of the document, with the charts that there are in their places.
pub(crate) fn section(section: &Section, charts: &[Both]) -> Markup {
    let is_drawn = |name: &str| charts.iter().any(|[chart, _]| chart.name == name);
    let blocks = section.blocks.iter().cloned().flat_map(|block| match block {
        Block::ChartOr { name, rest, .. } if is_drawn(name) => {
            [vec![Block::Chart(name)], rest].concat()
        }
        other => vec![other],
    });
    let section = Section { blocks: blocks.collect(), ..section.clone() };
    html! {
        section id=(section.id) {
            @if !section.title.is_empty() {
                h2 {
                    (section.title)
                    @if !section.note.is_empty() { " " small { (section.note) } }
                }
            }
            (html::page_blocks(&section, &|name| figure(charts, name)))
        }
    }
}

/// A chart in both themes; the style shows the one that fits.
fn figure(charts: &[Both], name: &str) -> Markup {
    let found = charts.iter().find(|[chart, _]| chart.name == name);
    html! {
        @if let Some([light, dark]) = found {
            figure.chart tabindex="0" {
                // Our own SVG, in which `chart::canvas` has escaped every text.
                div.in-light { (PreEscaped(&light.svg)) }
                // As above.
                div.in-dark { (PreEscaped(&dark.svg)) }
            }
        }
    }
}
