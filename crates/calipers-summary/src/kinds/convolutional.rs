//! Convolutional networks: classifiers, backbones.

use calipers_report::{ModelKind, TaskKind};

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, convolutions, image, into_classes, is_kind, one_run};

pub(in super::super) const KIND: Kind = Kind {
    name: "convolutional network",
    is: |report| is_kind(report, ModelKind::Cnn) || is_kind(report, ModelKind::Hybrid),
    noun: |report| match (report.task.kind, is_kind(report, ModelKind::Hybrid)) {
        (TaskKind::ImageClassification, false) => of_family(report, "image classifier"),
        (TaskKind::ImageClassification, true) => {
            of_family(report, "image classifier of convolutions and attention")
        }
        (TaskKind::ImageEmbedding | TaskKind::ImageFeatures, _) => {
            of_family(report, "network that gives features of images")
        }
        (_, true) => of_family(report, "network of convolutions and attention"),
        _ => of_family(report, "convolutional network"),
    },
    built: |report| {
        let mut sentences: Vec<String> = convolutions(report).into_iter().collect();
        if is_kind(report, ModelKind::Hybrid) {
            sentences.extend(attention_layers(report));
        }
        let classes = into_classes(report);
        if report.task.kind == TaskKind::ImageClassification && !classes.is_empty() {
            sentences.push(format!("It sorts images{classes}."));
        }
        sentences
    },
    run: |report| match report.task.kind.is_image() {
        true => image(report),
        false => one_run(report),
    },
};
