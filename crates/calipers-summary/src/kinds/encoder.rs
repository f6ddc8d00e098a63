//! Reads text at once: embeddings, answers, labels.

use calipers_report::Report;

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, into_classes, is_kind, is_style, number, sequence};

/// Tasks as the noun names them.
const NOUNS: &[(&str, &str)] = &[
    ("fill-mask", "encoder that fills in masked words"),
    ("question-answering", "encoder that answers questions by marking a span"),
    ("text-classification", "encoder that classifies texts"),
    ("text-embedding", "encoder that embeds texts"),
    ("text-regression", "encoder that scores texts"),
    ("token-classification", "encoder that labels tokens"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "encoder",
    is: |report| is_style(report, "encoder") || (is_kind(report, "transformer") && is_text(report)),
    noun,
    built,
    run: sequence,
};

fn is_text(report: &Report) -> bool {
    NOUNS.iter().any(|(task, _)| *task == report.task.kind)
}

fn noun(report: &Report) -> String {
    let noun = NOUNS.iter().find(|(task, _)| *task == report.task.kind);
    of_family(report, noun.map_or("encoder", |(_, noun)| noun))
}

fn built(report: &Report) -> Vec<String> {
    let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
    let facts = &report.architecture.facts;
    let classes = into_classes(report);
    match (facts.vocab, report.task.kind.as_str()) {
        (Some(words), "text-classification" | "token-classification") if !classes.is_empty() => {
            let what = if report.task.kind.starts_with("text") { "texts" } else { "tokens" };
            sentences.push(format!(
                "It reads a vocabulary of {} and sorts {what}{classes}.",
                number(words)
            ));
        }
        (Some(words), _) => sentences.push(format!("It reads a vocabulary of {}.", number(words))),
        (None, _) => {}
    }
    sentences
}
