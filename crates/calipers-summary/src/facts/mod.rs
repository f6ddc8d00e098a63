//! The facts that a summary may state: each a complete phrase that Calipers writes, with its role in
//! a sentence.
//!
//! A fact says itself what it is about, so that no sentence can attach its figure to another noun,
//! part or device: `a hidden size of 384`, `0.33 ms per run on the NVIDIA H200`. A language model
//! refers to facts by their ids (`f3`); [`check`](crate::check) fills them in.
//!
//! ```
//! use calipers_summary::{Audience, facts};
//!
//! let mut report = calipers_report::Report::default();
//! report.parameters.total = Some(22_565_376);
//! let facts = facts::listed(&report, Audience::Engineer);
//! assert!(facts.iter().any(|fact| fact.text == "22.6 million parameters"));
//! ```

mod findings;
mod graph;
mod hardware;
mod network;
mod size;

use calipers_report::Report;
use calipers_report::units;

use super::Audience;

/// The role of a fact in a sentence: which verbs it can be the object of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// What the model is: `a BERT encoder`.
    Identity,
    /// Something that it has: `22.6 million parameters`, `6 layers`.
    Property,
    /// What it takes: `3 inputs (int64, int64, and int64)`.
    Input,
    /// What it returns: `1 output (float32)`.
    Output,
    /// What a run needs: `1.43 GMACs (2.87 GFLOPs) for one image`.
    Cost,
    /// How long a run takes, and where: `0.33 ms per run on the NVIDIA H200`.
    Time,
    /// How much it processes, and where: `515 samples per second on the NVIDIA H200`.
    Rate,
    /// Where it fits: `7 of the 8 devices compared`.
    Fit,
    /// What the checks found: `1 error and 2 warnings`.
    Finding,
    /// A sentence of its own, without the period: `Figures assume batch = 1`.
    Statement,
}

/// One fact of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Its role in a sentence.
    pub role: Role,
    /// The phrase, as it is in the summary.
    pub text: String,
    /// The phrase, as a prompt lists it: without the model's own names, so that what their author
    /// wrote cannot reach a language model.
    pub prompt: String,
    /// Whether only an engineer needs it.
    pub is_detail: bool,
    /// Whether a summary without it would mislead: errors, warnings, and a device that it does not
    /// fit.
    pub is_required: bool,
}

impl Fact {
    fn new(role: Role, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { role, prompt: text.clone(), text, is_detail: false, is_required: false }
    }

    /// The fact as one that only an engineer needs.
    fn detail(self) -> Self {
        Self { is_detail: true, ..self }
    }

    /// The fact as one that no summary leaves out, if the condition holds.
    fn required_if(self, is_required: bool) -> Self {
        Self { is_required, ..self }
    }

    /// The fact with another phrase in prompts.
    fn listed_as(self, prompt: impl Into<String>) -> Self {
        Self { prompt: prompt.into(), ..self }
    }
}

/// Facts that a summary can choose from: more than a reader wants, and few enough for a prompt that
/// a small language model can read.
const MAX_LISTED: usize = 40;

/// The facts that a summary for this reader may state, the most important first. The fact with the
/// id `f1` is the first.
pub fn listed(report: &Report, audience: Audience) -> Vec<Fact> {
    let all = from_report(report).into_iter();
    let is_wanted = |fact: &Fact| audience == Audience::Engineer || !fact.is_detail;
    all.filter(is_wanted).take(MAX_LISTED).collect()
}

/// Every fact of the report that a summary may state, the most important first.
pub fn from_report(report: &Report) -> Vec<Fact> {
    let mut facts = Vec::new();
    facts.extend(network::identity(report));
    facts.extend(size::parameters(report));
    facts.extend(size::cost(report));
    facts.extend(hardware::device(report));
    facts.push(findings::counts(report));
    facts.extend(graph::ports(report));
    facts.extend(network::figures(report));
    facts.extend(size::cache(report));
    facts.extend(network::quantization(report));
    facts.extend(hardware::compared(report));
    facts.extend(findings::titles(report));
    facts.extend(size::assumptions(report));
    facts.extend(size::details(report));
    facts.extend(graph::counts(report));
    facts.extend(network::details(report));
    // Two fields of the report may say the same.
    let mut unique: Vec<Fact> = Vec::with_capacity(facts.len());
    for fact in facts {
        if !unique.iter().any(|other| other.text == fact.text) {
            unique.push(fact);
        }
    }
    unique
}

/// How many of a thing there are, for counts above 0: `1 layer`, `12 layers`.
fn counted(value: Option<u64>, one: &str, many: &str) -> Option<String> {
    value.filter(|value| *value > 0).map(|value| units::counted(value, one, many))
}

/// The same for a count that the report holds as a signed number.
fn counted_signed(value: Option<i64>, one: &str, many: &str) -> Option<String> {
    counted(value.and_then(|value| u64::try_from(value).ok()), one, many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_report_has_facts_without_figures() {
        let facts = from_report(&Report::default());
        assert!(facts.iter().any(|fact| fact.text == "The parameter count is unknown"));
        for fact in &facts {
            assert!(!fact.text.contains(|c: char| c.is_ascii_digit()), "{fact:?}");
        }
    }

    #[test]
    fn a_manager_reads_no_details() {
        let mut report = Report::default();
        report.graph.nodes = 421;
        let texts = |audience| {
            let facts = listed(&report, audience).into_iter();
            facts.map(|fact| fact.text).collect::<Vec<_>>()
        };
        assert!(texts(Audience::Engineer).contains(&"421 nodes".to_owned()));
        assert!(!texts(Audience::Manager).contains(&"421 nodes".to_owned()));
    }
}
