//! Recurrent networks.

use calipers_report::Report;

use super::super::Kind;
use super::super::wording::{of_family, some};
use super::{into_classes, is_kind, number, sequence};

pub(in super::super) const KIND: Kind = Kind {
    name: "recurrent network",
    is: |report| is_kind(report, "rnn"),
    noun: |report| match report.task.kind.as_str() {
        "text-classification" => of_family(report, "network that classifies texts"),
        "text-generation" => of_family(report, "network that generates text"),
        _ => of_family(report, "recurrent network"),
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
    if let Some(words) = facts.vocab {
        sentences.push(format!("It reads a vocabulary of {}.", number(words)));
    }
    let classes = into_classes(report);
    if !classes.is_empty() {
        sentences.push(format!("Its output sorts{classes}."));
    }
    sentences
}
