//! Hears: speech and other sounds.

use calipers_report::TaskKind;

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, convolutions, into_classes, one_run};

/// Tasks of sound, as the noun names them.
const NOUNS: &[(TaskKind, &str)] = &[
    (TaskKind::AudioClassification, "network that classifies sounds"),
    (TaskKind::AudioToAudio, "network that makes sound of sound"),
    (TaskKind::SpeechFeatures, "encoder that gives features of speech"),
    (TaskKind::SpeechRecognition, "network that recognizes speech"),
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
        if report.task.kind == TaskKind::AudioClassification && !classes.is_empty() {
            sentences.push(format!("It sorts sounds{classes}."));
        }
        sentences
    },
    run: one_run,
};
