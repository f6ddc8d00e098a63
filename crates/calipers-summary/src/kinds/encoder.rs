//! Reads text at once: embeddings, answers, labels.

use calipers_report::{ModelKind, Report, Style, TaskKind};

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, into_classes, is_kind, is_style, number, sequence};

/// Tasks as the noun names them.
const NOUNS: &[(TaskKind, &str)] = &[
    (TaskKind::FillMask, "encoder that fills in masked words"),
    (TaskKind::QuestionAnswering, "encoder that answers questions by marking a span"),
    (TaskKind::TextClassification, "encoder that classifies texts"),
    (TaskKind::TextEmbedding, "encoder that embeds texts"),
    (TaskKind::TextRegression, "encoder that scores texts"),
    (TaskKind::TokenClassification, "encoder that labels tokens"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "encoder",
    is: |report| {
        is_style(report, Style::Encoder)
            || (is_kind(report, ModelKind::Transformer) && is_text(report))
    },
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
    match (facts.vocab, report.task.kind) {
        (Some(words), TaskKind::TextClassification | TaskKind::TokenClassification)
            if !classes.is_empty() =>
        {
            let what =
                if report.task.kind == TaskKind::TextClassification { "texts" } else { "tokens" };
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
