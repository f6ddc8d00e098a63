//! The sections of a card, a file each, and the table of them.

mod architecture;
mod cache;
mod complexity;
mod dearest;
mod devices;
mod diagram;
mod file;
mod findings;
mod graph;
mod hardware;
mod memory;
mod metadata;
mod method;
mod operators;
mod overview;
mod parameters;
mod ports;
mod quantization;
mod requirements;
mod scaling;
mod summary;
mod task;
mod weights;

use calipers_report::Report;

use super::page::Page;

/// A section of the card.
#[derive(Clone, Copy)]
pub struct Section {
    /// What `--sections` calls it.
    pub id: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// Pictures that stand at its end, by name.
    pub pictures: &'static [&'static str],
    /// Writes it; nothing where it does not apply.
    pub(super) write: fn(&Report, &mut Page),
}

/// A line of the table.
const fn section(
    id: &'static str,
    title: &'static str,
    pictures: &'static [&'static str],
    write: fn(&Report, &mut Page),
) -> Section {
    Section { id, title, pictures, write }
}

/// Pictures of the section on scaling.
const SCALING: [&str; 3] = ["batch-scaling", "sequence-scaling", "resolution-scaling"];

/// Every section, in the order of the card.
pub const SECTIONS: [Section; 23] = [
    section("overview", "Overview", &["overview"], overview::write),
    section("metadata", "Metadata", &[], metadata::write),
    section("file", "File information", &[], file::write),
    section("summary", "Executive summary", &[], summary::write),
    section("architecture", "Architecture", &[], architecture::write),
    section("diagram", "Architecture diagram", &[], diagram::write),
    section("ports", "Inputs and outputs", &[], ports::write),
    section("graph", "Graph structure", &[], graph::write),
    section("operators", "Operators", &["operators"], operators::write),
    section("parameters", "Parameters", &["parameters"], parameters::write),
    section("complexity", "Complexity", &["flops", "depth"], complexity::write),
    section("memory", "Memory", &["memory"], memory::write),
    section("kv-cache", "KV cache", &[], cache::write),
    section("quantization", "Quantisation", &[], quantization::write),
    section("task", "Task", &[], task::write),
    section("layers", "Dearest layers", &[], dearest::write),
    section("weights", "Weights", &[], weights::write),
    section("hardware", "Hardware", &["roofline"], hardware::write),
    section("scaling", "Scaling", &SCALING, scaling::write),
    section("devices", "Devices compared", &["devices"], devices::write),
    section("requirements", "System requirements", &[], requirements::write),
    section("findings", "Findings", &[], findings::write),
    section("method", "How the figures were made", &[], method::write),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_titles_stand_once() {
        for (i, section) in SECTIONS.iter().enumerate() {
            let twice = |other: &Section| other.id == section.id || other.title == section.title;
            assert!(!SECTIONS[i + 1..].iter().any(twice), "{} stands twice", section.id);
            assert!(section.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
        }
    }
}
