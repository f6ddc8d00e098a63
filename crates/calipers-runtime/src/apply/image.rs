//! Images as tensors.

use std::path::Path;

use calipers_ir::DType;
use image::imageops::{self, FilterType};
use image::{ImageReader, Limits, RgbImage};
use serde::Serialize;

use super::check_file;
use crate::{Error, Tensor};

/// Pixels of an image at most: three bytes each, they fit in 100 MB.
const MOST_PIXELS: u64 = 32_000_000;

/// Bytes that decoding may take.
const MOST_BYTES: u64 = 4 * MOST_PIXELS;

/// The order of an image's axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Channels, height, width.
    Nchw,
    /// Height, width, channels.
    Nhwc,
}

/// The values of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Range {
    /// 0 to 1.
    #[serde(rename = "0..1")]
    Unit,
    /// 0 to 255.
    #[serde(rename = "0..255")]
    Bytes,
    /// -1 to 1.
    #[serde(rename = "-1..1")]
    Signed,
}

/// How an image is brought to the size of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resize {
    /// To the size, whatever becomes of the proportions.
    Stretch,
    /// The shorter side to the size, then the middle.
    Crop,
    /// The longer side to the size, then gray bars.
    Letterbox,
    /// The height to the size, then gray on the right, as readers of text lines are trained.
    Pad,
    /// What is drawn, in the middle with a margin, as the digits of MNIST are.
    Center,
}

/// The order of the color channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColorOrder {
    /// Red, green, blue.
    Rgb,
    /// Blue, green, red, as OpenCV reads images.
    Bgr,
}

/// Everything that is done to an image before the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Preprocessing {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// Channels: 1 is gray, 3 is red, green and blue.
    pub channels: usize,
    /// The order of the axes.
    pub layout: Layout,
    /// The order of the color channels.
    pub colors: ColorOrder,
    /// The values of pixels, before mean and standard deviation.
    pub range: Range,
    /// What is subtracted from each channel.
    pub mean: [f32; 3],
    /// What each channel is divided by.
    pub std: [f32; 3],
    /// How the size is changed.
    pub resize: Resize,
    /// Whether light and dark are exchanged.
    pub inverted: bool,
}

/// Mean and standard deviation of ImageNet, which most classifiers were trained with.
pub const IMAGENET: ([f32; 3], [f32; 3]) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]);

/// Reads an image file.
///
/// # Errors
///
/// [`Error::Request`] if it is not an image, or is too large.
pub fn open(path: &Path) -> Result<RgbImage, Error> {
    let failed =
        |why: String| Error::Request(format!("cannot read the image {}: {why}", path.display()));
    let not_image = |error: image::ImageError| match error {
        image::ImageError::Limits(_) => failed(format!(
            "it has more than {} million pixels; scale it down first",
            MOST_PIXELS / 1_000_000
        )),
        image::ImageError::Unsupported(_) => {
            failed("it is not a PNG or JPEG file; convert it to one".to_owned())
        }
        image::ImageError::Decoding(error) => failed(format!(
            "it is damaged: {}",
            std::error::Error::source(&error)
                .map_or_else(|| error.to_string(), |it| it.to_string())
        )),
        error => failed(error.to_string()),
    };
    check_file(path).map_err(failed)?;
    let reader = || -> Result<_, Error> {
        ImageReader::open(path)
            .and_then(ImageReader::with_guessed_format)
            .map_err(|error| failed(error.to_string()))
    };
    // The header alone says how large the image is.
    let (width, height) = reader()?.into_dimensions().map_err(not_image)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > MOST_PIXELS {
        return Err(failed(format!(
            "it has {width} x {height} pixels; at most {} million are read, scale it down first",
            MOST_PIXELS / 1_000_000
        )));
    }
    let mut reader = reader()?;
    let mut limits = Limits::default();
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    let decoded = reader.decode().map_err(not_image)?;
    Ok(over_white(decoded))
}

/// The image without transparency: what is transparent is white, as on paper.
fn over_white(image: image::DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.into_rgb8();
    }
    let pixels = image.into_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [red, green, blue, alpha] = pixels.get_pixel(x, y).0.map(u32::from);
        #[expect(clippy::cast_possible_truncation, reason = "a mean of bytes")]
        let over = |color: u32| ((color * alpha + 255 * (255 - alpha)) / 255) as u8;
        image::Rgb([over(red), over(green), over(blue)])
    })
}

/// Where an image is inside the input: its scale and its offset in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Pixels of the input per pixel of the image, horizontally and vertically.
    pub scale: (f32, f32),
    /// Pixels of the input before the image, horizontally and vertically; negative where it is cut.
    pub offset: (f32, f32),
}

