//! Two encoders side by side, such as one for images and one for texts.

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, is_style, number};

pub(in super::super) const KIND: Kind = Kind {
    name: "dual encoder",
    is: |report| is_style(report, "dual-encoder"),
    noun: |report| match report.task.kind == "image-text-similarity" {
        true => of_family(report, "dual encoder that compares images with texts"),
        false => of_family(report, "dual encoder"),
    },
    built: |report| {
        let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
        if let Some(words) = report.architecture.facts.vocab {
            sentences.push(format!("Its text side reads a vocabulary of {}.", number(words)));
        }
        sentences
    },
    run: |_| "one run of both sides".to_owned(),
};
