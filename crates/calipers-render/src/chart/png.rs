//! SVG to PNG, with the embedded font and no other.
//!
//! Fonts of the machine are never looked for, so a chart is the same everywhere.

use std::sync::{Arc, OnceLock};

use resvg::{tiny_skia, usvg};
use thiserror::Error;

use super::mark::marked_png;

/// Most pixels along a side; a chart of ours has two thousand at most.
const MOST_PIXELS: f32 = 16_384.0;

/// Why there is no PNG.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PngError {
    /// The text is not SVG.
    #[error("the chart is not valid SVG: {0}")]
    Svg(String),
    /// The scale leaves no pixel, or too many.
    #[error("a chart of {0} by {1} pixels cannot be drawn")]
    Size(f32, f32),
    /// The pixels could not be written.
    #[error("the pixels cannot be written: {0}")]
    Write(String),
}

/// The image as PNG, with this many pixels per unit of the SVG.
pub fn png(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let options =
        usvg::Options { fontdb: fonts(), font_family: "Inter".to_owned(), ..Default::default() };
    let tree =
        usvg::Tree::from_str(svg, &options).map_err(|error| PngError::Svg(error.to_string()))?;
    let (width, height) = (tree.size().width() * scale, tree.size().height() * scale);
    let whole = |side: f32| {
        let side = side.round();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
        (1.0..=MOST_PIXELS).contains(&side).then_some(side as u32)
    };
    let mut pixels = whole(width)
        .zip(whole(height))
        .and_then(|(width, height)| tiny_skia::Pixmap::new(width, height))
        .ok_or(PngError::Size(width, height))?;
    let transform = tiny_skia::Transform::from_scale(scale, scale);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(|error| PngError::Write(error.to_string()))?;
    Ok(marked_png(&png))
}

/// The embedded fonts, read once.
fn fonts() -> Arc<usvg::fontdb::Database> {
    static FONTS: OnceLock<Arc<usvg::fontdb::Database>> = OnceLock::new();
    Arc::clone(FONTS.get_or_init(|| {
        let mut fonts = usvg::fontdb::Database::new();
        fonts.load_font_data(include_bytes!("font/Inter-Regular.ttf").to_vec());
        fonts.load_font_data(include_bytes!("font/Inter-SemiBold.ttf").to_vec());
        Arc::new(fonts)
    }))
}

/// The image as PNG at two pixels per unit, or at the largest scale that a PNG may have.
pub fn png_within_limits(svg: &str) -> Result<Vec<u8>, PngError> {
    match png(svg, 2.0) {
        Err(PngError::Size(width, height)) if width >= 1.0 && height >= 1.0 => {
            png(svg, 2.0 * MOST_PIXELS / width.max(height) * 0.999)
        }
        drawn => drawn,
    }
}
