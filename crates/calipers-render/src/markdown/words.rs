//! Figures and names as several sections write them.

use calipers_report::{Confidence, DeviceRow, Dimension, Range, Report, Scheme};

use super::escape::{code, plain, told};
use crate::text::{self, Charset};
use crate::units;

/// What the model is called: its file's name without the ending, fit to print.
pub(crate) fn model_name(report: &Report) -> String {
    let file = report.model.file.as_str();
    let stem = match file.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => file,
    };
    match text::name(stem, Charset::Unicode) {
        name if name.trim().is_empty() => "(unnamed)".to_owned(),
        name => text::truncate(&name, 100, Charset::Unicode),
    }
}

/// How numbers are held: the scheme of quantisation, or the type of most parameters.
pub(crate) fn precision(report: &Report) -> Option<String> {
    match report.quantization.scheme {
        Scheme::None => {
            report.model.precision.as_ref().map(|name| text::name(name, Charset::Unicode))
        }
        scheme => Some(spaced(&scheme.id())),
    }
}

/// A name of ours in words: `object-detection` becomes `object detection`.
pub(crate) fn spaced(name: &str) -> String {
    text::name(name, Charset::Unicode).replace(['-', '_'], " ")
}

/// A kind of model as people write it.
pub(super) fn kind(name: &str) -> String {
    match name {
        "cnn" | "rnn" | "mlp" | "svm" => name.to_ascii_uppercase(),
        _ => spaced(name),
    }
}

/// `unknown`, with the reason that the report gives for the field or the section it stands in.
pub(super) fn unknown(report: &Report, path: &str) -> String {
    let matching = |what: &str| {
        path.strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let closest = report
        .unknown
        .iter()
        .filter(|entry| !entry.what.is_empty() && matching(&entry.what))
        .max_by_key(|entry| entry.what.len());
    match closest {
        Some(entry) => format!("unknown: {}", told(&entry.reason)),
        None => "unknown".to_owned(),
    }
}

/// Bytes in their unit and to the last one: `26.45 kB (26,454 bytes)`.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1000 => units::exact_bytes(bytes),
        _ => format!("{} ({})", units::bytes(bytes), units::exact_bytes(bytes)),
    }
}

/// A count, with its short form where it is long: `43,607,379 (43.61 M)`.
pub(super) fn count(value: u64) -> String {
    match value {
        0..1000 => units::integer(value),
        _ => format!("{} ({})", units::integer(value), units::count(value)),
    }
}

/// Operations with their unit and to the last one: `22.95 GMACs (22,949,658,624)`.
pub(super) fn work(value: u64, unit: &str) -> String {
    match value {
        0 => "none".to_owned(),
        1..1000 => units::operations(value, unit),
        _ => format!("{} ({})", units::operations(value, unit), units::integer(value)),
    }
}

/// A formula in free dimensions, cut where it is long; none where the figure is a number.
pub(super) fn formula(text: Option<&String>) -> Option<String> {
    let text = text?;
    let free = text.contains(char::is_alphabetic) && !text.starts_with("undefined");
    free.then(|| {
        let clean = text::prose(text, Charset::Unicode);
        let kept: String = clean.chars().take(300).collect();
        let cut = if kept.len() < clean.len() { "…" } else { "" };
        // A bar and a backtick are no part of a formula but through a name.
        match clean.contains(['|', '`', '\\']) {
            true => plain(&format!("{kept}{cut}")),
            false => format!("`{kept}{cut}`"),
        }
    })
}

/// A time with its range.
pub(super) fn span(span: &Range<f64>) -> String {
    units::time_range(span.low, span.expected, span.high)
}

/// A shape: `1 × 3 × 640 × 640`, each free dimension as its name.
pub(super) fn shape(dims: Option<&[Dimension]>) -> String {
    let one = |dim: &Dimension| match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(name) => text::name(name, Charset::Unicode),
        Dimension::Unknown => "?".to_owned(),
    };
    match dims {
        None => "not stated".to_owned(),
        Some([]) => "scalar".to_owned(),
        Some(dims) => {
            let dims: Vec<String> = dims.iter().take(12).map(one).collect();
            code(&format!("[{}]", dims.join(", ")))
        }
    }
}

/// How sure a statement is, in a word.
pub(super) fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "sure",
        Confidence::Medium => "likely",
        Confidence::Low => "a guess",
    }
}

/// What a device has for the model: `0.77 GB of 24 GB`.
pub(super) fn room(row: &DeviceRow) -> String {
    memory_of(row.memory_bytes, row.device_memory_bytes)
}

/// `0.77 GB of 24 GB`, as far as either is known.
pub(super) fn memory_of(needed: Option<u64>, there: Option<u64>) -> String {
    match (needed, there) {
        (Some(needed), Some(there)) => {
            format!("{} of {}", units::gigabytes(needed), units::capacity(there))
        }
        (Some(needed), None) => units::gigabytes(needed),
        (None, Some(there)) => format!("unknown of {}", units::capacity(there)),
        (None, None) => "unknown".to_owned(),
    }
}

/// Whether something fits, in a word.
pub(super) fn fits(fits: Option<bool>, tight: bool) -> &'static str {
    match fits {
        Some(true) if tight => "tight",
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}
