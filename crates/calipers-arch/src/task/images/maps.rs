//! Maps and images: a value for every pixel.

use calipers_report::Confidence::{self, High, Low, Medium};
use calipers_report::{Family, Style, Task, TaskKind};

use super::{Map, Picture, Size};
use crate::network::{BlockKind, NetworkOp, Val, With};
use crate::task::ending::{Ending, Function, Layer};
use crate::task::{Seen, reported};

/// Names of outputs that hold classes or masks.
const MASKS: &[&str] = &["argmax", "class", "cls", "label", "logit", "mask", "sal", "seg"];

/// Names of outputs that hold images.
const IMAGES: &[&str] = &["image", "img", "rgb", "sr", "hr", "restored", "frame", "styl"];

pub(super) fn task(seen: &Seen<'_, '_>, picture: &Picture, outputs: &[Val]) -> Option<Task> {
    if let Some(task) = picked(seen, picture) {
        return Some(task);
    }
    let maps: Vec<Map> = outputs.iter().filter_map(|output| picture.map(seen, *output)).collect();
    // Auxiliary results come after the one that counts, unless a name says which one it is.
    let named = |map: &&Map| seen.output_named(map.output, MASKS);
    let map = maps.iter().find(named).or_else(|| maps.first())?;
    let end = seen.ending(map.output);
    let (kind, sure, classes) = decide(seen, picture, map, &end, outputs.len())?;
    let shown = seen.shown(map.output);
    let words = match kind {
        TaskKind::SuperResolution => format!("a larger image as output ({shown})"),
        TaskKind::ImageFeatures => format!("a low-resolution feature map as output ({shown})"),
        TaskKind::PoseEstimation => format!("one heat map per keypoint as output ({shown})"),
        TaskKind::ImageToImage => format!("an image of the same size as output ({shown})"),
        TaskKind::DocumentUnwarping => {
            format!("the input sampled at predicted positions as output ({shown})")
        }
        TaskKind::TextDetection => {
            format!("a probability for every pixel, from a head for lines of text ({shown})")
        }
        _ => format!("a prediction for every pixel as output ({shown})"),
    };
    Some(reported(kind, sure, words, classes))
}

/// The class of every pixel, as whole numbers.
fn picked(seen: &Seen<'_, '_>, picture: &Picture) -> Option<Task> {
    let net = seen.net();
    let output = net.outputs.iter().copied().find(|output| {
        let end = seen.ending(*output);
        let map = picture.map(seen, *output);
        end.picks && end.classes.is_some() && map.is_some_and(|map| map.channels == 1)
    })?;
    let words = format!("the class of every pixel as output ({})", seen.shown(output));
    let classes = seen.ending(output).classes;
    Some(reported(TaskKind::ImageSegmentation, High, words, classes))
}

type Decided = (TaskKind, Confidence, Option<i64>);

fn decide(
    seen: &Seen<'_, '_>,
    picture: &Picture,
    map: &Map,
    end: &Ending,
    outputs: usize,
) -> Option<Decided> {
    let is_named = |words: &[&str]| seen.output_named(map.output, words);
    let is_mask = is_named(MASKS);
    let whole = picture.channels == Some(map.channels);
    match (map.size, map.channels) {
        _ if end.layer == Layer::GridSample && whole => {
            Some((TaskKind::DocumentUnwarping, Medium, None))
        }
        (Size::Larger, 1 | 3 | 4) if !is_mask => {
            let sure = if whole { High } else { Medium };
            Some((TaskKind::SuperResolution, sure, None))
        }
        (Size::Same | Size::Smaller, classes) if classes > 1 && end.is(Function::Softmax) => {
            Some((TaskKind::ImageSegmentation, High, Some(classes)))
        }
        (Size::Same, 3 | 4) if !is_mask => image(seen, picture, map, end),
        (Size::Same | Size::Smaller, 1) => one_channel(seen, map, end, is_mask),
        // People are described by 16 or 17 points, at a quarter of the image's side.
        (Size::Smaller, 16..=18) if outputs == 1 && !is_mask => {
            let heat = is_named(&["heat", "hm"]);
            let up = end.resized || has_deconvolution(seen) || seen.stats.count("Resize") > 0;
            let sure = if heat { High } else { Medium };
            (heat || up).then_some((TaskKind::PoseEstimation, sure, None))
        }
        (Size::Same, classes) => {
            let sure = if is_mask || end.is_probability() { High } else { Medium };
            let head = end.convolution().is_some_and(is_head);
            (is_mask || end.is_probability() || head).then_some((
                TaskKind::ImageSegmentation,
                sure,
                Some(classes),
            ))
        }
        (Size::Smaller, classes) if is_mask || seen.architecture.family == Some(Family::Unet) => {
            Some((TaskKind::ImageSegmentation, Medium, Some(classes)))
        }
        (Size::Smaller, classes) if classes > 1 && classes % 8 != 0 && outputs == 1 => {
            let head = end.convolution().is_some_and(is_head) && end.function.is_none();
            let up = seen.stats.count(BlockKind::UNetSkip) > 0 || end.resized;
            (head && up).then_some((TaskKind::ImageSegmentation, Low, Some(classes)))
        }
        (Size::Tiny, classes) if classes > 1 && is_named(&["logit", "seg"]) => {
            Some((TaskKind::ImageSegmentation, Medium, Some(classes)))
        }
        (Size::Smaller | Size::Tiny, channels) if channels >= 64 && channels % 8 == 0 => {
            Some((TaskKind::ImageFeatures, Medium, None))
        }
        _ => None,
    }
}

