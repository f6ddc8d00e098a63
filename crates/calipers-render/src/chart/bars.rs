//! A chart of bars: a name, a bar, and figures in columns.

use super::canvas::{Anchor, Area, Canvas, MARGIN, Style, WIDTH};
use super::theme::{Color, Theme};

/// Rows of a chart at most; what is beyond is folded into the last.
pub(super) const ROWS: usize = 12;

const ROW: f64 = 26.0;
const THICK: f64 = 14.0;
/// Names take no more than this.
const NAMES: f64 = 210.0;
const GAP: f64 = 14.0;

/// One bar.
pub(super) struct Bar {
    /// As the model spells it.
    pub(super) name: String,
    /// Its parts, each a value with its color; all bars are to one scale.
    pub(super) parts: Vec<(u128, Color)>,
    /// Figures, from left to right; the first is ink, others are quiet.
    pub(super) figures: Vec<String>,
}

impl Bar {
    fn length(&self) -> u128 {
        self.parts.iter().fold(0, |sum, (value, _)| sum.saturating_add(*value))
    }
}

/// The number of entries that have a row of their own.
pub(super) fn shown(entries: usize) -> usize {
    if entries > ROWS { ROWS - 1 } else { entries }
}

/// The chart, beneath a heading.
pub(super) fn draw(theme: Theme, bars: &[Bar], heading: impl FnOnce(&mut Canvas)) -> Canvas {
    #[expect(clippy::cast_precision_loss, reason = "bars are few")]
    let height = Canvas::TOP + bars.len() as f64 * ROW + MARGIN - 6.0;
    let mut canvas = Canvas::new(theme, height);
    heading(&mut canvas);
    let names: Vec<String> = bars.iter().map(|bar| Style::BODY.fit(&bar.name, NAMES)).collect();
    let names_wide = names.iter().map(|name| Style::BODY.width(name)).fold(0.0, f64::max);
    let widths = columns(bars);
    let figures: f64 = widths.iter().map(|width| width + GAP).sum();
    let left = MARGIN + names_wide + GAP;
    let group = WIDTH - MARGIN - figures - left;
    let longest = bars.iter().map(Bar::length).max().unwrap_or(0);
    let mut top = Canvas::TOP;
    for (bar, name) in bars.iter().zip(&names) {
        let line = top + ROW / 2.0 + 4.0;
        canvas.text(MARGIN, line, &Style::BODY, name);
        parts(&mut canvas, bar, longest, [left, top + (ROW - THICK) / 2.0], group);
        let mut right = WIDTH - MARGIN;
        for (i, width) in widths.iter().enumerate().rev() {
            let style = if i == 0 { Style::BODY } else { Style::QUIET }.anchor(Anchor::End);
            canvas.text(right, line, &style, bar.figures.get(i).map_or("", String::as_str));
            right -= width + GAP;
        }
        top += ROW;
    }
    canvas
}

fn columns(bars: &[Bar]) -> Vec<f64> {
    let count = bars.iter().map(|bar| bar.figures.len()).max().unwrap_or(0);
    let width = |i: usize| {
        let figures = bars.iter().filter_map(|bar| bar.figures.get(i));
        figures.map(|figure| Style::BODY.width(figure)).fold(0.0, f64::max)
    };
    (0..count).map(width).collect()
}

/// The parts of a bar, one after another. What is not nothing shows.
fn parts(canvas: &mut Canvas, bar: &Bar, longest: u128, [left, top]: [f64; 2], group: f64) {
    let mut x = left;
    for (value, color) in bar.parts.iter().filter(|(value, _)| *value > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a tenth of a pixel is drawn")]
        let width = (*value as f64 / longest.max(1) as f64 * group).max(1.5);
        let right = (x + width).min(left + group.max(1.5));
        let area = Area { left: x.min(right - 1.5), right, top, bottom: top + THICK };
        canvas.rect(&area, if width > 4.0 { 2.0 } else { 0.0 }, *color);
        x = right;
    }
}
