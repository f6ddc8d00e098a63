//! What the outputs of image models mean: boxes, segments, characters, images.

use std::io::Cursor;

use calipers_report::{ClassScore, Family, RunOutcome};
use image::imageops::{self, FilterType};
use image::{GrayImage, ImageFormat, Luma, Rgb, RgbImage};

use super::labels::Labels;
use super::output;
use crate::apply::{detect, scores};
use crate::session::Output;
use crate::{Elements, Error, Tensor};

/// Scores below this are not objects, and boxes that overlap by more are the same object.
const LEAST_SCORE: f32 = 0.25;
const MOST_OVERLAP: f32 = 0.45;

/// Classes of a map at most: a pixel may hold any number.
const MOST_CLASSES: usize = 1 << 16;

/// The objects of a detector, in pixels of the input.
pub(super) fn objects(
    outputs: &[Output],
    family: Option<Family>,
    classes: Option<usize>,
    input: (u32, u32),
) -> Option<Vec<detect::Detection>> {
    let tensors = || outputs.iter().filter_map(|output| output.tensor.as_ref());
    let found = match family {
        Some(Family::Detr | Family::Yolos) => {
            let boxes = tensors().find(|tensor| matches!(tensor.shape(), [1, _, 4]))?;
            let mut heads = tensors().filter(|tensor| tensor.shape() != boxes.shape());
            heads.find_map(|logits| detect::detr(logits, boxes, LEAST_SCORE, input))
        }
        // Heads of other families have the same shapes and mean something else.
        Some(family) if !has_yolo_head(family) => None,
        _ => tensors().find_map(|tensor| detect::yolo(tensor, LEAST_SCORE, classes, input)),
    };
    Some(detect::suppressed(found?, MOST_OVERLAP))
}

/// Whether networks of a family have a head that [`detect::yolo`] reads.
fn has_yolo_head(family: Family) -> bool {
    matches!(
        family,
        Family::Yolov3
            | Family::Yolov4
            | Family::Yolov5
            | Family::Yolov6
            | Family::Yolov8
            | Family::Yolov9
            | Family::Yolov10
            | Family::Yolo11
            | Family::Yolo12
            | Family::Yolo26
            | Family::Yolox
    )
}

/// The class of each pixel.
pub(super) struct ClassMap {
    width: usize,
    height: usize,
    classes: usize,
    pixels: Vec<usize>,
}

impl ClassMap {
    /// Reads scores `[1, classes, height, width]`, or numbers of classes `[1, height, width]`.
    pub(super) fn read(outputs: &[Output]) -> Option<Self> {
        if let Some(map) = output(outputs, |tensor| tensor.shape().len() == 4) {
            return Self::of_scores(map);
        }
        let tensors = outputs.iter().filter_map(|output| output.tensor.as_ref());
        let map = tensors.into_iter().find(|tensor| {
            !tensor.dtype().is_float() && matches!(tensor.shape(), [1, _, _] | [1, 1, _, _])
        })?;
        let [.., height, width] = *map.shape() else { return None };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a class")]
        let pixels: Vec<usize> = map.to_f32()?.iter().map(|it| it.max(0.0) as usize).collect();
        let classes = pixels.iter().max()?.checked_add(1).filter(|count| *count <= MOST_CLASSES)?;
        Some(Self { width, height, classes, pixels })
    }

    fn of_scores(map: &Tensor) -> Option<Self> {
        let [_, count, height, width] = *map.shape() else { return None };
        let values = map.to_f32()?;
        let area = height * width;
        // One map is of probabilities, or of logarithmic odds.
        let is_probability = values.iter().all(|value| (0.0..=1.0).contains(value));
        let middle = if is_probability { 0.5 } else { 0.0 };
        let best = |place: usize| -> usize {
            if count == 1 {
                return usize::from(values[place] > middle);
            }
            let at = |class: usize| values[class * area + place];
            (0..count).max_by(|a, b| at(*a).total_cmp(&at(*b)).then(b.cmp(a))).unwrap_or(0)
        };
        let pixels = (0..area).map(best).collect();
        Some(Self { width, height, classes: count.max(2), pixels })
    }

