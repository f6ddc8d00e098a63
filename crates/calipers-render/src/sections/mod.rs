//! The sections of a report as a document, a file each, and the table of them.
//!
//! A section is built once, in full for the card and in brief for the [`screen`]; every format
//! writes it. One that has nothing to say is left out.

mod architecture;
mod benchmark;
mod cache;
mod complexity;
mod context;
mod device;
mod devices;
mod diagram;
mod file;
mod findings;
mod glossary;
mod graph;
mod hardware;
mod hardware_screen;
mod how_to_use;
mod intended_use;
mod key_figures;
mod limitations;
mod memory;
mod metadata;
mod method;
mod operators;
mod parameters;
mod ports;
mod quantization;
mod requirements;
mod rules;
mod run_result;
mod scaling;
mod screen;
mod short;
mod summary;
mod task;
mod top_nodes;
mod verification;
mod weights;
mod wording;

pub use benchmark::benchmark;
use calipers_report::Report;
use context::{Context, Detail};
pub use device::device;
pub use findings::findings;
pub use hardware_screen::hardware;
pub(crate) use hardware_screen::hardware_overview;
pub(crate) use rules::severity;
pub use rules::{rule, rules};
pub use run_result::run_result;
pub use screen::screen;
pub use short::{notebook, short};
pub use verification::verification;
pub(crate) use wording::{model_name, precision};

use crate::document::{Block, Document, Entry, Section};
use crate::table::{Tone, Value};
use crate::value::Spans;

/// A kind of section.
#[derive(Clone, Copy)]
pub struct SectionKind {
    /// What `--sections` calls it.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Charts at its end, by name.
    pub charts: &'static [&'static str],
    /// Whether a card folds it away among the details.
    pub is_detail: bool,
    /// Builds it; no block where it does not apply.
    build: fn(&mut Context<'_>) -> Vec<Block>,
}

impl SectionKind {
    /// The section of a report; empty where it does not apply.
    pub fn section(&self, report: &Report) -> Section {
        let mut section = Section::new(
            self.id,
            self.title,
            (self.build)(&mut Context::new(report, Detail::Full)),
        );
        let charts = self.charts.iter().filter(|name| !repeats_a_list(name, report));
        section.blocks.extend(charts.map(|name| Block::Chart(name)));
        section
    }
}

/// Whether a chart over the nodes has so few that the lists of layers and tensors show them all.
fn repeats_a_list(chart: &str, report: &Report) -> bool {
    const FEW: u64 = 16;
    matches!(chart, "depth" | "memory") && report.graph.nodes < FEW
}

/// A section that readers see at once.
const fn shown(
    id: &'static str,
    title: &'static str,
    charts: &'static [&'static str],
    build: fn(&mut Context<'_>) -> Vec<Block>,
) -> SectionKind {
    SectionKind { id, title, charts, is_detail: false, build }
}

/// A section that is folded away.
const fn detail(
    id: &'static str,
    title: &'static str,
    charts: &'static [&'static str],
    build: fn(&mut Context<'_>) -> Vec<Block>,
) -> SectionKind {
    SectionKind { id, title, charts, is_detail: true, build }
}

/// Charts of the section on scaling.
const SCALING: [&str; 3] = ["batch-scaling", "sequence-scaling", "resolution-scaling"];

/// The section that a card begins with, without a heading.
const OPENING: &str = "summary";

/// Every section, in the order of the card.
pub const SECTIONS: [SectionKind; 22] = [
    shown(OPENING, "Summary", &[], summary::build),
    shown("key-figures", "Key figures", &["overview"], key_figures::build),
    shown("findings", "Findings", &[], findings::build),
    shown("ports", "Inputs and outputs", &[], ports::build),
    shown("how-to-use", "How to use", &[], how_to_use::build),
    shown("diagram", "Architecture diagram", &[], diagram::build),
    shown("requirements", "System requirements", &[], requirements::build),
    shown("hardware", "Hardware", &["roofline"], hardware::build),
    shown("devices", "Devices compared", &[], devices::build),
    shown("intended-use", "Intended use", &[], intended_use::build),
    shown("limitations", "Limitations", &[], limitations::build),
    detail("architecture", "Architecture", &[], architecture::build),
    detail("graph", "Graph and operators", &[], graph::build),
    detail("parameters", "Parameters", &[], parameters::build),
    detail("complexity", "Complexity", &["depth"], complexity::build),
    detail("memory", "Memory", &["memory"], memory::build),
    detail("kv-cache", "KV cache", &[], cache::build),
    detail("quantization", "Quantization", &[], quantization::build),
    detail("weights", "Weights", &[], weights::build),
    detail("scaling", "Scaling", &SCALING, scaling::build),
    detail("file", "File and metadata", &[], file::build),
    detail("method", "How the figures were computed", &[], glossary::build),
];

