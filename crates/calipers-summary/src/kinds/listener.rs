//! Hears: speech and other sounds.

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, convolutions, into_classes, one_run};

/// Tasks of sound, as the noun names them.
const NOUNS: &[(&str, &str)] = &[
    ("audio-classification", "network that classifies sounds"),
    ("audio-to-audio", "network that makes sound of sound"),
    ("speech-features", "encoder that gives features of speech"),
    ("speech-recognition", "network that recognises speech"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "listener",
    is: |report| NOUNS.iter().any(|(task, _)| *task == report.task.kind),
    noun: |report| {
        let noun = NOUNS.iter().find(|(task, _)| *task == report.task.kind);
        of_family(report, noun.map_or("network for sounds", |(_, noun)| noun))
    },
    built: |report| {
        let mut sentences: Vec<String> = attention_layers(report).into_iter().collect();
        if sentences.is_empty() {
            sentences.extend(convolutions(report));
        }
        let classes = into_classes(report);
        if report.task.kind == "audio-classification" && !classes.is_empty() {
            sentences.push(format!("It sorts sounds{classes}."));
        }
        sentences
    },
    run: one_run,
};