    /// The share of each class, the largest first.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(super) fn outcome(&self, labels: &Labels) -> RunOutcome {
        let mut counts = vec![0_usize; self.classes];
        for class in &self.pixels {
            counts[*class] += 1;
        }
        let shares: Vec<f32> =
            counts.iter().map(|count| *count as f32 / self.pixels.len().max(1) as f32).collect();
        let class =
            |(class, score)| ClassScore { class, label: labels.label(class, self.classes), score };
        let found = scores::top(&shares, 10).into_iter().filter(|(_, share)| *share > 0.0);
        RunOutcome::Segments { classes: found.map(class).collect() }
    }

    /// The image with a color over each class but the first, which is the background.
    pub(super) fn drawn(&self, image: &RgbImage) -> Option<RgbImage> {
        let (wide, high) = (u32::try_from(self.width).ok()?, u32::try_from(self.height).ok()?);
        let mut classes = GrayImage::new(wide, high);
        for (pixel, class) in classes.pixels_mut().zip(&self.pixels) {
            *pixel = Luma([u8::try_from(*class % 256).unwrap_or(0)]);
        }
        let classes =
            imageops::resize(&classes, image.width(), image.height(), FilterType::Nearest);
        let mut drawn = image.clone();
        for (pixel, class) in drawn.pixels_mut().zip(classes.pixels()) {
            if class.0[0] != 0 {
                let color = detect::color(usize::from(class.0[0]) - 1);
                let mixed = |a: u8, b: u8| u8::midpoint(a, b);
                let [red, green, blue] = pixel.0;
                *pixel = Rgb([mixed(red, color[0]), mixed(green, color[1]), mixed(blue, color[2])]);
            }
        }
        Some(drawn)
    }
}

/// The text that connectionist temporal classification yields: the best character of each step,
/// repeated ones once, without blanks. The blank is class 0, the first label class 1.
pub(super) fn line_of_text(outputs: &[Output], labels: &Labels) -> Result<RunOutcome, Error> {
    let failed = || Error::Request("the model returns no scores of characters".to_owned());
    let (best, classes) = best_characters(outputs).ok_or_else(failed)?;
    // A label per class, without the blank or without blank and space; or ids without scores.
    let fits = classes.is_none_or(|classes| {
        [classes, classes.saturating_sub(1), classes.saturating_sub(2)].contains(&labels.len())
    });
    if labels.len() == 0 || !fits {
        let characters = match classes {
            Some(classes) => format!("the {} characters", classes.saturating_sub(1)),
            None => "its characters".to_owned(),
        };
        let found = match labels.len() {
            0 => String::new(),
            count => format!(" (found {count})"),
        };
        return Err(Error::Request(format!(
            "the model's characters are not known{found}: write {characters} into a file, one per \
             line, and pass it with --labels"
        )));
    }
    // Where there are as many labels as classes, the first is the blank.
    let first = usize::from(classes != Some(labels.len()));
    let (mut text, mut tokens, mut before) = (String::new(), 0, 0);
    for class in best {
        if class != 0 && class != before {
            tokens += 1;
            // The class behind the last character is the space.
            text += labels.get(class - first).filter(|label| !label.is_empty()).unwrap_or(" ");
        }
        before = class;
    }
    Ok(RunOutcome::Text { text, tokens })
}

/// The best class of each step, and the number of classes where the scores show it.
fn best_characters(outputs: &[Output]) -> Option<(Vec<usize>, Option<usize>)> {
    if let Some(steps) = output(outputs, |tensor| tensor.shape().len() == 3) {
        let width = *steps.shape().last()?;
        let values = steps.to_f32()?;
        let steps = values.chunks_exact(width.max(1));
        let best = steps.map(|step| Some(scores::top(step, 1).first()?.0)).collect::<Option<_>>();
        return Some((best?, Some(width)));
    }
    let tensors = outputs.iter().filter_map(|output| output.tensor.as_ref());
    let ids = tensors.into_iter().find_map(|tensor| match tensor.elements() {
        Elements::I64(ids) => Some(ids.clone()),
        Elements::I32(ids) => Some(ids.iter().map(|id| i64::from(*id)).collect()),
        _ => None,
    })?;
    Some((ids.iter().map(|id| usize::try_from(*id).unwrap_or(0)).collect(), None))
}

