//! Writes SVG: a few shapes and texts, nothing else.
//!
//! Coordinates are rounded to a tenth, so that the bytes do not hang on a machine's arithmetic. All
//! attributes are ours; only the content of texts comes from a model, and it is escaped here.

use std::fmt::Write as _;

use super::font::{self, Weight};
use super::theme::{Color, Theme};
use crate::text::{self, Charset};

/// Every chart is so wide.
pub(super) const WIDTH: f64 = 720.0;
/// Nothing but the page is closer to the edge than this.
pub(super) const MARGIN: f64 = 24.0;

/// Sizes of text.
pub(super) const TITLE: f64 = 16.0;
pub(super) const BODY: f64 = 12.0;
pub(super) const SMALL: f64 = 11.0;

/// Width between a name and the words after it.
const AFTER_NAME: f64 = 6.0;

/// Fonts, from ours to what any machine has.
const FAMILY: &str =
    "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// Which end of a text is at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text looks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) weight: Weight,
    pub(super) color: Color,
    pub(super) anchor: Anchor,
}

impl Style {
    pub(super) const TITLE: Self =
        Self { size: TITLE, weight: Weight::SemiBold, color: Color::Ink, anchor: Anchor::Start };
    pub(super) const BODY: Self =
        Self { size: BODY, weight: Weight::Regular, color: Color::Ink, anchor: Anchor::Start };
    pub(super) const QUIET: Self = Self { color: Color::Quiet, ..Self::BODY };
    pub(super) const AXIS: Self = Self { size: SMALL, ..Self::QUIET };

    pub(super) const fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub(super) const fn color(self, color: Color) -> Self {
        Self { color, ..self }
    }

    pub(super) const fn strong(self) -> Self {
        Self { weight: Weight::SemiBold, ..self }
    }

    /// Width to keep for a text.
    pub(super) fn width(&self, text: &str) -> f64 {
        font::width(text, self.size, self.weight)
    }

    /// A name in at most this width.
    pub(super) fn fit(&self, raw: &str, width: f64) -> String {
        font::fit(raw, width, self.size, self.weight)
    }

    /// The area that a text at a place takes, slack included.
    pub(super) fn area(&self, x: f64, y: f64, text: &str) -> Area {
        let width = self.width(text);
        let left = match self.anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        // Inter's ascenders reach 0.97 of the size above the line at most, its descenders 0.24 below.
        Area { left, right: left + width, top: y - 0.8 * self.size, bottom: y + 0.24 * self.size }
    }
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn width(&self) -> f64 {
        self.right - self.left
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom - self.top
    }

    pub(super) fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    pub(super) fn holds(&self, other: &Self) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }
}

/// What a color represents: a name of the model, and quiet words of ours.
pub(super) struct Key {
    pub(super) color: Color,
    pub(super) name: String,
    pub(super) rest: String,
}

/// A chart in the making.
pub(super) struct Canvas {
    pub(super) theme: Theme,
    height: f64,
    body: String,
}

impl Canvas {
    /// An empty page so high, [`WIDTH`] wide.
    pub(super) fn new(theme: Theme, height: f64) -> Self {
        Self { theme, height, body: String::new() }
    }

    /// The title and the line beneath it; everything else begins below [`Canvas::TOP`].
    pub(super) fn heading(&mut self, title: &str, remark: &str) {
        let width = WIDTH - 2.0 * MARGIN;
        self.text(MARGIN, 38.0, &Style::TITLE, &Style::TITLE.fit(title, width));
        self.text(MARGIN, 58.0, &Style::QUIET, &Style::QUIET.fit(remark, width));
    }

