//! Families of object detectors.
//!
//! | family | structure |
//! |---|---|
//! | mask-rcnn, keypoint-rcnn, faster-rcnn | regions of interest (`RoiAlign`) are classified; with a mask each, with keypoints each, with neither |
//! | yolov10, yolo11 | as yolov8, with attention and depthwise convolutions; with top-k box selection, without |
//! | yolov8 | anchor-free boxes as distributions over bins; C2f blocks |
//! | yolov5 | three anchors per position at three scales; C3 blocks and SiLU |
//! | yolov4 | the same with Mish |
//! | yolov3 | residual blocks and LeakyReLU, three scales with three anchors |
//! | tiny-yolo | stacked LeakyReLU convolutions and max pooling, anchors |
//! | yolox | anchor-free box, objectness and class scores at each position |
//! | ssd | boxes and classes from several scales of one backbone, without a feature pyramid |
//! | retinanet, fcos | a feature pyramid with the same head on each level; with anchors, without |

use calipers_ops::{Class, Movement};
use calipers_report::Confidence::{High, Medium};
use calipers_report::Family;

use super::{FamilyRule, Recognition, Seen};
use crate::network::{BlockKind, DetectionHead, With};
use crate::stats::Given;

/// The rows, specific families before general ones.
pub(super) static FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::MaskRcnn, rule: mask_rcnn },
    FamilyRule { family: Family::KeypointRcnn, rule: keypoint_rcnn },
    FamilyRule { family: Family::FasterRcnn, rule: faster_rcnn },
    FamilyRule { family: Family::Yolov10, rule: yolov10 },
    FamilyRule { family: Family::Yolo11, rule: yolo11 },
    FamilyRule { family: Family::Yolov8, rule: yolov8 },
    FamilyRule { family: Family::Yolov5, rule: yolov5 },
    FamilyRule { family: Family::Yolov4, rule: yolov4 },
    FamilyRule { family: Family::Yolov3, rule: yolov3 },
    FamilyRule { family: Family::TinyYolo, rule: tiny_yolo },
    FamilyRule { family: Family::Yolox, rule: yolox },
    FamilyRule { family: Family::Retinanet, rule: retinanet },
    FamilyRule { family: Family::Fcos, rule: fcos },
    FamilyRule { family: Family::Ssd, rule: ssd },
];

impl Seen<'_, '_> {
    fn head(&self) -> Option<&DetectionHead> {
        self.stats.net.all().find(|unit| unit.is(BlockKind::DetectionHead))?.detection_head()
    }

    fn detects(&self) -> bool {
        self.stats.count(BlockKind::DetectionHead) > 0
    }

    /// Whether features are split in halves and one half is passed on unchanged.
    fn splits(&self) -> bool {
        self.stats.net.all().any(|unit| {
            unit.is(BlockKind::Csp)
                && unit.walk().any(|part| part.movement() == Some(Movement::Slice))
        })
    }

    fn scales(&self) -> String {
        match &self.facts.strides {
            Some(strides) => {
                let strides: Vec<String> = strides.iter().map(ToString::to_string).collect();
                format!("strides {}", strides.join("/"))
            }
            None => "several scales".to_owned(),
        }
    }
}

fn mask_rcnn(seen: &Seen<'_, '_>) -> Recognition {
    let net = seen.stats.net;
    let masks = net.outputs.iter().any(|output| net.rank(*output) == Some(4));
    (seen.stats.count("RoiAlign") >= 2 && masks)
        .then(|| (High, "regions of interest are classified and segmented".to_owned()))
}

fn keypoint_rcnn(seen: &Seen<'_, '_>) -> Recognition {
    let net = seen.stats.net;
    let points = net
        .outputs
        .iter()
        .any(|output| net.rank(*output) == Some(3) && net.dim(*output, -1) == Some(3));
    (seen.stats.count("RoiAlign") >= 2 && points)
        .then(|| (Medium, "keypoints are predicted in regions of interest".to_owned()))
}

fn faster_rcnn(seen: &Seen<'_, '_>) -> Recognition {
    (seen.stats.count_in(With::REGIONS) > 0)
        .then(|| (High, "regions of interest are classified".to_owned()))
}

fn yolov8(seen: &Seen<'_, '_>) -> Recognition {
    let bins = seen.head()?.bins?;
    let blocks = seen.stats.count(BlockKind::Csp);
    let words = format!("box regression as distributions over {bins} bins at {}", seen.scales());
    (seen.detects() && blocks >= 3 && seen.stats.count(BlockKind::Silu) > 10).then(|| {
        let sure = if seen.splits() { High } else { Medium };
        (sure, format!("{words}, {blocks} cross-stage partial blocks, SiLU"))
    })
}

/// Whether there is attention, and the class branches use depthwise convolutions.
fn attends_and_filters(seen: &Seen<'_, '_>) -> bool {
    let depthwise = seen.stats.image_convs().filter(|conv| conv.is_depthwise()).count();
    !seen.stats.attention.is_empty() && depthwise >= 4
}

