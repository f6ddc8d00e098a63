//! What an image must become before a model sees it: inferred from type, sizes, task and family.

use std::collections::BTreeMap;

use calipers_report::{Family, TaskKind};
use image::RgbImage;

use crate::Error;
use crate::apply::generate::Port;
use crate::apply::image::{ColorOrder, IMAGENET, Layout, Preprocessing, Range, Resize, is_light};

/// Sides of an image where the model leaves them free.
const SIDE: u32 = 224;
const DETECTION_SIDE: u32 = 640;
/// The longer side for text detectors, and what the sides must be multiples of.
const PAGE_SIDE: u32 = 960;
const STRIDE: u32 = 32;
/// Sides that a model may ask for.
const MOST_SIDE: u32 = 8192;
/// Height of a line of text, and the width that shorter lines are padded to.
const LINE_HEIGHT: u32 = 48;
const LINE_WIDTH: u32 = 320;

/// What is not to be inferred about an image.
#[derive(Clone, Debug, Default)]
pub struct ImageOverrides {
    /// Width and height.
    pub size: Option<(u32, u32)>,
    /// The order of the axes.
    pub layout: Option<Layout>,
    /// The order of the color channels.
    pub colors: Option<ColorOrder>,
    /// The values of pixels.
    pub range: Option<Range>,
    /// What is subtracted from each channel.
    pub mean: Option<[f32; 3]>,
    /// What each channel is divided by.
    pub std: Option<[f32; 3]>,
    /// How the size is changed.
    pub resize: Option<Resize>,
}

/// What is known of a model, in addition to its input.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Known {
    /// The task.
    pub task: TaskKind,
    /// The family.
    pub family: Option<Family>,
    /// Width and height that the metadata states.
    pub size: Option<(u32, u32)>,
}

/// What the input and the task show, with what is given instead.
pub(super) fn infer(
    known: &Known,
    port: &Port,
    image: &RgbImage,
    given: &ImageOverrides,
) -> Result<Preprocessing, Error> {
    let (layout, [channels, height, width]) = axes(port, given.layout)?;
    let channels = channels.unwrap_or(3);
    let (wide, high) = match given.size {
        Some(size) => size,
        None => size(known, port, (width, height), image)?,
    };
    let conventions = Conventions::new(known, port, channels, (wide, high));
    Ok(Preprocessing {
        width: wide,
        height: high,
        channels,
        layout,
        colors: given.colors.unwrap_or(conventions.colors),
        range: given.range.unwrap_or(conventions.range),
        mean: given.mean.unwrap_or(conventions.normalization.0),
        std: given.std.unwrap_or(conventions.normalization.1),
        resize: given.resize.unwrap_or(conventions.resize),
        // Digits are light on dark in the data that gray models are trained with.
        inverted: channels == 1 && known.task == TaskKind::ImageClassification && is_light(image),
    })
}

/// The layout of an input, and its channels, height and width.
fn axes(port: &Port, given: Option<Layout>) -> Result<(Layout, [Option<usize>; 3]), Error> {
    let sizes = match port.sizes.as_slice() {
        [_, rest @ ..] if rest.len() == 3 => rest,
        rest if rest.len() == 3 => rest,
        _ => {
            return Err(Error::Request(format!(
                "the input `{}` is not an image; pass a tensor with --input",
                port.name
            )));
        }
    };
    let is_channels = |size: Option<usize>| matches!(size, Some(1 | 3));
    let layout = given.unwrap_or(match (is_channels(sizes[0]), is_channels(sizes[2])) {
        (false, true) => Layout::Nhwc,
        _ => Layout::Nchw,
    });
    let axes = match layout {
        Layout::Nchw => [sizes[0], sizes[1], sizes[2]],
        Layout::Nhwc => [sizes[2], sizes[0], sizes[1]],
    };
    match axes[0] {
        None | Some(1 | 3) => Ok((layout, axes)),
        Some(channels) => Err(Error::Request(format!(
            "the input `{}` has {channels} channels, an image has 1 or 3; pass a tensor with --input",
            port.name
        ))),
    }
}

