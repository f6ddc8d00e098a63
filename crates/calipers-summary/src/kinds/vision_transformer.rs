//! Vision transformers.

use calipers_report::{Style, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{attention_layers, classes, for_task, image, is_style, no_notes};

pub(in super::super) const KIND: Kind = Kind {
    name: "vision transformer",
    matches: |report| is_style(report, Style::Vision),
    noun: |report| for_task(report, &of_family(report, "vision transformer")),
    figures: |report| {
        let is_classifier = stated_task(report) == TaskKind::ImageClassification;
        let classes = classes(report).filter(|_| is_classifier);
        attention_layers(report).into_iter().chain(classes).collect()
    },
    notes: no_notes,
    run: image,
};