/// What a card is to hold in addition to the report.
#[derive(Clone, Debug, Default)]
pub struct CardOptions {
    /// Whether to begin with the metadata that model hubs read.
    pub front_matter: bool,
    /// The day to state; none is stated without it.
    pub date: Option<String>,
    /// Ids of the sections to write, see [`SECTIONS`]; all of them where it is empty. They keep the
    /// order of the card.
    pub sections: Vec<String>,
    /// Charts in files next to the card.
    pub charts: Vec<ChartLink>,
}

/// A chart in files next to the card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartLink {
    /// Which chart it is, as the sections know it.
    pub name: String,
    /// What it shows, in a sentence.
    pub alt: String,
    /// Its address relative to the card, with forward slashes: for a light page.
    pub light: String,
    /// The same for a dark page.
    pub dark: String,
}

/// The chosen sections of a report that have something to say, in the order of the card.
pub(crate) fn chosen(report: &Report, options: &CardOptions) -> Vec<(SectionKind, Section)> {
    let is_chosen = |kind: &&SectionKind| {
        options.sections.is_empty() || options.sections.iter().any(|id| id == kind.id)
    };
    let sections = SECTIONS.iter().filter(is_chosen).map(|kind| (*kind, kind.section(report)));
    sections.filter(|(_, section)| !section.is_empty()).collect()
}

/// The card of a model: its title, and the chosen sections that have something to say. A whole card
/// has a table of contents, and its details are folded.
pub fn card(report: &Report, options: &CardOptions) -> Document {
    let mut title = Spans::from(Value::Prose(model_name(report)));
    if let Some(precision) = precision(report) {
        title = title.and_text(" (").and_value(Value::Prose(precision)).and_text(")");
    }
    let sections = chosen(report, options);
    // A choice of sections is for another document, which has its own head.
    if !options.sections.is_empty() {
        let sections = sections.into_iter().map(|(_, section)| section).collect();
        return Document { title, facts: vec![], byline: None, sections };
    }
    let byline = Some(byline(report, options));
    Document { title, facts: vec![], byline, sections: whole(sections) }
}

/// All sections as a card has them.
fn whole(sections: Vec<(SectionKind, Section)>) -> Vec<Section> {
    let (details, mut shown): (Vec<_>, Vec<_>) =
        sections.into_iter().partition(|(kind, _)| kind.is_detail);
    let folds = details.into_iter().map(|(kind, section)| Block::fold(kind.title, section.blocks));
    let details = Section::new("details", "Details", folds.collect());
    let opening = match shown.first() {
        Some((kind, _)) if kind.id == OPENING => {
            let (_, section) = shown.remove(0);
            Some(Section { title: String::new(), ..section })
        }
        _ => None,
    };
    let rest = shown.into_iter().map(|(_, section)| section).chain([details]);
    let rest: Vec<Section> = rest.filter(|section| !section.is_empty()).collect();
    let entry = |section: &Section| Entry { id: section.id.clone(), title: section.title.clone() };
    let entries = rest.iter().map(entry).collect();
    let contents = Section::new("contents", "", vec![Block::Contents(entries)]);
    opening.into_iter().chain([contents]).chain(rest).collect()
}

fn byline(report: &Report, options: &CardOptions) -> Spans {
    let mut words =
        Spans::plain("Generated by Calipers ").and_value(Value::prose(&report.generator.version));
    if let Some(date) = &options.date {
        words = words.and_text(" on ").and_value(Value::prose(date));
    }
    Spans::toned(Tone::Emphasis, words.and_text(".").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_titles_occur_once() {
        for (i, section) in SECTIONS.iter().enumerate() {
            let is_same =
                |other: &SectionKind| other.id == section.id || other.title == section.title;
            assert!(!SECTIONS[i + 1..].iter().any(is_same), "{} occurs twice", section.id);
            assert!(section.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }
    }

    #[test]
    fn a_choice_keeps_the_order_of_the_card() {
        let mut report = Report::default();
        report.graph.nodes = 3;
        let sections = vec!["graph".to_owned(), "ports".to_owned()];
        report.graph.inputs.push(calipers_report::Port::default());
        let options = CardOptions { sections, ..CardOptions::default() };
        let card = card(&report, &options);
        let ids: Vec<&str> = card.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["ports", "graph"]);
    }
}
