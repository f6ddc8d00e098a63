//! The sections of a report as a document, a file each, and the table of them.
//!
//! A section is built once, in full for the card and in brief for the [`screen`]; every format
//! writes it. One that has nothing to say is left out.

mod architecture;
mod cache;
mod complexity;
mod context;
mod device;
mod devices;
mod diagram;
mod file;
mod findings;
mod graph;
mod hardware;
mod hardware_screen;
mod memory;
mod metadata;
mod method;
mod operators;
mod overview;
mod parameters;
mod ports;
mod quantization;
mod requirements;
mod rules;
mod scaling;
mod screen;
mod short;
mod summary;
mod task;
mod top_nodes;
mod weights;
mod wording;

use calipers_report::Report;
use context::{Context, Detail};
pub use device::device;
pub use findings::findings;
pub use hardware_screen::hardware;
pub(crate) use hardware_screen::hardware_overview;
pub(crate) use rules::severity;
pub use rules::{rule, rules};
pub use screen::screen;
pub use short::short;
pub(crate) use wording::{model_name, precision};

use crate::document::{Block, Document, Section};
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
        section.blocks.extend(self.charts.iter().map(|name| Block::Chart(name)));
        section
    }
}

/// A line of the table.
const fn section(
    id: &'static str,
    title: &'static str,
    charts: &'static [&'static str],
    build: fn(&mut Context<'_>) -> Vec<Block>,
) -> SectionKind {
    SectionKind { id, title, charts, build }
}

/// Charts of the section on scaling.
const SCALING: [&str; 3] = ["batch-scaling", "sequence-scaling", "resolution-scaling"];

/// Every section, in the order of the card.
pub const SECTIONS: [SectionKind; 23] = [
    section("overview", "Overview", &["overview"], overview::build),
    section("metadata", "Metadata", &[], metadata::build),
    section("file", "File information", &[], file::build),
    section("summary", "Executive summary", &[], summary::build),
    section("architecture", "Architecture", &[], architecture::build),
    section("diagram", "Architecture diagram", &[], diagram::build),
    section("ports", "Inputs and outputs", &[], ports::build),
    section("graph", "Graph structure", &[], graph::build),
    section("operators", "Operators", &["operators"], operators::build),
    section("parameters", "Parameters", &["parameters"], parameters::build),
    section("complexity", "Complexity", &["flops", "depth"], complexity::build),
    section("memory", "Memory", &["memory"], memory::build),
    section("kv-cache", "KV cache", &[], cache::build),
    section("quantization", "Quantization", &[], quantization::build),
    section("task", "Task", &[], task::build),
    section("layers", "Most expensive layers", &[], top_nodes::build),
    section("weights", "Weights", &[], weights::build),
    section("hardware", "Hardware", &["roofline"], hardware::build),
    section("scaling", "Scaling", &SCALING, scaling::build),
    section("devices", "Devices compared", &["devices"], devices::build),
    section("requirements", "System requirements", &[], requirements::build),
    section("findings", "Findings", &[], findings::build),
    section("method", "How the figures were made", &[], method::build),
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

/// The card of a model: its title, and the chosen sections that have something to say.
pub fn card(report: &Report, options: &CardOptions) -> Document {
    let mut title = Spans::from(Value::Prose(model_name(report)));
    if let Some(precision) = precision(report) {
        title = title.and_text(" (").and_value(Value::Prose(precision)).and_text(")");
    }
    // A choice of sections is for another document, which has its own head.
    let byline = options.sections.is_empty().then(|| byline(report, options));
    let is_chosen = |kind: &&SectionKind| {
        options.sections.is_empty() || options.sections.iter().any(|id| id == kind.id)
    };
    let sections = SECTIONS.iter().filter(is_chosen).map(|kind| kind.section(report));
    let sections = sections.filter(|section| !section.is_empty()).collect();
    Document { title, facts: vec![], byline, sections }
}

fn byline(report: &Report, options: &CardOptions) -> Spans {
    let mut words =
        Spans::plain("Written by Calipers ").and_value(Value::prose(&report.generator.version));
    if let Some(date) = &options.date {
        words = words.and_text(" on ").and_value(Value::prose(date));
    }
    Spans::of(Tone::Emphasis, words.and_text(".").into())
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
        let sections = vec!["graph".to_owned(), "overview".to_owned()];
        let options = CardOptions { sections, ..CardOptions::default() };
        let card = card(&report, &options);
        let ids: Vec<&str> = card.sections.iter().map(|section| section.id.as_str()).collect();
        assert_eq!(ids, ["overview", "graph"]);
    }
}
