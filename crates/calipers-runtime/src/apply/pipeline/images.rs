//! Images: classes, objects, segments, lines of text.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use calipers_report::{ClassScore, FoundObject, RunOutcome, TaskKind};
use image::{ImageFormat, Rgb, RgbImage};

use super::{Applied, Subject, classes, named, output};
use crate::apply::generate::Port;
use crate::apply::image::{IMAGENET, Layout, Preprocessing, Range, Resize, is_light, open};
use crate::apply::{detect, scores};
use crate::session::{Output, Read, Session};
use crate::{Error, Tensor};

/// Sides of an image where the model leaves them free.
const SIDE: u32 = 224;
const DETECTION_SIDE: u32 = 640;
/// Sides that a model may ask for.
const MOST_SIDE: u32 = 8192;
/// Height of a line of text.
const LINE_HEIGHT: u32 = 48;

/// Scores below this are not objects, and boxes that overlap by more are the same object.
const LEAST_SCORE: f32 = 0.25;
const MOST_OVERLAP: f32 = 0.45;

/// What is not to be inferred about an image.
#[derive(Clone, Debug, Default)]
pub struct ImageOverrides {
    /// Width and height.
    pub size: Option<(u32, u32)>,
    /// The order of the axes.
    pub layout: Option<Layout>,
    /// The values of pixels.
    pub range: Option<Range>,
    /// What is subtracted from each channel.
    pub mean: Option<[f32; 3]>,
    /// What each channel is divided by.
    pub std: Option<[f32; 3]>,
    /// How the size is changed.
    pub resize: Option<Resize>,
}

/// Runs a model on an image.
pub(super) fn image(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    path: &Path,
    overrides: &ImageOverrides,
) -> Result<Applied, Error> {
    let ports = subject.ports();
    let [port] = ports.as_slice() else {
        return Err(Error::Request(format!(
            "the model has {} inputs, an image is one; pass tensors with --input",
            ports.len()
        )));
    };
    let original = open(path)?;
    let how = preprocessing(subject.task, port, &original, overrides)?;
    let (fitted, placement) = how.fitted(&original);
    let tensor = how.tensor(&fitted, port.sizes.len(), port.dtype)?;
    let outputs = session.run(&[(port.name.clone(), tensor)], None, Read::Values)?;
    let labels = subject.labels()?;
    let mut picture = None;
    let outcome = match subject.task {
        TaskKind::ObjectDetection => {
            let found = objects(&outputs, subject.classes)?;
            #[expect(clippy::cast_precision_loss, reason = "sides have fewer than 24 bits")]
            let (width, height) = (original.width() as f32, original.height() as f32);
            let found: Vec<detect::Detection> =
                found.into_iter().map(|it| it.placed(placement, width, height)).collect();
            let mut drawn = original.clone();
            detect::draw(&mut drawn, &found);
            picture = Some(png(&drawn)?);
            let object = |it: detect::Detection| FoundObject {
                class: ClassScore {
                    class: it.class,
                    label: labels.get(it.class).cloned(),
                    score: it.score,
                },
                corners: it.corners,
            };
            Some(RunOutcome::Objects { objects: found.into_iter().map(object).collect() })
        }
        TaskKind::ImageSegmentation => {
            let map = output(&outputs, |tensor| tensor.shape().len() == 4);
            let segmented = map.and_then(|map| segments(map, &labels));
            segmented.map(|(outcome, drawn)| {
                picture = png(&drawn).ok();
                outcome
            })
        }
        TaskKind::TextRecognition => {
            let steps = output(&outputs, |tensor| tensor.shape().len() == 3);
            steps.and_then(|steps| line_of_text(steps, &labels))
        }
        _ => output(&outputs, |tensor| tensor.shape().len() <= 2)
            .and_then(|scores| classes(scores, &labels)),
    };
    let outcome = outcome.ok_or_else(|| {
        Error::Request(format!(
            "the outputs of a model for {} cannot be read; pass tensors with --input and -o out.npz",
            subject.task.display_name()
        ))
    })?;
    Ok(Applied { outcome, preprocessing: described(&how), outputs: named(outputs), picture })
}