/// Width and height for the model.
fn size(
    known: &Known,
    port: &Port,
    (width, height): (Option<usize>, Option<usize>),
    image: &RgbImage,
) -> Result<(u32, u32), Error> {
    let side = |size: Option<usize>, free: u32| match size.map(u32::try_from) {
        None => Ok(free),
        Some(Ok(size)) if (1..=MOST_SIDE).contains(&size) => Ok(size),
        Some(_) => Err(Error::Request(format!(
            "the image of input `{}` is not between 1 and {MOST_SIDE} pixels a side",
            port.name
        ))),
    };
    let (from_width, from_height) = (u64::from(image.width()), u64::from(image.height().max(1)));
    let scaled = |side: u64, to: u64, of: u64| {
        u32::try_from(side * to / of.max(1)).unwrap_or(MOST_SIDE).clamp(1, MOST_SIDE)
    };
    let (wide, high) = match known.task {
        // A line of text keeps its proportions.
        TaskKind::TextRecognition => {
            let line = side(height, LINE_HEIGHT)?;
            let long = scaled(from_width, u64::from(line), from_height);
            (long.max(if line == LINE_HEIGHT { LINE_WIDTH } else { STRIDE }), line)
        }
        // A page keeps its proportions, and its size where it is not larger than needed.
        TaskKind::TextDetection => {
            let longest = from_width.max(from_height);
            let to = longest.min(u64::from(PAGE_SIDE));
            let multiple = |side: u32| (side.div_ceil(STRIDE) * STRIDE).max(STRIDE);
            (multiple(scaled(from_width, to, longest)), multiple(scaled(from_height, to, longest)))
        }
        // A classifier of whole lines: are they upside down?
        TaskKind::ImageClassification if known.family == Some(Family::PpOcr) => {
            (4 * LINE_HEIGHT, LINE_HEIGHT)
        }
        TaskKind::SuperResolution | TaskKind::ImageToImage => {
            (scaled(from_width, 1, 1).min(PAGE_SIDE), scaled(from_height, 1, 1).min(PAGE_SIDE))
        }
        task => {
            let free = match task {
                TaskKind::ObjectDetection | TaskKind::InstanceSegmentation => DETECTION_SIDE,
                _ => SIDE,
            };
            known.size.unwrap_or((free, free))
        }
    };
    Ok((side(width, wide)?, side(height, high)?))
}

/// What networks for a task are usually trained with.
struct Conventions {
    colors: ColorOrder,
    range: Range,
    normalization: ([f32; 3], [f32; 3]),
    resize: Resize,
}

impl Conventions {
    fn new(known: &Known, port: &Port, channels: usize, (wide, high): (u32, u32)) -> Self {
        const PLAIN: ([f32; 3], [f32; 3]) = ([0.0; 3], [1.0; 3]);
        let task = known.task;
        let is_family = |family: Family| known.family == Some(family);
        let is_bytes = !port.dtype.is_float();
        let (reads, is_line) = (task == TaskKind::TextRecognition, task != TaskKind::TextDetection);
        let range = match () {
            () if is_bytes || is_family(Family::Yolox) => Range::Bytes,
            () if reads || is_family(Family::PpOcr) && is_line => Range::Signed,
            () => Range::Unit,
        };
        let detects = matches!(task, TaskKind::ObjectDetection | TaskKind::InstanceSegmentation);
        let makes_image = matches!(task, TaskKind::SuperResolution | TaskKind::ImageToImage);
        let is_photo =
            channels == 3 && range == Range::Unit && !detects && !makes_image && !is_bytes;
        let is_drawing = channels == 1 && wide == high && wide <= 64;
        Self {
            // These were trained on images as OpenCV reads them.
            colors: match is_family(Family::PpOcr) || is_family(Family::Yolox) {
                true => ColorOrder::Bgr,
                false => ColorOrder::Rgb,
            },
            range,
            normalization: if is_photo { IMAGENET } else { PLAIN },
            resize: match () {
                () if detects => Resize::Letterbox,
                () if reads => Resize::Pad,
                () if task == TaskKind::ImageClassification && is_drawing => Resize::Center,
                () if task == TaskKind::ImageClassification && is_photo => Resize::Crop,
                () => Resize::Stretch,
            },
        }
    }
}

