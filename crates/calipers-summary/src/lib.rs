//! The report in a few sentences, written by rules from the report alone.
//!
//! [`summarize`] needs no network and takes microseconds, so every report has one. What kind of model
//! it is decides how it is reported: one file to a kind under `kinds/`, and one line in `KINDS`. What
//! all kinds have in common is in `parts/`. Every figure is a field of the report; [`check`]
//! looks them up, in this text and in a language model's.
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
pub use names::plain;
pub use redact::{NotRedacted, Redactor};

/// Whether an operator is one that Calipers knows by name.
pub(crate) fn is_known_operator(op: &str) -> bool {
    names::operator(op).is_some()
}

/// Whom a summary is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Audience {
    /// Who will run the model.
    #[default]
    Engineer,
    /// Who decides whether it is run.
    Manager,
}

/// How one kind of model is reported.
struct Kind {
    /// What it is called.
    name: &'static str,
    /// Whether a model is of this kind.
    is: fn(&Report) -> bool,
    /// What the model is, without a subcommand: `YOLOv8 object detector`.
    noun: fn(&Report) -> String,
    /// How it is built, a sentence each.
    built: fn(&Report) -> Vec<String>,
    /// What one run of it is: `one image`, `a sequence of 128 tokens`.
    run: fn(&Report) -> String,
}

/// Every kind. The first that fits is taken, so that narrow ones are before wide ones.
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

/// What the built-in writer calls itself.
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
        Audience::Manager => manager(report, kind, &noun),
    };
    let (title, source) = (parts::title::title(report, &noun), BUILT_IN.to_owned());
    Summary { title, text, source, ..Summary::default() }
}

/// The kind of model that a report is reported as, such as `detector`.
pub fn reported_as(report: &Report) -> &'static str {
    kind_of(report).name
}

fn kind_of(report: &Report) -> &'static Kind {
    KINDS.iter().find(|kind| (kind.is)(report)).unwrap_or(&&kinds::other::KIND)
}

/// What it is and holds; then what a run costs, where it fits, and what to look at.
fn engineer(report: &Report, kind: &Kind, noun: &str) -> String {
    let mut is = vec![parts::title::opening(report, noun)];
    is.extend((kind.built)(report));
    is.extend(parts::quantization::reported(report));
    is.extend(parts::size::reported(report));
    is.extend(parts::ports::reported(report));
    let mut runs = parts::cost::reported(report, &(kind.run)(report));
    runs.extend(parts::cache::reported(report));
    runs.extend(parts::assumptions::reported(report));
    runs.extend(parts::place::reported(report));
    runs.extend(parts::findings::reported(report));
    format!("{}\n\n{}", is.join(" "), runs.join(" "))
}

/// One paragraph without the insides.
fn manager(report: &Report, kind: &Kind, noun: &str) -> String {
    let mut sentences = vec![parts::title::opening(report, noun)];
    sentences.extend(parts::size::in_short(report));
    sentences.extend(parts::cost::in_short(report, &(kind.run)(report)));
    sentences.extend(parts::place::reported(report));
    sentences.extend(parts::findings::reported(report));
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_once_and_the_last_takes_all() {
        let mut names: Vec<_> = KINDS.iter().map(|kind| kind.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), KINDS.len());
        assert_eq!(kind_of(&Report::default()).name, "other");
    }

    #[test]
    fn an_empty_report_has_a_summary_without_figures_that_it_lacks() {
        let summary = summarize(&Report::default());
        assert!(
            check::Checker::new(&Report::default()).check(&summary.text).is_clean(),
            "{summary:?}"
        );
        assert!(summary.text.contains("not known"), "{}", summary.text);
    }
}