/// What the type, the sizes and the task of an input show, with what is given instead.
fn preprocessing(
    task: TaskKind,
    port: &Port,
    image: &RgbImage,
    given: &ImageOverrides,
) -> Result<Preprocessing, Error> {
    let sizes = match port.sizes.as_slice() {
        [_, rest @ ..] if rest.len() == 3 => rest,
        rest if rest.len() == 3 => rest,
        _ => {
            return Err(Error::Request(format!(
                "the input `{}` is not an image; pass tensors with --input",
                port.name
            )));
        }
    };
    let is_channels = |size: Option<usize>| matches!(size, Some(1 | 3));
    let layout = given.layout.unwrap_or(match (is_channels(sizes[0]), is_channels(sizes[2])) {
        (false, true) => Layout::Nhwc,
        _ => Layout::Nchw,
    });
    let [channels, height, width] = match layout {
        Layout::Nchw => [sizes[0], sizes[1], sizes[2]],
        Layout::Nhwc => [sizes[2], sizes[0], sizes[1]],
    };
    let channels = channels.unwrap_or(3);
    let detects = task == TaskKind::ObjectDetection;
    let reads = task == TaskKind::TextRecognition;
    let free = if detects { DETECTION_SIDE } else { SIDE };
    let side = |size: Option<usize>, free: u32| match size.map(u32::try_from) {
        None => Ok(free),
        Some(Ok(size)) if (1..=MOST_SIDE).contains(&size) => Ok(size),
        Some(_) => Err(Error::Request(format!(
            "the image of input `{}` is not between 1 and {MOST_SIDE} pixels a side",
            port.name
        ))),
    };
    let (wide, high) = match (given.size, reads) {
        (Some(size), _) => size,
        // A line of text keeps its proportions.
        (None, true) => {
            let line = side(height, LINE_HEIGHT)?;
            let long =
                u64::from(image.width()) * u64::from(line) / u64::from(image.height().max(1));
            let long = u32::try_from(long).unwrap_or(MOST_SIDE).clamp(16, MOST_SIDE);
            (side(width, long)?, line)
        }
        (None, false) => (side(width, free)?, side(height, free)?),
    };
    let is_bytes = !port.dtype.is_float();
    let is_photo = channels == 3 && !detects && !reads && !is_bytes;
    let (mean, std) = if is_photo { IMAGENET } else { ([0.0; 3], [1.0; 3]) };
    Ok(Preprocessing {
        width: wide,
        height: high,
        channels,
        layout,
        range: given.range.unwrap_or(match () {
            () if is_bytes => Range::Bytes,
            () if reads => Range::Signed,
            () => Range::Unit,
        }),
        mean: given.mean.unwrap_or(mean),
        std: given.std.unwrap_or(std),
        resize: given.resize.unwrap_or(match () {
            () if detects => Resize::Letterbox,
            () if is_photo && task == TaskKind::ImageClassification => Resize::Crop,
            () => Resize::Stretch,
        }),
        // Digits are light on dark in the data that gray models are trained with.
        inverted: channels == 1 && task == TaskKind::ImageClassification && is_light(image),
    })
}