    /// What colors represent, one after another on a line. Where not all fit, long names are
    /// cut first.
    pub(super) fn keys(&mut self, y: f64, keys: &[Key]) {
        const SWATCH: f64 = 14.0;
        const GAP: f64 = 16.0;
        let rests: Vec<f64> =
            keys.iter().map(|key| Style::QUIET.width(&key.rest) + AFTER_NAME).collect();
        let fixed: f64 = rests.iter().map(|rest| rest + SWATCH + GAP).sum();
        let width = WIDTH - 2.0 * MARGIN + GAP - fixed;
        let names: Vec<f64> = keys
            .iter()
            .map(|key| Style::BODY.width(&text::name(&key.name, Charset::Unicode)))
            .collect();
        let longest = longest(&names, width);
        let mut x = MARGIN;
        for (key, rest) in keys.iter().zip(&rests) {
            let name = Style::BODY.fit(&key.name, longest);
            let area = Area { left: x, right: x + 9.0, top: y - 8.5, bottom: y + 0.5 };
            self.rect(&area, 2.0, key.color);
            self.text_and_rest(x + SWATCH, y, &Style::BODY, &name, &key.rest);
            x += SWATCH + Style::BODY.width(&name) + rest + GAP;
        }
    }

    /// Where the heading ends.
    pub(super) const TOP: f64 = 76.0;

