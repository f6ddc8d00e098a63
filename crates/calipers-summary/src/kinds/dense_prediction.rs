//! Dense prediction: segmentation, depth, pose, super-resolution, image to image.

use calipers_report::TaskKind;

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, classes, convolutions, image, no_notes};

/// Tasks with a map or an image as their output, and what a network for each is called.
const NOUNS: &[(TaskKind, &str)] = &[
    (TaskKind::DepthEstimation, "depth estimation network"),
    (TaskKind::ImageSegmentation, "image segmentation network"),
    (TaskKind::ImageToImage, "image-to-image network"),
    (TaskKind::PoseEstimation, "pose estimation network"),
    (TaskKind::SuperResolution, "super-resolution network"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "dense prediction",
    matches: |report| NOUNS.iter().any(|(task, _)| *task == report.task.kind),
    noun: |report| {
        let noun = NOUNS.iter().find(|(task, _)| *task == report.task.kind);
        of_family(report, noun.map_or("network", |(_, noun)| noun))
    },
    figures: |report| {
        let mut figures = convolutions(report);
        figures.extend(attention_layers(report));
        if report.task.kind == TaskKind::ImageSegmentation {
            figures.extend(classes(report));
        }
        figures
    },
    notes: no_notes,
    run: image,
};
