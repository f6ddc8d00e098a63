//! Transformers that see.

use calipers_report::{Style, TaskKind};

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, image, into_classes, is_style};

pub(in super::super) const KIND: Kind = Kind {
    name: "vision transformer",
    is: |report| is_style(report, Style::Vision),
    noun: |report| match report.task.kind {
        TaskKind::ImageClassification => {
            of_family(report, "vision transformer that classifies images")
        }
        TaskKind::ImageEmbedding => of_family(report, "vision transformer that embeds images"),
        _ => of_family(report, "vision transformer"),
    },
    built: |report| {
        let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
        let classes = into_classes(report);
        if report.task.kind == TaskKind::ImageClassification && !classes.is_empty() {
            sentences.push(format!("It sorts images{classes}."));
        }
        sentences
    },
    run: image,
};
