//! Tasks on images.
//!
//! | task | outputs | file |
//! |---|---|---|
//! | object-detection, instance-segmentation, pose-estimation | boxes and scores at many positions, regions that are classified, heat maps with sizes | [`boxes`] |
//! | text-recognition, table-structure, image-to-text | scores of characters, tags or words in order | [`sequences`] |
//! | image-classification | a score for each class | [`vectors`] |
//! | image-segmentation, text-detection, depth-estimation, super-resolution, image-to-image | a map or an image | [`maps`] |
//! | keypoint-detection, watermark-decoding | coordinates or bits, where a name says so | [`vectors`] |
//! | image-embedding, image-features | vectors or features that no head follows | [`vectors`] |

mod boxes;
mod maps;
mod sequences;
mod vectors;

use calipers_report::Confidence::High;
use calipers_report::{Task, TaskKind};
use calipers_sym::Expr;

use super::{Seen, reported};
use crate::network::Val;
use crate::stats::Given;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let picture = Picture::find(seen)?;
    let outputs = seen.outputs();
    sequences::table(seen, &outputs)
        .or_else(|| boxes::recognized(seen, &outputs))
        .or_else(|| sequences::lines(seen, &picture))
        .or_else(|| sequences::decoder(seen, &outputs))
        .or_else(|| boxes::lists(seen, &picture, &outputs))
        .or_else(|| boxes::heat_maps(seen, &picture, &outputs))
        .or_else(|| vectors::named(seen, &outputs))
        .or_else(|| vectors::classification(seen, &outputs))
        .or_else(|| maps::task(seen, &picture, &outputs))
        .or_else(|| vectors::embedding(seen, &outputs))
}

/// Masks of what points in an image show: features of the image go in, and the points.
pub(super) fn prompted(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let mut inputs = net.inputs.iter();
    let features = net.inputs.iter().any(|val| {
        net.rank(*val) == Some(4) && net.dim(*val, 1).is_some_and(|channels| channels >= 32)
    });
    let points = inputs.any(|val| {
        net.rank(*val) == Some(3)
            && net.dim(*val, -1) == Some(2)
            && net.dtype(*val).is_some_and(|dtype| dtype.is_float())
    });
    let masks = seen
        .outputs()
        .into_iter()
        .find(|output| net.rank(*output) == Some(4) && seen.output_named(*output, &["mask"]))?;
    (features && points).then(|| {
        let shown = seen.shown(masks);
        let words = format!("image features and points as input, masks as output ({shown})");
        reported(TaskKind::ImageSegmentation, High, words, None)
    })
}

/// An image that goes in.
struct Picture {
    val: Val,
    channels: Option<i64>,
    /// Whether the channels are the last axis.
    last: bool,
    /// Pixels, at the assumed sizes.
    height: Option<i64>,
    width: Option<i64>,
}

impl Picture {
    fn find(seen: &Seen<'_, '_>) -> Option<Self> {
        let net = seen.net();
        let val = seen.stats.inputs.iter().find(|(_, given)| *given == Given::Image)?.0;
        let rank = net.rank(val)?;
        let is_count = |at: isize| net.dim(val, at).is_some_and(|dim| dim <= 16);
        // Batch, channels, sides; or the same without a batch.
        let first = if rank >= 4 { 1 } else { 0 };
        let last = is_count(-1) && !(is_count(first) && net.dim(val, first) != Some(0));
        let (height, width) = if last { (-3, -2) } else { (-2, -1) };
        Some(Self {
            val,
            channels: net.dim(val, if last { -1 } else { first }),
            last,
            height: seen.stats.size(val, height),
            width: seen.stats.size(val, width),
        })
    }

    /// The height and width as the file has them.
    fn sides<'s>(&self, seen: &'s Seen<'_, '_>) -> Option<[&'s Expr; 2]> {
        match (seen.net().shape(self.val)?, self.last) {
            ([.., height, width, _], true) | ([.., height, width], false) => Some([height, width]),
            _ => None,
        }
    }

    /// A map of an output's dimensions: channels, rows and columns.
    fn map(&self, seen: &Seen<'_, '_>, output: Val) -> Option<Map> {
        let dims = seen.sizes(output);
        let (Some(height), Some(width)) = (self.height, self.width) else { return None };
        let fits = |rows: i64, columns: i64| {
            // A stride may round each side.
            let (down, across) = (height as f64 / rows as f64, width as f64 / columns as f64);
            // One pixel is a vector.
            let is_map = rows > 0 && columns > 0 && (rows > 1 || columns > 1);
            is_map && (down / across - 1.0).abs() < 0.05
        };
        let found = |channels: i64, rows: i64, columns: i64| {
            let size = match height as f64 / rows as f64 {
                scale if scale < 0.97 => Size::Larger,
                scale if scale <= 1.03 => Size::Same,
                scale if scale <= 8.5 => Size::Smaller,
                _ => Size::Tiny,
            };
            Map { output, channels, rows, columns, size }
        };
        match dims[..] {
            [_, Some(channels), Some(rows), Some(columns)]
                if fits(rows, columns) && !(self.last && fits(channels, rows)) =>
            {
                Some(found(channels, rows, columns))
            }
            [_, Some(rows), Some(columns), Some(channels)] if fits(rows, columns) => {
                Some(found(channels, rows, columns))
            }
            [_, Some(channels), Some(_), Some(rows), Some(columns)] if fits(rows, columns) => {
                Some(found(channels, rows, columns))
            }
            [_, Some(rows), Some(columns)] if fits(rows, columns) => {
                let map = found(1, rows, columns);
                (map.size <= Size::Smaller).then_some(map)
            }
            _ => None,
        }
    }
}

/// An output that has a value at every position of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Map {
    output: Val,
    channels: i64,
    rows: i64,
    columns: i64,
    size: Size,
}

/// How the sides of a map compare with those of the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Larger,
    Same,
    /// At least an eighth of the side.
    Smaller,
    Tiny,
}
