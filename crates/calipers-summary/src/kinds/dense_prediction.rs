//! Dense prediction: segmentation, text detection, depth, pose, super-resolution, image to image.

use calipers_report::TaskKind;

use super::super::Kind;
use super::super::wording::{of_family, stated_task};
use super::{attention_layers, classes, convolutions, design, image, no_notes};

/// Tasks with a map or an image as their output, and what a network for each is called.
const NOUNS: &[(TaskKind, &str)] = &[
    (TaskKind::DepthEstimation, "depth estimation network"),
    (TaskKind::DocumentUnwarping, "document unwarping network"),
    (TaskKind::ImageSegmentation, "image segmentation network"),
    (TaskKind::ImageToImage, "image-to-image network"),
    (TaskKind::InstanceSegmentation, "instance segmentation network"),
    (TaskKind::KeypointDetection, "keypoint detection network"),
    (TaskKind::PoseEstimation, "pose estimation network"),
    (TaskKind::SuperResolution, "super-resolution network"),
    (TaskKind::TextDetection, "text detector"),
];

pub(in super::super) const KIND: Kind = Kind {
    name: "dense prediction",
    matches: |report| NOUNS.iter().any(|(task, _)| *task == stated_task(report)),
    noun: |report| {
        let noun = NOUNS.iter().find(|(task, _)| *task == stated_task(report));
        of_family(report, noun.map_or("network", |(_, noun)| noun))
    },
    figures: |report| {
        let mut figures = design(report);
        figures.extend(convolutions(report));
        figures.extend(attention_layers(report));
        if [TaskKind::ImageSegmentation, TaskKind::InstanceSegmentation]
            .contains(&stated_task(report))
        {
            figures.extend(classes(report));
        }
        figures
    },
    notes: no_notes,
    run: image,
};