fn described(how: &Preprocessing) -> BTreeMap<String, String> {
    let list = |values: [f32; 3]| {
        let values = values[..how.channels.clamp(1, 3)].iter();
        values.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let layout = match how.layout {
        Layout::Nchw => "nchw",
        Layout::Nhwc => "nhwc",
    };
    let range = match how.range {
        Range::Unit => "0..1",
        Range::Bytes => "0..255",
        Range::Signed => "-1..1",
    };
    let resize = match how.resize {
        Resize::Stretch => "stretch",
        Resize::Crop => "crop",
        Resize::Letterbox => "letterbox",
    };
    let mut facts = BTreeMap::from([
        ("size".to_owned(), format!("{}x{}", how.width, how.height)),
        ("channels".to_owned(), how.channels.to_string()),
        ("layout".to_owned(), layout.to_owned()),
        ("range".to_owned(), range.to_owned()),
        ("mean".to_owned(), list(how.mean)),
        ("std".to_owned(), list(how.std)),
        ("resize".to_owned(), resize.to_owned()),
    ]);
    if how.inverted {
        facts.insert("inverted".to_owned(), "yes: the background is light".to_owned());
    }
    facts
}

fn objects(outputs: &[Output], classes: Option<usize>) -> Result<Vec<detect::Detection>, Error> {
    let tensors = outputs.iter().filter_map(|output| output.tensor.as_ref());
    let mut heads = tensors.filter_map(|tensor| detect::yolo(tensor, LEAST_SCORE, classes));
    let found = heads.next().ok_or_else(|| {
        Error::Request(
            "the detector's head is not a YOLO head; pass tensors with --input and -o out.npz"
                .to_owned(),
        )
    })?;
    Ok(detect::suppressed(found, MOST_OVERLAP))
}

/// The class of every pixel: shares of the classes, and a picture of them.
fn segments(map: &Tensor, labels: &[String]) -> Option<(RunOutcome, RgbImage)> {
    let [_, count, height, width] = *map.shape() else { return None };
    let values = map.to_f32()?;
    let area = height * width;
    let best = |place: usize| -> usize {
        if count == 1 {
            return usize::from(values[place] > 0.0);
        }
        let at = |class: usize| values[class * area + place];
        (0..count).max_by(|a, b| at(*a).total_cmp(&at(*b))).unwrap_or(0)
    };
    let mut shares = vec![0.0_f32; count.max(2)];
    let (wide, high) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let mut drawn = RgbImage::new(wide, high);
    for (place, pixel) in drawn.pixels_mut().enumerate() {
        let class = best(place);
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let part = 1.0 / area as f32;
        shares[class] += part;
        #[expect(clippy::cast_possible_truncation, reason = "a color from a number")]
        let shade = |factor: usize| ((class * factor) % 256) as u8;
        *pixel = Rgb([shade(67), shade(139), shade(211)]);
    }
    let class = |(class, score)| ClassScore { class, label: labels.get(class).cloned(), score };
    let mut classes: Vec<ClassScore> = scores::top(&shares, 10).into_iter().map(class).collect();
    classes.retain(|class| class.score > 0.0);
    Some((RunOutcome::Segments { classes }, drawn))
}

/// The text that connectionist temporal classification gives: the best character of each step,
/// repeated ones once, without blanks. The blank is class 0, the first label class 1.
fn line_of_text(steps: &Tensor, labels: &[String]) -> Option<RunOutcome> {
    let width = *steps.shape().last()?;
    let values = steps.to_f32()?;
    let (mut text, mut tokens, mut before) = (String::new(), 0, 0);
    for step in values.chunks_exact(width.max(1)) {
        let class = scores::top(step, 1).first()?.0;
        if class != 0 && class != before {
            tokens += 1;
            match labels.get(class - 1) {
                Some(label) => text += label,
                // The class behind the last character is the space.
                None if class == width - 1 => text.push(' '),
                None => text.push('?'),
            }
        }
        before = class;
    }
    Some(RunOutcome::Text { text, tokens })
}

fn png(image: &RgbImage) -> Result<Vec<u8>, Error> {
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

    fn port(dtype: DType, sizes: &[Option<usize>]) -> Port {
        Port { name: "x".to_owned(), dtype, sizes: sizes.to_vec() }
    }

    #[test]
    fn preprocessing_follows_the_input() {
        let light = RgbImage::from_pixel(10, 10, Rgb([250; 3]));
        let infer = |task, port: &Port| {
            preprocessing(task, port, &light, &ImageOverrides::default()).unwrap()
        };
        let photo = port(DType::Float32, &[None, Some(3), None, None]);
        let how = infer(TaskKind::ImageClassification, &photo);
        assert_eq!((how.width, how.layout, how.mean), (224, Layout::Nchw, IMAGENET.0));
        let bytes = port(DType::Uint8, &[Some(1), Some(320), Some(320), Some(3)]);
        let how = infer(TaskKind::ObjectDetection, &bytes);
        assert_eq!((how.width, how.layout), (320, Layout::Nhwc));
        assert_eq!((how.range, how.resize), (Range::Bytes, Resize::Letterbox));
        let digit = port(DType::Float32, &[Some(1), Some(1), Some(28), Some(28)]);
        assert!(infer(TaskKind::ImageClassification, &digit).inverted);
    }

    #[test]
    fn repeated_characters_and_blanks_are_left_out() {
        let best = [1, 1, 0, 1, 2, 3];
        let mut steps = vec![0.0_f32; 6 * 4];
        for (step, class) in best.into_iter().enumerate() {
            steps[step * 4 + class] = 1.0;
        }
        let steps = Tensor::new(vec![1, 6, 4], steps).unwrap();
        let read = line_of_text(&steps, &["a".to_owned(), "b".to_owned()]).unwrap();
        assert_eq!(read, RunOutcome::Text { text: "aab ".to_owned(), tokens: 4 });
    }
}
