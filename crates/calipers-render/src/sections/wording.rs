//! Wording that several sections share.

use calipers_report::{Confidence, Report};

use crate::table::Value;
use crate::text::{self, Charset};
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

/// How numbers are held: the quantization scheme, or the type of most parameters.
pub(crate) fn precision(report: &Report) -> Option<String> {
    match report.quantization.scheme.as_str() {
        "" | "none" => {
            report.model.precision.as_ref().map(|name| text::name(name, Charset::Unicode))
        }
        scheme => Some(spaced(scheme)),
    }
}

/// An id of ours as words: `object-detection` becomes `object detection`.
pub(super) fn spaced(name: &str) -> String {
    text::name(name, Charset::Unicode).replace(['-', '_'], " ")
}

/// A kind of model as people write it.
pub(super) fn kind(name: &str) -> String {
    match name {
        "cnn" | "rnn" | "mlp" | "svm" => name.to_ascii_uppercase(),
        _ => spaced(name),
    }
}

/// That the field at a path of the report is not known, with the reason given for the field or for
/// the section around it.
pub(super) fn unknown(report: &Report, path: &str) -> Value {
    let matching = |what: &str| {
        path.strip_prefix(what).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let closest = report
        .unknown
        .iter()
        .filter(|entry| !entry.what.is_empty() && matching(&entry.what))
        .max_by_key(|entry| entry.what.len());
    Value::Missing(closest.map(|entry| entry.reason.clone()))
}

/// How certain a statement is.
pub(super) fn certainty(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "sure",
        Confidence::Medium => "likely",
        Confidence::Low => "a guess",
    }
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
