//! Convolutional networks: classifiers and backbones.

use calipers_report::{BlockKind, ModelKind, TaskKind};

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{
    attention_layers, classes, convolutions, design, for_task, image, is_kind, no_notes, one_run,
};

pub(in super::super) const KIND: Kind = Kind {
    name: "convolutional network",
    matches: |report| is_kind(report, ModelKind::Cnn) || is_kind(report, ModelKind::Hybrid),
    noun: |report| {
        let has = |kind: BlockKind| {
            let mut blocks = report.architecture.blocks.iter();
            blocks.any(|block| block.kind == kind)
        };
        let form = match is_kind(report, ModelKind::Hybrid) {
            true => match (has(BlockKind::Attention), has(BlockKind::Recurrent)) {
                (true, false) => "hybrid convolution-attention ",
                (false, true) => "hybrid convolutional-recurrent ",
                _ => "hybrid ",
            },
            false => "",
        };
        let noun = |noun: &str| of_family(report, &format!("{form}{noun}"));
        match stated_task(report) {
            TaskKind::ImageClassification => noun("image classifier"),
            TaskKind::ImageEmbedding | TaskKind::ImageFeatures => noun("image feature extractor"),
            _ if form.is_empty() => for_task(report, &noun("convolutional network")),
            _ => for_task(report, &noun("network")),
        }
    },
    figures: |report| {
        let mut figures = design(report);
        figures.extend(convolutions(report));
        if is_kind(report, ModelKind::Hybrid) {
            figures.extend(attention_layers(report));
        }
        if stated_task(report) == TaskKind::ImageClassification {
            figures.extend(classes(report));
        }
        figures
    },
    notes: no_notes,
    run: |report| match stated_task(report).is_image() {
        true => image(report),
        false => one_run(report),
    },
};
