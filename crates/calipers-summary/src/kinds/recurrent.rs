//! Recurrent networks.

use calipers_report::Report;

use super::super::Kind;
use super::super::wording::{of_family, some};
use super::{into_classes, is_kind, number, sequence};

pub(in super::super) const KIND: Kind = Kind {
    name: "recurrent network",
    is: |report| is_kind(report, "rnn"),
    noun: |report| {
        // The N of RNN is the network.
        let is_said = report.architecture.family.as_deref() == Some("rnn");
        let what = if is_said { "" } else { "recurrent network " };
        match report.task.kind.as_str() {
            "text-classification" => of_family(report, &format!("{what}that classifies texts")),
            "text-generation" => of_family(report, &format!("{what}that generates text")),
            _ => of_family(report, what.trim_end()),
        }
        .trim_end()
        .to_owned()
    },
    built,
    run: sequence,
};

fn built(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let mut sentences = Vec::new();
    if let Some(layers) = some(facts.layers, "recurrent layer", "recurrent layers") {
        let ways = if facts.bidirectional == Some(true) { ", read both ways" } else { "" };
        let width = facts
            .hidden
            .map_or(String::new(), |width| format!(" of hidden width {}", number(width)));
        sentences.push(format!("It has {layers}{width}{ways}."));
    }
    let classes = into_classes(report);
    let what = if report.task.kind.starts_with("text") { "texts" } else { "what it reads" };
    match (facts.vocab.map(number), classes.is_empty()) {
        (Some(words), true) => sentences.push(format!("It reads a vocabulary of {words}.")),
        (Some(words), false) => {
            sentences.push(format!("It reads a vocabulary of {words} and sorts {what}{classes}."));
        }
        (None, false) => sentences.push(format!("It sorts {what}{classes}.")),
        (None, true) => {}
    }
    sentences
}