/// An output that is itself an image: `[1, 1 or 3, height, width]`. Gray ones go from their
/// smallest to their largest value; colors are between 0 and 1, -1 and 1, or 0 and 255.
pub(super) fn picture(outputs: &[Output]) -> Option<RgbImage> {
    let tensor = output(outputs, |tensor| matches!(tensor.shape(), [1, 1 | 3, _, _]))?;
    let [_, channels, height, width] = *tensor.shape() else { return None };
    let values = tensor.to_f32()?;
    let (least, most) = values
        .iter()
        .filter(|value| value.is_finite())
        .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), value| {
            (least.min(*value), most.max(*value))
        });
    let (from, to) = match () {
        () if channels == 1 => (least, most),
        () if most > 8.0 => (0.0, 255.0),
        () if least < -0.5 => (-1.0, 1.0),
        () => (0.0, 1.0),
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let byte = |value: f32| {
        ((value - from) / (to - from).max(1e-12) * 255.0).round().clamp(0.0, 255.0) as u8
    };
    let area = height * width;
    let (wide, high) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    Some(RgbImage::from_fn(wide, high, |x, y| {
        let place = y as usize * width + x as usize;
        Rgb([0, 1, 2].map(|channel| byte(values[(channel % channels) * area + place])))
    }))
}

pub(super) fn png(image: &RgbImage) -> Result<Vec<u8>, Error> {
    let mut bytes = Cursor::new(Vec::new());
    image
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(|error| Error::Request(format!("cannot write a PNG: {error}")))?;
    Ok(bytes.into_inner())
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;
    use crate::session::Observed;

    fn outputs(tensor: Tensor) -> Vec<Output> {
        let observed = Observed::Tensor { dtype: DType::Float32, shape: Vec::new() };
        vec![Output { name: "y".to_owned(), observed, tensor: Some(tensor) }]
    }

    #[test]
    fn repeated_characters_and_blanks_are_left_out() {
        let best = [1, 1, 0, 1, 2, 3];
        let mut steps = vec![0.0_f32; 6 * 4];
        for (step, class) in best.into_iter().enumerate() {
            steps[step * 4 + class] = 1.0;
        }
        let steps = outputs(Tensor::new(vec![1, 6, 4], steps).unwrap());
        let read = line_of_text(&steps, &Labels::list(&["a", "b"])).unwrap();
        assert_eq!(read, RunOutcome::Text { text: "aab ".to_owned(), tokens: 4 });
        // With a label for each of the four classes, the first is the blank.
        let read = line_of_text(&steps, &Labels::list(&["-", "a", "b", "c"])).unwrap();
        assert_eq!(read, RunOutcome::Text { text: "aabc".to_owned(), tokens: 4 });
        let error = line_of_text(&steps, &Labels::default()).unwrap_err().to_string();
        assert!(error.contains("--labels"), "{error}");
    }

    #[test]
    fn segments_are_shares_of_the_pixels() {
        // Three of four pixels are of class 1.
        let map = vec![0.9_f32, 0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9];
        let map = ClassMap::read(&outputs(Tensor::new(vec![1, 2, 2, 2], map).unwrap())).unwrap();
        let RunOutcome::Segments { classes } = map.outcome(&Labels::list(&["sky", "road"])) else {
            panic!("not segments")
        };
        assert_eq!((classes[0].label.as_deref(), classes[0].score), (Some("road"), 0.75));
        let drawn = map.drawn(&RgbImage::new(4, 4)).unwrap();
        assert_eq!(drawn.get_pixel(0, 0).0, [0; 3]);
        assert_ne!(drawn.get_pixel(3, 0).0, [0; 3]);
    }

    #[test]
    fn an_output_that_is_an_image_is_drawn() {
        let values = vec![-1.0_f32, 1.0, 0.0, 0.0, 1.0, 1.0];
        let image = picture(&outputs(Tensor::new(vec![1, 3, 1, 2], values).unwrap())).unwrap();
        assert_eq!(
            (image.get_pixel(0, 0).0, image.get_pixel(1, 0).0),
            ([0, 128, 255], [255, 128, 255])
        );
    }
}
