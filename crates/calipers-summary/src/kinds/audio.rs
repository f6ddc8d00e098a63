//! Speech and other audio.

use calipers_report::{Style, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{attention_layers, classes, convolutions, for_task, is_style, no_notes, one_run};

pub(in super::super) const KIND: Kind = Kind {
    name: "audio",
    matches: |report| stated_task(report).is_audio(),
    noun: |report| {
        let is_encoder = is_style(report, Style::Encoder);
        let noun = if is_encoder { "encoder" } else { "model" };
        for_task(report, &of_family(report, noun))
    },
    figures: |report| {
        let mut figures = attention_layers(report);
        if figures.is_empty() {
            figures = convolutions(report);
        }
        if [TaskKind::AudioClassification, TaskKind::KeywordSpotting].contains(&stated_task(report))
        {
            figures.extend(classes(report));
        }
        figures
    },
    notes: no_notes,
    run: one_run,
};
