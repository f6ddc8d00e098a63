//! Typed values and sentences as Markdown.

use calipers_report::{Dimension, ValueShape};

use super::escape::{code, plain, reported};
use crate::table::Zero;
use crate::text::{self, Charset};
use crate::units;
use crate::value::{Fit, Spans, Tone, Value, dtype_text};

/// Characters of a formula that are kept.
const FORMULA: usize = 300;
/// Dimensions that are shown of a shape.
const DIMENSIONS: usize = 12;

/// A cell of a table; empty where there is nothing to say.
pub(super) fn cell(value: &Value, zero: Zero) -> String {
    match value {
        other if other.is_zero() && zero != Zero::Shown => String::new(),
        other => piece(other),
    }
}

/// A sentence.
pub(super) fn inline(spans: &Spans) -> String {
    let mut text = String::new();
    for span in &spans.0 {
        let piece = piece(&span.value);
        match span.tone {
            Tone::Strong if !piece.is_empty() => text += &format!("**{piece}**"),
            Tone::Emphasis if !piece.is_empty() => text += &format!("*{piece}*"),
            _ => text += &piece,
        }
    }
    text
}

fn piece(value: &Value) -> String {
    if let Some(figure) = value.figure() {
        return figure;
    }
    match value {
        Value::Text(words) => words.clone(),
        Value::Name(name) => code(name),
        Value::Prose(words) => plain(words),
        Value::Quoted(words) => reported(words),
        Value::Formula(formula) => formula_text(formula),
        Value::Types(types) => {
            let types: Vec<String> = types.iter().map(type_text).collect();
            types.join(" ")
        }
        Value::Shape(dims) => shape(dims),
        Value::Tree { depth, name } => {
            let depth = usize::try_from((*depth).min(64)).unwrap_or(0);
            format!("{}{}", "&nbsp;&nbsp;".repeat(depth), code(name))
        }
        Value::Link { name, address } => format!("[{}]({})", code(name), text::address(address)),
        Value::Anchor(name) => format!("[{}](#{})", code(name), text::address(name)),
        Value::Spans(spans) => inline(spans),
        Value::Fit(fit) => memory(fit),
        Value::Missing(Some(reason)) => format!("unknown: {}", reported(reason)),
        Value::Missing(None) => "unknown".to_owned(),
        Value::AtLeast(inner) => format!("at least {}", piece(inner)),
        // Figures are set above.
        _ => String::new(),
    }
}

fn type_text(value: &Option<ValueShape>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) => match &value.shape {
            Some(dims) => shape(dims),
            None => code(&dtype_text(value)),
        },
    }
}

/// A shape, each free dimension as its name.
fn shape(dims: &[Dimension]) -> String {
    let one = |dim: &Dimension| match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => text::name(name, Charset::Unicode),
        Dimension::Unknown => "?".to_owned(),
    };
    if dims.is_empty() {
        return "scalar".to_owned();
    }
    let dims: Vec<String> = dims.iter().take(DIMENSIONS).map(one).collect();
    code(&format!("[{}]", dims.join(", ")))
}

/// A formula, cut where it is long.
fn formula_text(formula: &str) -> String {
    let clean = text::prose(formula, Charset::Unicode);
    let kept: String = clean.chars().take(FORMULA).collect();
    let cut = if kept.len() < clean.len() { "…" } else { "" };
    // A bar and a backtick can be part of a formula only through a name.
    match clean.contains(['|', '`', '\\']) {
        true => plain(&format!("{kept}{cut}")),
        false => format!("`{kept}{cut}`"),
    }
}

/// `0.77/24 GB`, as far as either is known.
fn memory(fit: &Fit) -> String {
    match (fit.needed, fit.capacity) {
        (Some(needed), Some(there)) => {
            let (needed, there) = (units::gigabytes(needed), units::capacity(there));
            match (needed.strip_suffix(" GB"), there.ends_with(" GB")) {
                (Some(needed), true) => format!("{needed}/{there}"),
                _ => format!("{needed} of {there}"),
            }
        }
        (Some(needed), None) => units::gigabytes(needed),
        (None, Some(there)) => format!("unknown of {}", units::capacity(there)),
        (None, None) => "unknown".to_owned(),
    }
}
