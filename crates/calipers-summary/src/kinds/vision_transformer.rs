//! Transformers that see.

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, image, into_classes, is_style};

pub(in super::super) const KIND: Kind = Kind {
    name: "vision transformer",
    is: |report| is_style(report, "vision"),
    noun: |report| match report.task.kind.as_str() {
        "image-classification" => of_family(report, "vision transformer that classifies images"),
        "image-embedding" => of_family(report, "vision transformer that embeds images"),
        _ => of_family(report, "vision transformer"),
    },
    built: |report| {
        let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
        let classes = into_classes(report);
        if report.task.kind == "image-classification" && !classes.is_empty() {
            sentences.push(format!("It sorts images{classes}."));
        }
        sentences
    },
    run: image,
};
