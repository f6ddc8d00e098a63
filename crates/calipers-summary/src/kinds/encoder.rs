//! Text encoders: embeddings, answers, labels.

use calipers_report::{ModelKind, Report, Style, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{
    attention_layers, classes, for_task, is_kind, is_style, no_notes, sequence, vocabulary,
};

pub(in super::super) const KIND: Kind = Kind {
    name: "encoder",
    matches: |report| {
        is_style(report, Style::Encoder)
            || (is_kind(report, ModelKind::Transformer) && reads_text(stated_task(report)))
    },
    noun: |report| for_task(report, &of_family(report, "encoder")),
    figures,
    notes: no_notes,
    run: sequence,
};

/// Returns whether a task reads a text at once.
fn reads_text(task: TaskKind) -> bool {
    matches!(
        task,
        TaskKind::FillMask
            | TaskKind::QuestionAnswering
            | TaskKind::TextClassification
            | TaskKind::TextEmbedding
            | TaskKind::TextRegression
            | TaskKind::TokenClassification
    )
}

fn figures(report: &Report) -> Vec<String> {
    let mut figures = attention_layers(report);
    let is_classifier = stated_task(report).is_classification();
    figures.extend(classes(report).filter(|_| is_classifier));
    figures.extend(vocabulary(report).filter(|_| !is_classifier));
    figures
}
