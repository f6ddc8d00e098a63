//! Images in, maps or images out: segmentation, depth, super-resolution.

use calipers_report::TaskKind;

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, convolutions, image, into_classes};

/// Tasks whose output is a map, as the noun names them.
const NOUNS: &[(TaskKind, &str)] = &[
    (TaskKind::DepthEstimation, "network that estimates depth"),
    (TaskKind::ImageSegmentation, "segmentation network"),
    (TaskKind::ImageToImage, "network that makes an image of an image"),
    (TaskKind::PoseEstimation, "network that finds the points of bodies"),
    (TaskKind::SuperResolution, "super-resolution network"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "builder",
    is: |report| NOUNS.iter().any(|(task, _)| *task == report.task.kind),
    noun: |report| {
        let noun = NOUNS.iter().find(|(task, _)| *task == report.task.kind);
        of_family(report, noun.map_or("network", |(_, noun)| noun))
    },
    built: |report| {
        let mut sentences = Vec::new();
        sentences.extend(convolutions(report));
        sentences.extend(attention_layers(report));
        if report.architecture.facts.skip_concats == Some(true) {
            sentences.push("Early features are joined with late ones by concatenation.".to_owned());
        }
        let classes = into_classes(report);
        if report.task.kind == TaskKind::ImageSegmentation && !classes.is_empty() {
            sentences.push(format!("It sorts every pixel{classes}."));
        }
        sentences
    },
    run: image,
};