/// Whether a convolution is of the kind that ends a network.
fn is_head(convolution: &crate::network::Convolution) -> bool {
    convolution.bias || convolution.is_pointwise()
}

/// An image of the same size, where something shows that it is one.
fn image(seen: &Seen<'_, '_>, picture: &Picture, map: &Map, end: &Ending) -> Option<Decided> {
    let whole = picture.channels == Some(map.channels);
    let ranged = matches!(end.function, Some(Function::Tanh | Function::Clip | Function::Sigmoid));
    if whole && end.adds_input {
        return Some((TaskKind::ImageToImage, High, None));
    }
    // Layers that only networks for images use.
    let reflected = seen
        .net()
        .all()
        .any(|unit| unit.is("Pad") && seen.net().setting(unit, "mode") == Some("reflect"));
    let drawn = end.shuffled
        || reflected
        || seen.stats.count_in((BlockKind::InstanceNorm, "InstanceNormalization")) > 0
        || seen.output_named(map.output, IMAGES);
    match (whole, ranged, drawn) {
        (true, true, _) => Some((TaskKind::ImageToImage, Medium, None)),
        (true, _, true) => Some((TaskKind::ImageToImage, Medium, None)),
        (false, true, true) => Some((TaskKind::ImageToImage, Medium, None)),
        (true, ..) if seen.stats.count(BlockKind::UNetSkip) > 0 || has_deconvolution(seen) => {
            Some((TaskKind::ImageToImage, Low, None))
        }
        _ => None,
    }
}

/// One number for every pixel: a probability, or a distance.
fn one_channel(seen: &Seen<'_, '_>, map: &Map, end: &Ending, is_mask: bool) -> Option<Decided> {
    let names_depth =
        seen.output_named(map.output, &["depth", "disp"]) || seen.stats.mentions("depth_anything");
    if names_depth {
        return Some((TaskKind::DepthEstimation, High, None));
    }
    let heat = seen.output_named(map.output, &["heat"]);
    Some(match end.function {
        Some(Function::Sigmoid | Function::Clip) if is_text_head(seen, map.output) => {
            (TaskKind::TextDetection, High, None)
        }
        Some(Function::Sigmoid) if is_mask || !heat => (TaskKind::ImageSegmentation, Medium, None),
        // Distances have no upper bound, and networks for depth drop the axis of one channel.
        Some(Function::Relu) => {
            let flat = seen.net().rank(map.output) == Some(3);
            let depth = flat || seen.styled(Style::Vision);
            return depth.then_some((TaskKind::DepthEstimation, Medium, None));
        }
        _ if is_mask => (TaskKind::ImageSegmentation, Medium, None),
        // Networks that keep the resolution for other reasons give distances, flows and images.
        _ => {
            let skips = seen.stats.count(BlockKind::UNetSkip) > 0 || has_deconvolution(seen);
            let head = end.convolution().is_some_and(is_head) && end.function.is_none();
            return (skips && head).then_some((TaskKind::ImageSegmentation, Low, None));
        }
    })
}

/// Whether a network has a transposed convolution.
fn has_deconvolution(seen: &Seen<'_, '_>) -> bool {
    seen.stats.convs.iter().any(|conv| conv.transposed)
}

/// Whether a map comes from a head of differentiable binarization: features of several resolutions
/// are joined, and two transposed convolutions bring them to the size of the image.
fn is_text_head(seen: &Seen<'_, '_>, output: Val) -> bool {
    /// Operators that the search looks at.
    const MAX_LOOKS: usize = 80;
    /// Resolutions that are joined.
    const LEVELS: usize = 3;
    let net = seen.net();
    let (mut grown, mut looked) = (0_usize, 0);
    let mut queue = std::collections::VecDeque::from([output]);
    let mut seen_vals = hashbrown::HashSet::new();
    let deconvolves = |unit: &NetworkOp| unit.is("ConvTranspose");
    while let Some(val) = queue.pop_front() {
        let Some(unit) = seen.leaves.maker(val) else { continue };
        looked += 1;
        if looked > MAX_LOOKS {
            return false;
        }
        grown += usize::from(deconvolves(unit));
        if unit.is("Concat") && grown >= 2 {
            let resized = net.data_inputs(unit).filter(|input| {
                let behind = seen.leaves.maker(*input);
                behind.is_some_and(|unit| unit.is(With::RESIZES))
            });
            let joined = net.data_inputs(unit).count();
            if joined > LEVELS && resized.count() >= LEVELS - 1 {
                return true;
            }
        }
        queue.extend(net.data_inputs(unit).filter(|input| seen_vals.insert(*input)));
    }
    false
}
