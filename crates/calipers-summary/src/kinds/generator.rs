//! Generates text, token by token.

use calipers_report::units;
use calipers_report::{Report, Style, TaskKind};

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, is_style, number, sequence};

pub(in super::super) const KIND: Kind = Kind {
    name: "generator",
    is: |report| report.task.kind == TaskKind::TextGeneration || is_style(report, Style::Decoder),
    noun: |report| match report.task.kind == TaskKind::TextGeneration {
        true => of_family(report, "decoder that generates text"),
        false => of_family(report, "decoder"),
    },
    built,
    run,
};

fn built(report: &Report) -> Vec<String> {
    let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
    if let Some(words) = report.architecture.facts.vocab {
        let words = number(words);
        sentences.push(match report.task.kind == TaskKind::TextGeneration {
            true => format!("It scores the next token out of a vocabulary of {words}."),
            false => format!("It reads tokens out of a vocabulary of {words}."),
        });
    }
    if report.memory.kv_cache.is_none() && report.task.kind == TaskKind::TextGeneration {
        sentences.push(
            "It keeps no keys and values, so each new token costs the whole sequence again."
                .to_owned(),
        );
    }
    sentences
}

/// With a cache, a run is a step.
fn run(report: &Report) -> String {
    match report.memory.kv_cache.as_ref().and_then(|cache| cache.context) {
        Some(context) => {
            format!("one step of generation at a context of {} tokens", units::integer(context))
        }
        None => sequence(report),
    }
}
