//! Images as tensors.

use std::path::Path;

use calipers_ir::DType;
use image::imageops::{self, FilterType};
use image::{ImageReader, Limits, RgbImage};
use serde::Serialize;

use crate::{Error, Tensor};

/// Pixels along a side at most.
const MOST_SIDE: u32 = 20_000;

/// Bytes that decoding may take.
const MOST_BYTES: u64 = 1_000_000_000;

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
    if !path.is_file() {
        return Err(failed("no such file".to_owned()));
    }
    let mut reader = ImageReader::open(path)
        .and_then(ImageReader::with_guessed_format)
        .map_err(|error| failed(error.to_string()))?;
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_SIDE);
    limits.max_image_height = Some(MOST_SIDE);
    limits.max_alloc = Some(MOST_BYTES);
    reader.limits(limits);
    reader.decode().map(|image| image.to_rgb8()).map_err(|error| failed(error.to_string()))
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
            Resize::Crop => ratios.0.max(ratios.1),
            Resize::Letterbox => ratios.0.min(ratios.1),
        };
        let side = |from: u32, most: u32| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rounded")]
            let scaled = (from as f32 * scale).round().max(1.0) as u32;
            if self.resize == Resize::Letterbox { scaled.min(most) } else { scaled.max(most) }
        };
        let (to_width, to_height) = (side(from_width, width), side(from_height, height));
        let resized = imageops::resize(image, to_width, to_height, FilterType::Triangle);
        let left = (i64::from(width) - i64::from(to_width)) / 2;
        let top = (i64::from(height) - i64::from(to_height)) / 2;
        // The gray that detectors are trained with.
        let mut canvas = RgbImage::from_pixel(width, height, image::Rgb([114, 114, 114]));
        imageops::replace(&mut canvas, &resized, left, top);
        let offset = (left as f32, top as f32);
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
            for channel in 0..self.channels {
                let raw =
                    if self.channels == 1 { gray } else { pixel.0.map(f32::from)[channel % 3] };
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