/// The preprocessing as it is printed.
pub(super) fn described(how: &Preprocessing) -> BTreeMap<String, String> {
    let list = |values: [f32; 3]| {
        let values = values[..how.channels.clamp(1, 3)].iter();
        values.map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let layout = match how.layout {
        Layout::Nchw => "nchw",
        Layout::Nhwc => "nhwc",
    };
    let channels = match (how.channels, how.colors) {
        (1, _) => "gray",
        (_, ColorOrder::Rgb) => "rgb",
        (_, ColorOrder::Bgr) => "bgr",
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
        Resize::Pad => "pad",
        Resize::Center => "center",
    };
    let mut facts = BTreeMap::from([
        ("size".to_owned(), format!("{}x{}", how.width, how.height)),
        ("channels".to_owned(), channels.to_owned()),
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

#[cfg(test)]
mod tests {
    use calipers_ir::DType;
    use image::Rgb;

    use super::*;

    fn known(task: TaskKind) -> Known {
        Known { task, ..Known::default() }
    }

    fn port(dtype: DType, sizes: &[Option<usize>]) -> Port {
        Port { name: "x".to_owned(), dtype, sizes: sizes.to_vec() }
    }

    #[test]
    fn preprocessing_follows_the_input() {
        let light = RgbImage::from_pixel(1000, 100, Rgb([250; 3]));
        let found = |task, port: &Port| {
            let given = ImageOverrides::default();
            infer(&known(task), port, &light, &given).unwrap()
        };
        let photo = port(DType::Float32, &[None, Some(3), None, None]);
        let how = found(TaskKind::ImageClassification, &photo);
        assert_eq!((how.width, how.layout, how.mean), (224, Layout::Nchw, IMAGENET.0));
        assert_eq!((how.resize, how.colors), (Resize::Crop, ColorOrder::Rgb));
        let bytes = port(DType::Uint8, &[Some(1), Some(320), Some(320), Some(3)]);
        let how = found(TaskKind::ObjectDetection, &bytes);
        assert_eq!((how.width, how.layout), (320, Layout::Nhwc));
        assert_eq!((how.range, how.resize), (Range::Bytes, Resize::Letterbox));
        let digit = port(DType::Float32, &[Some(1), Some(1), Some(28), Some(28)]);
        let how = found(TaskKind::ImageClassification, &digit);
        assert_eq!((how.inverted, how.resize), (true, Resize::Center));
        // 1000 x 100 becomes 960 x 96, both multiples of 32; a line of 48 pixels is 480 long.
        let how = found(TaskKind::TextDetection, &photo);
        assert_eq!((how.width, how.height, how.resize), (960, 96, Resize::Stretch));
        let how = found(TaskKind::TextRecognition, &photo);
        assert_eq!((how.width, how.height, how.range), (480, 48, Range::Signed));
    }

    #[test]
    fn other_inputs_are_errors() {
        let image = RgbImage::new(8, 8);
        for sizes in [&[Some(1), Some(384)][..], &[None, Some(4), None, None]] {
            let port = port(DType::Float32, sizes);
            let known = known(TaskKind::ImageClassification);
            let error = infer(&known, &port, &image, &ImageOverrides::default()).unwrap_err();
            assert!(error.to_string().contains("--input"), "{error}");
        }
    }
}