impl Preprocessing {
    /// Brings an image to the size of the input.
    #[expect(clippy::cast_precision_loss, reason = "sides have fewer than 24 bits")]
    pub fn fitted(&self, image: &RgbImage) -> (RgbImage, Placement) {
        let (width, height) = (self.width.max(1), self.height.max(1));
        let (from_width, from_height) = (image.width().max(1), image.height().max(1));
        let ratios = (width as f32 / from_width as f32, height as f32 / from_height as f32);
        let scale = match self.resize {
            Resize::Stretch => {
                let placement = Placement { scale: ratios, offset: (0.0, 0.0) };
                return (imageops::resize(image, width, height, FilterType::Triangle), placement);
            }
            Resize::Center => return self.centered(image),
            Resize::Crop => ratios.0.max(ratios.1),
            Resize::Letterbox | Resize::Pad => ratios.0.min(ratios.1),
        };
        let side = |from: u32, most: u32| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded")]
            let scaled = (from as f32 * scale).round().max(1.0) as u32;
            if self.resize == Resize::Crop { scaled.max(most) } else { scaled.min(most) }
        };
        let (to_width, to_height) = (side(from_width, width), side(from_height, height));
        let resized = imageops::resize(image, to_width, to_height, FilterType::Triangle);
        let is_padded = self.resize == Resize::Pad;
        let middle = |side: u32, to: u32| match is_padded {
            true => 0,
            false => (i64::from(side) - i64::from(to)) / 2,
        };
        let (left, top) = (middle(width, to_width), middle(height, to_height));
        // The gray that detectors are trained with; readers of text are trained with 0, between
        // black at -1 and white at 1.
        let gray = if is_padded { 128 } else { 114 };
        let mut canvas = RgbImage::from_pixel(width, height, image::Rgb([gray; 3]));
        imageops::replace(&mut canvas, &resized, left, top);
        let offset = (left as f32, top as f32);
        (canvas, Placement { scale: (scale, scale), offset })
    }

    /// What is drawn, scaled to 20 of 28 pixels, its center of mass in the middle.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sides have fewer than 24 bits"
    )]
    fn centered(&self, image: &RgbImage) -> (RgbImage, Placement) {
        let (width, height) = (self.width.max(1), self.height.max(1));
        let paper = if is_light(image) { 255_u8 } else { 0 };
        let canvas = RgbImage::from_pixel(width, height, image::Rgb([paper; 3]));
        let ink = |pixel: &image::Rgb<u8>| {
            let mean = pixel.0.iter().map(|x| u32::from(*x)).sum::<u32>() / 3;
            mean.abs_diff(u32::from(paper))
        };
        let most = image.pixels().map(ink).max().unwrap_or(0);
        let drawn = image.enumerate_pixels().filter(|(_, _, pixel)| ink(pixel) * 4 > most.max(1));
        let bounds = drawn.fold(None, |bounds: Option<[u32; 4]>, (x, y, _)| {
            let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
            Some([left.min(x), top.min(y), right.max(x), bottom.max(y)])
        });
        let Some([left, top, right, bottom]) = bounds else {
            return (canvas, Placement { scale: (1.0, 1.0), offset: (0.0, 0.0) });
        };
        let (wide, high) = (right - left + 1, bottom - top + 1);
        let inner = (width.min(height) * 20 / 28).max(1);
        let scale = inner as f32 / wide.max(high) as f32;
        let side = |from: u32| ((from as f32 * scale).round() as u32).clamp(1, inner);
        let part = imageops::crop_imm(image, left, top, wide, high).to_image();
        let part = imageops::resize(&part, side(wide), side(high), FilterType::Triangle);
        let (mut sum, mut x_sum, mut y_sum) = (0.0_f32, 0.0_f32, 0.0_f32);
        for (x, y, pixel) in part.enumerate_pixels() {
            let weight = ink(pixel) as f32;
            sum += weight;
            x_sum += weight * (x as f32 + 0.5);
            y_sum += weight * (y as f32 + 0.5);
        }
        let middle = |total: f32, side: u32| (side as f32 / 2.0 - total / sum.max(1e-6)).round();
        let (x, y) = (middle(x_sum, width), middle(y_sum, height));
        let mut canvas = canvas;
        imageops::replace(&mut canvas, &part, x as i64, y as i64);
        let offset = (x - left as f32 * scale, y - top as f32 * scale);
        (canvas, Placement { scale: (scale, scale), offset })
    }

    /// Returns the tensor of an image of the size of the input.
    ///
    /// # Errors
    ///
    /// [`Error::Type`] if pixels cannot have the type.
    pub fn tensor(&self, image: &RgbImage, rank: usize, dtype: DType) -> Result<Tensor, Error> {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let mut values = vec![0.0_f32; width * height * self.channels];
        for (place, pixel) in image.pixels().enumerate() {
            let [red, green, blue] = pixel.0.map(f32::from);
            let gray = 0.299 * red + 0.587 * green + 0.114 * blue;
            let colors = match self.colors {
                ColorOrder::Rgb => [red, green, blue],
                ColorOrder::Bgr => [blue, green, red],
            };
            for channel in 0..self.channels {
                let raw = if self.channels == 1 { gray } else { colors[channel % 3] };
                let raw = if self.inverted { 255.0 - raw } else { raw };
                let value = match self.range {
                    Range::Unit => raw / 255.0,
                    Range::Bytes => raw,
                    Range::Signed => raw / 127.5 - 1.0,
                };
                let value = (value - self.mean[channel % 3]) / self.std[channel % 3];
                let index = match self.layout {
                    Layout::Nchw => channel * width * height + place,
                    Layout::Nhwc => place * self.channels + channel,
                };
                values[index] = value;
            }
        }
        let shape = match self.layout {
            Layout::Nchw => vec![1, self.channels, height, width],
            Layout::Nhwc => vec![1, height, width, self.channels],
        };
        let skipped = shape.len().saturating_sub(rank).min(1);
        Tensor::from_f32(shape[skipped..].to_vec(), values, dtype)
            .ok_or_else(|| Error::Type("image".to_owned(), dtype.to_string()))
    }
}

