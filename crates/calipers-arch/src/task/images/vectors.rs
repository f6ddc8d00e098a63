//! One vector for each image: scores of classes, or an embedding.

use calipers_report::Confidence::{self, High, Low, Medium};
use calipers_report::{Style, Task, TaskKind};

use crate::descriptions::counted;
use crate::network::Val;
use crate::stats::Given;
use crate::task::ending::{Ending, Function, Layer, is_pooled};
use crate::task::{Seen, reported};

/// Classes of well-known data sets of images.
const KNOWN: &[i64] = &[10, 100, 200, 365, 1000, 1001, 11221, 21841, 21843];

/// More numbers than this, averaged over the image, are features.
const MAX_AVERAGED: i64 = 30;

/// More numbers than this may be coordinates of points.
const MAX_UNNAMED: i64 = 60;

/// Narrower vectors than this are not embeddings.
const MIN_EMBEDDING: i64 = 64;

pub(super) fn classification(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    // Two images are compared.
    if seen.stats.inputs.iter().filter(|(_, given)| *given == Given::Image).count() > 1 {
        return None;
    }
    let scored: Vec<Scored> =
        outputs.iter().filter_map(|output| Scored::find(seen, *output)).collect();
    // Features next to the scores are how they were computed. Several vectors are several heads.
    let [scores] = &scored[..] else {
        let shared = scored.len() > 1
            && scored.len() == outputs.len()
            && scored.iter().all(|scores| scores.end.is(Function::Softmax));
        return shared.then(|| {
            let words = format!("image input, probabilities of {} heads as output", scored.len());
            reported(TaskKind::ImageClassification, Medium, words, None)
        });
    };
    // A map of a few channels is a result of its own, next to which a vector is an auxiliary one.
    const FEW_CHANNELS: i64 = 8;
    let is_result = |output: &Val| {
        net.rank(*output) == Some(4)
            && net.dim(*output, 1).is_some_and(|channels| channels < FEW_CHANNELS)
            && seen.stats.size(*output, -1).is_some_and(|side| side > 1)
    };
    if outputs.iter().any(is_result) {
        return None;
    }
    let classes = scores.classes;
    let others = outputs.iter().filter(|output| **output != scores.output);
    let has_vectors = others.clone().any(|output| net.rank(*output) == Some(2));
    let sure = scores.confidence(seen)?;
    let sure = if has_vectors { sure.min(Medium) } else { sure };
    let words =
        format!("image input, {} as output", counted(classes, "class score", "class scores"));
    Some(reported(TaskKind::ImageClassification, sure, words, Some(classes)))
}

/// An output that holds one number for each class.
struct Scored {
    output: Val,
    classes: i64,
    end: Ending,
}

impl Scored {
    fn find(seen: &Seen<'_, '_>, output: Val) -> Option<Self> {
        let net = seen.net();
        let classes = match net.rank(output)? {
            2 => net.dim(output, 1)?,
            // An image of one pixel.
            4 => net.elements_next_to(output).filter(|all| net.dim(output, 1) == Some(*all))?,
            _ => return None,
        };
        let end = seen.ending(output);
        let shared = end.is_probability();
        let made = matches!(end.layer, Layer::Product | Layer::Convolution(_) | Layer::Pool)
            || seen.is_scores(output);
        let normalized = !shared || end.classes.is_none_or(|normalized| normalized == classes);
        // Scores at every pixel may be averaged: then there are as many as channels, and odd ones.
        let averaged = classes % 8 != 0 && classes <= MAX_AVERAGED;
        let pooled =
            end.layer == Layer::Pool && !shared && seen.classifier().is_none() && !averaged;
        (made && normalized && !pooled && (classes > 1 || shared)).then_some(Self {
            output,
            classes,
            end,
        })
    }