fn yolov10(seen: &Seen<'_, '_>) -> Recognition {
    let (_, words) = yolov8(seen)?;
    (attends_and_filters(seen) && seen.stats.count("TopK") > 0).then(|| {
        let words = format!(
            "{words}, attention, depthwise convolutions, top-k box selection instead of NMS"
        );
        (Medium, words)
    })
}

fn yolo11(seen: &Seen<'_, '_>) -> Recognition {
    let (_, words) = yolov8(seen)?;
    attends_and_filters(seen)
        .then(|| (Medium, format!("{words}, attention and depthwise convolutions")))
}

fn yolov5(seen: &Seen<'_, '_>) -> Recognition {
    let anchors = seen.head()?.anchors.filter(|anchors| *anchors > 1)?;
    let blocks = seen.stats.count(BlockKind::Csp);
    (blocks >= 3 && seen.stats.count(BlockKind::Silu) > 10).then(|| {
        let words = format!("{anchors} anchors per position at {}", seen.scales());
        let sure = if seen.stats.count(BlockKind::Spp) > 0 { High } else { Medium };
        (sure, format!("{words}, {blocks} cross-stage partial blocks, SiLU"))
    })
}

fn yolov4(seen: &Seen<'_, '_>) -> Recognition {
    let mish = seen.stats.count(BlockKind::Mish);
    let fits = mish > 10 && seen.stats.count_of([BlockKind::Csp, BlockKind::Spp]) > 0;
    fits.then(|| (Medium, format!("cross-stage partial blocks with {mish} Mish activations")))
}

fn yolov3(seen: &Seen<'_, '_>) -> Recognition {
    let leaky = seen.stats.count(BlockKind::LeakyRelu);
    let up = seen.stats.count_in(With::RESIZES);
    (leaky > 50 && seen.residuals() >= 15 && up >= 2).then(|| {
        let words = format!("{} residual blocks with LeakyReLU", seen.residuals());
        (High, format!("{words}, features of three resolutions combined"))
    })
}

fn tiny_yolo(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let leaky = stats.count(BlockKind::LeakyRelu);
    let fits = (6..=20).contains(&leaky) && stats.count("MaxPool") >= 4 && seen.residuals() == 0;
    let last = stats.net.outputs.first()?;
    // Boxes at every position: no dense layer follows.
    let places = stats.linears() == 0
        && stats.net.rank(*last) == Some(4)
        && stats.takes(Given::Image)
        && stats.image_convs().count() == stats.convs.len();
    // Three or five anchors per position, each with a box, an objectness score and classes.
    let boxes = stats.net.dim(*last, 1).is_some_and(|channels| {
        [3, 5].iter().any(|anchors| channels % anchors == 0 && channels / anchors > 5)
    });
    (fits && places && boxes).then(|| {
        (Medium, "stacked LeakyReLU convolutions and pooling, scores at every position".to_owned())
    })
}

fn yolox(seen: &Seen<'_, '_>) -> Recognition {
    let blocks = seen.stats.count(BlockKind::Csp);
    // C2f blocks are of later detectors, whose distributions may not be found.
    let fits = seen.detects()
        && seen.stats.count_in(With(|traits| traits.class == Class::Softmax)) == 0
        && seen.head().is_none_or(|head| head.bins.is_none())
        && blocks >= 3
        && !seen.splits();
    (fits && seen.stats.count(BlockKind::Silu) > 10).then(|| {
        let words = format!("anchor-free boxes and scores at {}", seen.scales());
        (Medium, format!("{words}, {blocks} cross-stage partial blocks"))
    })
}

/// Whether there is a feature pyramid on a backbone, with heads on its levels.
fn on_a_pyramid(seen: &Seen<'_, '_>) -> bool {
    let levels = seen.stats.count(BlockKind::FeaturePyramid);
    seen.detects() && levels >= 2 && seen.stats.count(BlockKind::Csp) == 0
}

fn retinanet(seen: &Seen<'_, '_>) -> Recognition {
    // Three sizes of three aspect ratios; face and text detectors have two or three anchors.
    let anchors = seen.head()?.anchors.filter(|anchors| *anchors >= 6)?;
    on_a_pyramid(seen)
        .then(|| (Medium, format!("feature pyramid with {anchors} anchors per position")))
}

fn fcos(seen: &Seen<'_, '_>) -> Recognition {
    let is_anchor_free = seen.head().is_none_or(|head| head.anchors.is_none());
    (on_a_pyramid(seen) && is_anchor_free)
        .then(|| (Medium, "feature pyramid with anchor-free boxes".to_owned()))
}

fn ssd(seen: &Seen<'_, '_>) -> Recognition {
    let scales = seen.head().and_then(|head| head.scales).unwrap_or(0);
    let apart =
        seen.stats.count(BlockKind::FeaturePyramid) == 0 && seen.stats.count(BlockKind::Csp) == 0;
    // Several boxes of fixed sizes at each position, each with its own scores.
    let anchored = seen.head().is_some_and(|head| head.anchors > Some(1) && head.bins.is_none());
    (apart && seen.detects() && scales >= 4 && anchored).then(|| {
        (
            Medium,
            "boxes and classes from several scales of one backbone, without a feature pyramid"
                .to_owned(),
        )
    })
}
