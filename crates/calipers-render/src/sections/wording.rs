//! Wording that several sections share.

use calipers_report::{Confidence, Report, Scheme, goes_without_saying};

use crate::document::Block;
use crate::table::{Tone, Value};
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

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

/// Precision of the weights: the quantization scheme, or the type that most parameters have.
pub(crate) fn precision(report: &Report) -> Option<String> {
    match report.quantization.scheme {
        Scheme::None => report.model.precision.map(|dtype| dtype.to_string()),
        scheme => Some(scheme.label().into_owned()),
    }
}

/// A remark on how certain a statement is; nothing where the confidence is high.
pub(super) fn confidence_note(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "",
        Confidence::Medium => " (confidence: medium)",
        Confidence::Low => " (confidence: low)",
    }
}

/// The same as a value of a screen.
pub(super) fn confidence_value(confidence: Confidence) -> Option<Spans> {
    let words = match confidence {
        Confidence::High => return None,
        Confidence::Medium => "medium confidence",
        Confidence::Low => "low confidence",
    };
    Some(Spans::quiet(words))
}

/// What the author of the model is asked to write.
pub(super) fn to_complete(what: &str) -> Block {
    let words = format!("To be completed by the author: {what}");
    Block::Paragraph(Spans::toned(Tone::Emphasis, Value::Text(words)))
}

/// Sentences of ours that quote names, each as a value.
pub(super) fn quoted(sentences: &[String], most: usize) -> Vec<Spans> {
    sentences.iter().take(most).map(|words| Value::quoted(words).into()).collect()
}

/// Several values, one after another; nothing for none.
pub(super) fn joined(values: Vec<Spans>, separator: &str) -> Option<Spans> {
    (!values.is_empty()).then(|| Spans::joined(values, separator))
}

/// How many there are of a slice.
pub(super) fn length<T>(items: &[T]) -> u64 {
    u64::try_from(items.len()).unwrap_or(u64::MAX)
}

/// The words for what was left out; nothing where nothing was.
pub(super) fn more(count: usize, [one, many]: [&str; 2]) -> Option<Spans> {
    let noun = if count == 1 { one } else { many };
    let count = u64::try_from(count).unwrap_or(u64::MAX);
    (count > 0).then(|| Spans::quiet(format!("… and {} more {noun}", units::integer(count))))
}

/// The first few of some values, and how many more there are.
pub(super) fn folded<T>(
    items: impl ExactSizeIterator<Item = T>,
    most: usize,
    noun: [&str; 2],
    set: impl FnMut(T) -> Spans,
) -> Vec<Spans> {
    let rest = items.len().saturating_sub(most);
    items.take(most).map(set).chain(more(rest, noun)).collect()
}

/// An operator or function with its domain, which for the standard one goes without saying.
pub(super) fn qualified(name: &str, domain: &str) -> Value {
    match (name, domain) {
        ("", domain) if goes_without_saying(domain) => Value::text("(unnamed)"),
        (name, domain) if goes_without_saying(domain) => Value::name(name),
        ("", domain) => Value::Name(format!("{domain}.(unnamed)")),
        (name, domain) => Value::Name(format!("{domain}.{name}")),
    }
}