    /// A text over lines and dots, with a rim of the page's color.
    pub(super) fn text_over(&mut self, x: f64, y: f64, style: &Style, text: &str) {
        let rim = self.theme.hex(Color::Page);
        let _ = write!(self.body, r#"<g stroke="{rim}" stroke-width="3" paint-order="stroke">"#);
        self.text(x, y, style, text);
        self.body.push_str("</g>\n");
    }

    /// A text and quiet words after it, both clean already.
    pub(super) fn text_and_rest(&mut self, x: f64, y: f64, style: &Style, text: &str, rest: &str) {
        if rest.is_empty() || !font::covers(text) {
            self.text(x, y, style, text);
            let quiet = Style { weight: Weight::Regular, color: Color::Quiet, ..*style };
            self.text(x + style.width(text) + AFTER_NAME, y, &quiet, rest);
            return;
        }
        self.begin_text(x, y, style);
        let (text, quiet, rest) = (escape(text), self.theme.hex(Color::Quiet), escape(rest));
        let _ = writeln!(
            self.body,
            r#">{text} <tspan dx="2" font-weight="400" fill="{quiet}">{rest}</tspan></text>"#
        );
    }

    /// A text that is clean already.
    pub(super) fn text(&mut self, x: f64, y: f64, style: &Style, text: &str) {
        if text.is_empty() {
            return;
        }
        self.begin_text(x, y, style);
        if !font::covers(text) {
            // Nobody knows how wide another font draws these.
            let width = number(font::advance(text, style.size, style.weight));
            let _ = write!(self.body, r#" textLength="{width}" lengthAdjust="spacingAndGlyphs""#);
        }
        let _ = writeln!(self.body, ">{}</text>", escape(text));
    }

    fn begin_text(&mut self, x: f64, y: f64, style: &Style) {
        let anchor = match style.anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let weight = match style.weight {
            Weight::Regular => "",
            Weight::SemiBold => r#" font-weight="600""#,
        };
        let (x, y, size, fill) =
            (number(x), number(y), number(style.size), self.theme.hex(style.color));
        let _ = write!(
            self.body,
            r#"<text x="{x}" y="{y}" font-size="{size}" fill="{fill}"{weight}{anchor}"#
        );
    }

    /// Draws something with a tooltip, whose text is clean already.
    pub(super) fn with_tooltip(&mut self, words: &str, draw: impl FnOnce(&mut Self)) {
        let _ = write!(self.body, "<g><title>{}</title>", escape(words));
        draw(self);
        self.body.push_str("</g>\n");
    }

    /// A filled rectangle with corners so round.
    pub(super) fn rect(&mut self, area: &Area, round: f64, color: Color) {
        let [x, y, width, height] =
            [area.left, area.top, area.width().max(0.0), area.height().max(0.0)].map(number);
        let fill = self.theme.hex(color);
        let round = if round > 0.0 { format!(r#" rx="{}""#, number(round)) } else { String::new() };
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}"{round} fill="{fill}"/>"#
        );
    }

    /// A rectangle that lets what is beneath it through.
    pub(super) fn tint(&mut self, area: &Area, round: f64, color: Color, opacity: f64) {
        let [x, y, width, height, round] =
            [area.left, area.top, area.width().max(0.0), area.height().max(0.0), round].map(number);
        let fill = self.theme.hex(color);
        let _ = writeln!(
            self.body,
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{round}" fill="{fill}" fill-opacity="{opacity}"/>"#
        );
    }

    /// A line between two points.
    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], color: Color, dashed: bool) {
        let dash = if dashed { r#" stroke-dasharray="4 3""# } else { "" };
        let ([x1, y1], [x2, y2]) = (from.map(number), to.map(number));
        let stroke = self.theme.hex(color);
        let _ = writeln!(
            self.body,
            r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{stroke}"{dash}/>"#
        );
    }

    /// Joined lines, so thick.
    pub(super) fn path(&mut self, points: &[[f64; 2]], thick: f64, color: Color) {
        let stroke = self.theme.hex(color);
        let (d, thick) = (outline(points), number(thick));
        let _ = writeln!(
            self.body,
            r#"<path d="{d}" fill="none" stroke="{stroke}" stroke-width="{thick}" stroke-linejoin="round" stroke-linecap="round"/>"#
        );
    }

    /// A filled shape, so opaque.
    pub(super) fn shape(&mut self, points: &[[f64; 2]], color: Color, opacity: f64) {
        let (fill, d) = (self.theme.hex(color), outline(points));
        let opacity = (opacity * 100.0).round() / 100.0;
        let _ = writeln!(self.body, r#"<path d="{d}Z" fill="{fill}" fill-opacity="{opacity}"/>"#);
    }

    /// A dot with a ring of the page's color around it.
    pub(super) fn dot(&mut self, [x, y]: [f64; 2], radius: f64, color: Color, opacity: f64) {
        let ([x, y, radius], fill) = ([x, y, radius].map(number), self.theme.hex(color));
        let (ring, opacity) = (self.theme.hex(Color::Page), (opacity * 100.0).round() / 100.0);
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" fill-opacity="{opacity}" stroke="{ring}"/>"#
        );
    }

    /// A hollow dot, filled with the page's color.
    pub(super) fn ring(&mut self, [x, y]: [f64; 2], radius: f64, color: Color) {
        let ([x, y, radius], stroke) = ([x, y, radius].map(number), self.theme.hex(color));
        let fill = self.theme.hex(Color::Page);
        let _ = writeln!(
            self.body,
            r#"<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{stroke}" stroke-width="2"/>"#
        );
    }

    /// The whole file.
    pub(super) fn finish(self, name: &str, title: &str, alt: &str) -> String {
        let id = format!("calipers-{name}-{}", self.theme.word());
        let (width, height, page) =
            (number(WIDTH), number(self.height), self.theme.hex(Color::Page));
        let (title, alt, body) = (escape(title), escape(alt), self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{alt}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"{page}\"/>\n{body}</svg>\n"
        )
    }
}

/// How long each may be so that all together take the width: the short ones as they are.
fn longest(lengths: &[f64], width: f64) -> f64 {
    let mut sorted = lengths.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mut left = width;
    for (i, length) in sorted.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "they are few")]
        let each = left / (sorted.len() - i) as f64;
        if *length > each {
            return each.max(0.0);
        }
        left -= length;
    }
    width
}

fn outline(points: &[[f64; 2]]) -> String {
    let mut d = String::with_capacity(points.len() * 12);
    for (i, point) in points.iter().enumerate() {
        let [x, y] = point.map(number);
        let _ = write!(d, "{}{x} {y}", if i == 0 { "M" } else { "L" });
    }
    d
}

/// A coordinate to a tenth; what is none is 0.
fn number(value: f64) -> String {
    let tenths = (value * 10.0).round();
    if !tenths.is_finite() || tenths == 0.0 {
        return "0".to_owned();
    }
    (tenths / 10.0).to_string()
}

/// A text as XML: what it cannot hold is written as an escape of ours.
fn escape(raw: &str) -> String {
    let mut shown = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '\u{fffe}' | '\u{ffff}' => shown.extend(c.escape_unicode()),
            c if text::is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    text::escape_markup(&shown)
}