    /// How surely the numbers are scores of classes; `None` when they are something else.
    fn confidence(&self, seen: &Seen<'_, '_>) -> Option<Confidence> {
        let end = &self.end;
        const POINTS: &[&str] = &["age", "keypoint", "kps", "landmark", "pose", "point"];
        const VECTORS: &[&str] = &["embed", "emb", "feat", "vector", "latent", "code"];
        if seen.output_named(self.output, POINTS) || seen.output_named(self.output, VECTORS) {
            return None;
        }
        let stated = seen.stated_task() == Some(TaskKind::ImageClassification);
        if end.is(Function::Softmax) || stated {
            return Some(High);
        }
        if end.is(Function::Sigmoid) {
            // Several sigmoids may be coordinates.
            if end.rescaled {
                return None;
            }
            return Some(if self.classes == 1 || seen.named_scores(self.output) {
                High
            } else {
                Medium
            });
        }
        if end.function.is_some() {
            return None;
        }
        let head = seen.classifier().is_some();
        if seen.named_scores(self.output) && head || KNOWN.contains(&self.classes) {
            return Some(High);
        }
        // A few numbers without a name may be an angle, a position or a grade, unless the network is
        // one that is known to classify.
        const MAX_MEASURES: i64 = 4;
        let known = seen.architecture.variant.is_some();
        if self.classes <= MAX_MEASURES && !known && !seen.named_scores(self.output) {
            return None;
        }
        // Coordinates come in pairs. A vector that no pooling comes before may be anything.
        let pairs = self.classes > MAX_UNNAMED && self.classes % 2 == 0;
        let pooled = is_pooled(seen.net(), &seen.leaves, self.output);
        if self.classes % 32 == 0 || pairs && !seen.named_scores(self.output) {
            return None;
        }
        match (head && pooled, end.biased || seen.is_biased(self.output)) {
            (true, _) => Some(Medium),
            (false, true) if pooled || seen.named_scores(self.output) => Some(Medium),
            (false, true) => Some(Low),
            _ => None,
        }
    }
}

/// Coordinates of points, or bits of a watermark, where a name says so.
pub(super) fn named(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let output = *outputs.first()?;
    let width = net.elements_next_to(output)?;
    let shown = seen.shown(output);
    let points = ["keypoint", "kps", "kpts", "landmark", "lmk"];
    if seen.output_named(output, &points) && (width % 2 == 0 || width % 3 == 0) {
        let words = format!("image input, coordinates of points as output ({shown})");
        return Some(reported(TaskKind::KeypointDetection, Medium, words, None));
    }
    let bits = (8..=512).contains(&width) && net.rank(output) == Some(2);
    if bits && seen.stats.mentions("watermark") {
        let words = format!("image input, {width} bits of a watermark as output ({shown})");
        return Some(reported(TaskKind::WatermarkDecoding, Medium, words, None));
    }
    None
}

/// Vectors that no head follows.
pub(super) fn embedding(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let unit_length = |output: &&Val| seen.ending(**output).is(Function::L2Norm);
    if let Some(output) = outputs.iter().find(unit_length)
        && net.rank(*output) == Some(2)
    {
        let words = format!("a vector of unit length for each image ({})", seen.shown(*output));
        return Some(reported(TaskKind::ImageEmbedding, High, words, None));
    }
    let output = *outputs.first()?;
    let end = seen.ending(output);
    let width = net.dim(output, -1).filter(|width| *width >= MIN_EMBEDDING)?;
    let named = seen.output_named(output, &["embed", "emb", "feat", "vector", "pool"]);
    let shown = seen.shown(output);
    match net.rank(output)? {
        2 if end.function.is_none() => {
            let bare = match end.layer {
                Layer::Norm | Layer::Pool => true,
                Layer::Product => true,
                Layer::Convolution(_) => width % 128 == 0,
                _ => false,
            };
            let words = format!("a vector of {width} numbers for each image ({shown})");
            // Vectors are as wide as processors like.
            let round = width % 64 == 0;
            (named || bare && round)
                .then(|| reported(TaskKind::ImageEmbedding, Medium, words, None))
        }
        // A vector for each patch.
        3 if seen.styled(Style::Vision) && end.layer == Layer::Norm => {
            let words = format!("a vector for each patch of the image ({shown})");
            Some(reported(TaskKind::ImageEmbedding, Medium, words, None))
        }
        _ => None,
    }
}
