//! Typed values and sentences as styled text.

use calipers_report::{Dimension, ValueShape};

use super::bar;
use super::page::{Line, Page, Role};
use crate::table::Zero;
use crate::text;
use crate::units;
use crate::value::{Fit, Spans, Value, dtype_text};

/// Dimensions that are shown of a shape, and shapes of a list of types.
const DIMENSIONS: usize = 32;
const TYPES: usize = 4;

/// A cell of a table. A figure that is not known is `unknown`; the notes of the table have the
/// reason.
pub(super) fn cell(value: &Value, role: Role, zero: Zero, page: &Page) -> Line {
    match value {
        Value::AtLeast(inner) if inner.is_zero() => Line::new(Role::Warning, "unknown"),
        Value::AtLeast(inner) => {
            Line::new(role, page.glyph("≥ ", ">= ")).and_line(cell(inner, role, Zero::Shown, page))
        }
        Value::Missing(_) => Line::new(Role::Warning, "unknown"),
        other if other.is_zero() && zero == Zero::Blank => Line::default(),
        other if other.is_zero() && zero == Zero::Dash => {
            Line::new(Role::Quiet, page.glyph("–", "-"))
        }
        other => piece(other, role, usize::MAX, page),
    }
}

/// A sentence on one line. A name takes at most half of a section's width, so that what is next to
/// it can be read.
pub(super) fn line(spans: &Spans, page: &Page) -> Line {
    line_within(spans, page.body() / 2, page)
}

/// A sentence on one line, whose names take at most `most` columns each.
pub(super) fn line_within(spans: &Spans, most: usize, page: &Page) -> Line {
    let pieces = spans.0.iter().map(|span| match &span.value {
        Value::AtLeast(inner) => {
            Line::new(Role::Warning, "at least ").and_line(piece(inner, span.tone, most, page))
        }
        Value::Missing(Some(reason)) => Line::new(Role::Warning, "unknown")
            .and(Role::Quiet, format!(": {}", text::prose(reason, page.charset))),
        value => piece(value, span.tone, most, page),
    });
    pieces.fold(Line::default(), Line::and_line)
}

fn piece(value: &Value, role: Role, most: usize, page: &Page) -> Line {
    let set = page.charset;
    if let Some(figure) = value.figure() {
        let figure = text::ours(&figure, set);
        // Every digit of a figure is there for those who need it.
        return match figure.split_once(" (") {
            Some((short, digits)) if is_long(value) => {
                Line::new(role, short).and(Role::Quiet, format!(" ({digits}"))
            }
            _ => Line::new(role, figure),
        };
    }
    let name = |name: &str| Line::new(role, text::truncate(&text::name(name, set), most, set));
    match value {
        Value::Text(words) => Line::new(role, text::ours(words, set)),
        Value::Name(it)
        | Value::Anchor(it)
        | Value::Tree { name: it, .. }
        | Value::Link { name: it, .. } => name(it),
        Value::Prose(words) | Value::Quoted(words) | Value::Formula(words) => {
            Line::new(role, text::prose(words, set))
        }
        Value::Types(types) => Line::new(role, type_list(types, page)),
        Value::Shape(dims) => Line::new(role, shape(dims, page)),
        Value::Timeline(steps) => bar::timeline(steps, page),
        Value::Spans(spans) => line_within(spans, most, page),
        Value::Fit(fit) => memory(fit, role),
        Value::Missing(_) => Line::new(Role::Warning, "unknown"),
        Value::AtLeast(inner) => piece(inner, role, most, page),
        // Figures are set above.
        _ => Line::default(),
    }
}

/// Whether a figure is written in short and with every digit.
fn is_long(value: &Value) -> bool {
    matches!(value, Value::LongCount(_) | Value::LongOperations(..) | Value::LongBytes(_))
}

/// `0.68 GB of 24 GB`, `does not fit: needs 29.4 GB of 24 GB`.
fn memory(fit: &Fit, role: Role) -> Line {
    let Some(needed) = fit.needed.map(units::gigabytes) else {
        return Line::new(Role::Warning, "unknown");
    };
    let of =
        fit.capacity.map(|group| format!(" of {}", units::capacity(group))).unwrap_or_default();
    match fit.fits {
        Some(false) => {
            Line::new(Role::Error, "does not fit").and(role, format!(": needs {needed}{of}"))
        }
        _ if fit.is_tight => Line::new(role, format!("{needed}{of}")).and(Role::Warning, " tight"),
        _ => Line::new(role, format!("{needed}{of}")),
    }
}

fn type_list(types: &[Option<ValueShape>], page: &Page) -> String {
    let one = |value: &Option<ValueShape>| match value {
        None => page.glyph("–", "-").to_owned(),
        Some(value) => match &value.shape {
            Some(dims) => shape(dims, page),
            None => dtype_text(value),
        },
    };
    let shapes: Vec<String> = types.iter().take(TYPES).map(one).collect();
    let rest = if types.len() > TYPES { page.charset.ellipsis() } else { "" };
    format!("{}{rest}", shapes.join(" "))
}

fn shape(dims: &[Dimension], page: &Page) -> String {
    let one = |dim: &Dimension| match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => text::name(name, page.charset),
        Dimension::Unknown => "?".to_owned(),
    };
    let mut shown: Vec<String> = dims.iter().take(DIMENSIONS).map(one).collect();
    if dims.len() > DIMENSIONS {
        shown.push(page.charset.ellipsis().to_owned());
    }
    format!("[{}]", shown.join(", "))
}
