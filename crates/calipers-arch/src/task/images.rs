//! Tasks on images.
//!
//! | task | outputs |
//! |---|---|
//! | object-detection | boxes and scores at many places, or regions that are judged |
//! | image-segmentation | scores of classes at every place of the image, or masks next to the boxes |
//! | pose-estimation | a map for each of a body's points |
//! | depth-estimation | a distance at every place |
//! | super-resolution | a larger image |
//! | image-to-image | an image of the same size |
//! | image-to-text | words from a decoder |
//! | image-classification | a score for each class |
//! | image-embedding | vectors |

use calipers_ops::Class;
use calipers_report::Confidence::{High, Low, Medium};
use calipers_report::{Family, Style, Task, TaskKind};

use super::{Seen, reported};
use crate::descriptions::{counted, grouped};
use crate::network::{BlockKind, Op, Val, With};
use crate::stats::Given;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let outputs = seen.outputs();
    detection(seen, &outputs)
        .or_else(|| vocabulary_scores(seen, &outputs))
        .or_else(|| classification(seen, &outputs))
        .or_else(|| places(seen, &outputs))
        .or_else(|| vectors(seen, &outputs))
}

fn detection(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let stats = seen.stats;
    let facts = &seen.architecture.facts;
    let maps = outputs.iter().filter(|output| net.rank(**output) == Some(4)).count();
    if stats.count(BlockKind::DetectionHead) > 0 {
        let scales = match &facts.strides {
            Some(strides) => {
                let strides: Vec<String> = strides.iter().map(ToString::to_string).collect();
                format!("strides {}", strides.join("/"))
            }
            None => "several scales".to_owned(),
        };
        let places = match facts.positions {
            Some(positions) => format!("{} positions at {scales}", grouped(positions)),
            None => scales,
        };
        // One map next to the boxes holds what masks are made of.
        if maps == 1 && outputs.len() == 2 {
            let words = format!("boxes at {places}, and mask prototypes");
            return Some(reported(TaskKind::ImageSegmentation, Medium, words, facts.classes));
        }
        let words = format!("boxes and scores at {places}");
        return Some(reported(TaskKind::ObjectDetection, High, words, facts.classes));
    }
    if let Some(family @ (Family::Detr | Family::Yolos)) = seen.architecture.family {
        // One score more than there are classes says that there is no object.
        let scores = outputs.iter().filter(|output| net.rank(**output) == Some(3));
        let mut widths = scores.filter_map(|output| net.dim(*output, -1)).filter(|w| *w != 4);
        let classes = widths.next().filter(|_| widths.next().is_none()).map(|width| width - 1);
        let words = "each query predicts a box and class scores, including no object";
        let sure = if family == Family::Detr { High } else { Medium };
        return Some(reported(TaskKind::ObjectDetection, sure, words.to_owned(), classes));
    }
    let regions = stats.count_in(With::REGIONS) > 0;
    // Points of bodies: for each region, rows of a place and whether it is seen.
    let points = outputs
        .iter()
        .find(|output| net.rank(**output) == Some(3) && net.dim(**output, -1) == Some(3));
    if let Some(points) = points
        && regions
    {
        let words = format!("keypoints in regions of interest ({})", seen.shown(*points));
        return Some(reported(TaskKind::PoseEstimation, Medium, words, None));
    }
    if regions {
        let words = "regions of interest are classified".to_owned();
        return Some(reported(TaskKind::ObjectDetection, High, words, None));
    }
    if stats.count_in(With::SUPPRESSIONS) > 0 {
        let words = "non-maximum suppression of boxes".to_owned();
        return Some(reported(TaskKind::ObjectDetection, High, words, facts.classes));
    }
    // A box of four sides and scores for the same places.
    let boxes = outputs.iter().find(|output| {
        net.dim(**output, -1) == Some(4) && matches!(net.rank(**output), Some(2 | 3))
    });
    if let Some(boxes) = boxes
        && outputs.len() >= 2
    {
        let words = format!("boxes and scores as output ({})", seen.shown(*boxes));
        return Some(reported(TaskKind::ObjectDetection, Medium, words, None));
    }
    let family = seen.architecture.family;
    if let Some(Family::TinyYolo | Family::Yolov3 | Family::Yolov4) = family {
        let words = "boxes and scores at every feature position".to_owned();
        return Some(reported(TaskKind::ObjectDetection, Medium, words, facts.classes));
    }
    None
}

fn vocabulary_scores(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let tokens = seen.stats.takes(Given::Tokens);
    let reported_by = tokens && (seen.styled(Style::EncoderDecoder) || seen.styled(Style::Decoder));
    let output = outputs.first().filter(|_| reported_by)?;
    let words = format!("image input, vocabulary scores as output ({})", seen.shown(*output));
    Some(reported(TaskKind::ImageToText, Medium, words, None))
}

fn classification(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    if let Some(classes) = seen.classifier() {
        let words =
            format!("image input, {} as output", counted(classes, "class score", "class scores"));
        return Some(reported(TaskKind::ImageClassification, High, words, Some(classes)));
    }
    let net = seen.net();
    let [output] = outputs else { return None };
    let classes = net.dim(*output, -1).filter(|classes| *classes > 1)?;
    let shared = net.made_by(*output, With(|traits| traits.class == Class::Softmax)).is_some();
    let scores = seen.is_scores(*output) && seen.is_biased(*output);
    (net.rank(*output) == Some(2) && scores).then(|| {
        let words = format!("image input, scores as output ({})", seen.shown(*output));
        let sure = if shared { High } else { Medium };
        reported(TaskKind::ImageClassification, sure, words, Some(classes))
    })
}

