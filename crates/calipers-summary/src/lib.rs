//! The report in one paragraph, written by rules from the report alone.
//!
//! [`summarize`] needs no network and takes microseconds, so every report has a summary. The kind of
//! model decides how it is described: one file per kind under `kinds/`, and one line in `KINDS`. What
//! all kinds share is in `parts/`. Every figure is a field of the report. [`facts`] lists what a
//! language model may state, and [`check`] holds its reply to that list.
//!
//! ```
//! use calipers_report::{Parameters, Report};
//!
//! let parameters = Parameters { total: Some(25_557_032), ..Parameters::default() };
//! let summary = calipers_summary::summarize(&Report { parameters, ..Report::default() });
//! assert_eq!(summary.source, "built-in");
//! assert!(summary.text.contains("parameters"));
//! ```
#![forbid(unsafe_code)]

pub mod check;
pub mod facts;
mod kinds;
mod names;
mod parts;
mod redact;
mod wording;

use calipers_report::{Report, Summary};
pub use redact::redacted;

/// The reader of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Someone who will run the model.
    #[default]
    Engineer,
    /// Someone who decides whether it is run.
    Manager,
}

/// How one kind of model is described.
struct Kind {
    /// What it is called.
    name: &'static str,
    /// Whether a model is of this kind.
    matches: fn(&Report) -> bool,
    /// What the model is: `YOLOv8 object detector`.
    noun: fn(&Report) -> String,
    /// Its main figures, the most important first: `12 layers`, `hidden size 768`.
    figures: fn(&Report) -> Vec<String>,
    /// What a reader should know of this kind, one sentence each.
    notes: fn(&Report) -> Vec<String>,
    /// What one run processes: `one image`, `a sequence of 128 tokens`.
    run: fn(&Report) -> String,
}

/// Every kind, narrow ones before wide ones: the first that matches is taken.
const KINDS: &[&Kind] = &[
    &kinds::pipeline::KIND,
    &kinds::trees::KIND,
    &kinds::classical::KIND,
    &kinds::detector::KIND,
    &kinds::dual_encoder::KIND,
    &kinds::seq2seq::KIND,
    &kinds::generator::KIND,
    &kinds::audio::KIND,
    &kinds::encoder::KIND,
    &kinds::dense_prediction::KIND,
    &kinds::vision_transformer::KIND,
    &kinds::convolutional::KIND,
    &kinds::recurrent::KIND,
    &kinds::dense::KIND,
    &kinds::other::KIND,
];

/// The source of a built-in summary.
pub const BUILT_IN: &str = "built-in";

/// The built-in summary of a report, for an engineer.
pub fn summarize(report: &Report) -> Summary {
    summarize_for(report, Audience::Engineer)
}

/// The built-in summary of a report.
pub fn summarize_for(report: &Report, audience: Audience) -> Summary {
    let kind = kind_of(report);
    let noun = parts::quantization::noun(report, (kind.noun)(report));
    let text = match audience {
        Audience::Engineer => engineer(report, kind, &noun),
        Audience::Manager => manager(report, &noun),
    };
    let (title, source) = (parts::title::title(report, &noun), BUILT_IN.to_owned());
    Summary { title, text, source, ..Summary::default() }
}

/// The kind that a model is described as, such as `detector`.
pub fn described_as(report: &Report) -> &'static str {
    kind_of(report).name
}

fn kind_of(report: &Report) -> &'static Kind {
    KINDS.iter().find(|kind| (kind.matches)(report)).unwrap_or(&&kinds::other::KIND)
}

/// One paragraph: what it is, its size, what a run costs, where it fits, and what is wrong.
fn engineer(report: &Report, kind: &Kind, noun: &str) -> String {
    let mut sentences = vec![parts::title::opening(report, noun, &(kind.figures)(report))];
    sentences.extend((kind.notes)(report));
    sentences.extend(parts::quantization::sentence(report));
    sentences.extend(parts::size::sentence(report));
    sentences.extend(parts::cost::sentence(report, &(kind.run)(report)));
    sentences.extend(parts::cache::sentence(report));
    sentences.extend(parts::assumptions::sentence(report));
    sentences.extend(parts::devices::sentences(report));
    sentences.extend(parts::findings::sentences(report));
    sentences.join(" ")
}

/// One paragraph without the terms of the field.
fn manager(report: &Report, noun: &str) -> String {
    let mut sentences = vec![parts::title::opening(report, noun, &[])];
    sentences.extend(parts::size::in_short(report));
    sentences.extend(parts::devices::sentences(report));
    sentences.extend(parts::findings::sentences(report));
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_unique_and_the_last_matches_every_model() {
        let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
        assert_eq!(kind_of(&Report::default()).name, "other");
    }

    #[test]
    fn an_empty_report_has_a_summary_without_figures_that_it_lacks() {
        let summary = summarize(&Report::default());
        assert!(!summary.text.contains(|c: char| c.is_ascii_digit()), "{summary:?}");
        assert!(summary.text.contains("unknown"), "{}", summary.text);
        assert_eq!(summary.title, "Unrecognized architecture");
    }

    #[test]
    fn weights_without_a_graph_are_described_as_that() {
        let mut report = Report::default();
        report.model.graph_origin = calipers_report::GraphOrigin::Absent;
        let summary = summarize(&report);
        assert_eq!(summary.title, "Weights without a graph");
        assert!(summary.text.starts_with("The file stores weights, and no graph."));
        assert!(!summary.text.contains("recognized"), "{}", summary.text);
        report.architecture.variant = Some("MTCNN P-Net".to_owned());
        let summary = summarize(&report);
        assert_eq!(summary.title, "Weights of MTCNN P-Net");
        assert!(summary.text.contains("their shapes are those of MTCNN P-Net."));
    }
}