/// Whether most of an image is light.
pub fn is_light(image: &RgbImage) -> bool {
    let light =
        image.pixels().filter(|pixel| pixel.0.iter().map(|x| u32::from(*x)).sum::<u32>() > 384);
    light.count() * 2 > image.pixels().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn preprocessing(resize: Resize) -> Preprocessing {
        Preprocessing {
            width: 8,
            height: 8,
            channels: 3,
            layout: Layout::Nchw,
            colors: ColorOrder::Rgb,
            range: Range::Unit,
            mean: [0.0; 3],
            std: [1.0; 3],
            resize,
            inverted: false,
        }
    }

    #[test]
    fn a_letterbox_keeps_proportions() {
        let image = RgbImage::from_pixel(16, 8, image::Rgb([255, 0, 0]));
        let (fitted, placement) = preprocessing(Resize::Letterbox).fitted(&image);
        // 16 x 8 becomes 8 x 4, with two gray rows above and below.
        assert_eq!(placement, Placement { scale: (0.5, 0.5), offset: (0.0, 2.0) });
        assert_eq!(fitted.get_pixel(0, 1).0, [114; 3]);
        assert_eq!(fitted.get_pixel(0, 2).0, [255, 0, 0]);
        let (fitted, placement) = preprocessing(Resize::Crop).fitted(&image);
        assert_eq!((fitted.dimensions(), placement.offset), ((8, 8), (-4.0, 0.0)));
    }

    #[test]
    fn a_drawing_is_centered_with_a_margin() {
        // A bar of 10 x 40 in a corner of white paper.
        let mut image = RgbImage::from_pixel(100, 100, image::Rgb([255; 3]));
        for (x, y) in (0..10).flat_map(|x| (50..90).map(move |y| (x, y))) {
            image.put_pixel(x, y, image::Rgb([0; 3]));
        }
        let mut how = preprocessing(Resize::Center);
        (how.width, how.height) = (28, 28);
        let (fitted, _) = how.fitted(&image);
        // 40 pixels become 20, between rows 4 and 24; 10 become 5, around column 14.
        let is_dark = |x: u32, y: u32| fitted.get_pixel(x, y).0[0] < 128;
        assert!(is_dark(14, 5) && is_dark(14, 22) && !is_dark(14, 2) && !is_dark(14, 25));
        assert!(!is_dark(8, 14) && !is_dark(20, 14));
    }

    #[test]
    fn a_line_keeps_its_proportions_and_gets_gray_on_the_right() {
        let image = RgbImage::from_pixel(4, 4, image::Rgb([255; 3]));
        let mut how = preprocessing(Resize::Pad);
        how.width = 20;
        let (fitted, placement) = how.fitted(&image);
        assert_eq!(placement, Placement { scale: (2.0, 2.0), offset: (0.0, 0.0) });
        assert_eq!((fitted.get_pixel(7, 0).0, fitted.get_pixel(8, 0).0), ([255; 3], [128; 3]));
    }

    #[test]
    fn pixels_are_scaled_and_normalized() {
        let image = RgbImage::from_pixel(8, 8, image::Rgb([255, 0, 51]));
        let mut how = preprocessing(Resize::Stretch);
        let tensor = how.tensor(&image, 4, DType::Float32).unwrap();
        assert_eq!(tensor.shape(), [1, 3, 8, 8]);
        let values = tensor.to_f32().unwrap();
        // 255 / 255, 0 and 51 / 255, a plane each.
        assert_eq!((values[0], values[64], values[128]), (1.0, 0.0, 0.2));
        (how.mean, how.std, how.layout) = ([0.5; 3], [0.25; 3], Layout::Nhwc);
        let values = how.tensor(&image, 3, DType::Float32).unwrap();
        assert_eq!(values.shape(), [8, 8, 3]);
        // (1 - 0.5) / 0.25 = 2, (0 - 0.5) / 0.25 = -2.
        assert_eq!(values.to_f32().unwrap()[..2], [2.0, -2.0]);
    }
}