/// How an output's places compare with the image's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Larger,
    Same,
    /// At least an eighth of the side.
    Smaller,
    Tiny,
    Unknown,
}

fn places(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let image = seen.stats.inputs.iter().find(|(_, given)| *given == Given::Image)?.0;
    // Auxiliary results come after the one that counts.
    let output = *outputs.iter().find(|output| matches!(net.rank(**output), Some(3 | 4)))?;
    let channels = match net.rank(output)? {
        4 => net.dim(output, 1),
        _ => Some(1),
    };
    let size = size(seen, image, output);
    let shown = seen.shown(output);
    let ended = net.producer(output).map_or(Op::Unknown, |unit| net.unit(unit).op);
    let named = |word: &str| net.output_name(output).to_ascii_lowercase().contains(word);
    if net.rank(output) == Some(3) && !matches!(size, Size::Same | Size::Larger) {
        return None;
    }
    let (kind, sure, classes) = match (size, channels) {
        (Size::Larger, Some(1 | 3)) => (TaskKind::SuperResolution, High, None),
        (Size::Same, Some(3)) if !named("logit") && !named("seg") && !named("mask") => {
            (TaskKind::ImageToImage, Low, None)
        }
        (Size::Same | Size::Smaller, Some(1)) => match ended {
            Op::Operator("Sigmoid") => (TaskKind::ImageSegmentation, Medium, None),
            Op::Operator("Relu") | Op::Block(BlockKind::Relu) => {
                (TaskKind::DepthEstimation, Medium, None)
            }
            _ if named("depth") => (TaskKind::DepthEstimation, Medium, None),
            _ => (TaskKind::ImageSegmentation, Low, None),
        },
        // People are described by 16 or 17 points, at a quarter of the image's side.
        (Size::Smaller, Some(16 | 17)) if seen.stats.count("Resize") > 0 || named("heat") => {
            (TaskKind::PoseEstimation, Medium, None)
        }
        (Size::Same, classes) => (TaskKind::ImageSegmentation, High, classes),
        (Size::Smaller, Some(classes))
            if seen.stats.count(BlockKind::UNetSkip) > 0 || classes >= 2 =>
        {
            (TaskKind::ImageSegmentation, Medium, Some(classes))
        }
        (Size::Unknown, classes) if seen.architecture.family == Some(Family::Unet) => {
            (TaskKind::ImageSegmentation, Medium, classes)
        }
        (Size::Tiny, Some(classes)) if classes > 1 && (named("logit") || named("seg")) => {
            (TaskKind::ImageSegmentation, Low, Some(classes))
        }
        (Size::Tiny, _) => (TaskKind::ImageFeatures, Low, None),
        _ => return None,
    };
    let words = match kind {
        TaskKind::SuperResolution => format!("a larger image as output ({shown})"),
        TaskKind::ImageFeatures => format!("a low-resolution feature map as output ({shown})"),
        TaskKind::PoseEstimation => {
            format!("one heat map per keypoint as output ({shown})")
        }
        TaskKind::ImageToImage => format!("an image of the same size as output ({shown})"),
        _ => format!("a prediction for every pixel as output ({shown})"),
    };
    Some(reported(kind, sure, words, classes))
}

fn size(seen: &Seen<'_, '_>, image: Val, output: Val) -> Size {
    let net = seen.net();
    // The channels of an image are first or last.
    let last = net.dim(image, -1).is_some_and(|dim| matches!(dim, 1 | 3 | 4));
    let side = if last { -2 } else { -1 };
    let shapes = (net.shape(image), net.shape(output));
    if let (Some([.., height, width]), Some([.., rows, columns])) = shapes
        && !last
        && (height, width) == (rows, columns)
    {
        return Size::Same;
    }
    // A list of places is not an image: both sides grow alike.
    let alike = || {
        let dims = [net.dim(image, side - 1), net.dim(output, -2)];
        let (Some(image), Some(output)) = (net.dim(image, side), net.dim(output, -1)) else {
            return false;
        };
        match dims {
            [Some(rows), Some(grown)] => {
                rows.checked_mul(output).is_some_and(|one| Some(one) == grown.checked_mul(image))
            }
            _ => true,
        }
    };
    match (net.dim(image, side), net.dim(output, -1)) {
        (Some(image), Some(output)) if output > image && !alike() => Size::Unknown,
        (Some(image), Some(output)) if output > image => Size::Larger,
        (Some(image), Some(output)) if output == image => Size::Same,
        (Some(image), Some(output)) if output.saturating_mul(8) >= image => Size::Smaller,
        (Some(_), Some(_)) => Size::Tiny,
        _ => Size::Unknown,
    }
}

fn vectors(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let output = outputs.iter().find(|output| matches!(net.rank(**output), Some(2 | 3)))?;
    let words = format!("image vectors as output, no scores ({})", seen.shown(*output));
    let sure = if seen.styled(Style::Vision) { Medium } else { Low };
    Some(reported(TaskKind::ImageEmbedding, sure, words, None))
}
