//! One side of a comparison: a model file, or a report saved as JSON.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use calipers::{Compared, Model, secrets};
use calipers_report::{Report, SCHEMA_VERSION};
use serde_json::Value;

use super::{Privacy, model};
use crate::problem::{Problem, reason};
use crate::remote;

/// A saved report is smaller than this; a model of JSON may be of any size.
const MAX_BYTES: u64 = 256_000_000;

/// What a path holds.
#[derive(Debug)]
pub(super) enum Opened {
    Model(Box<Model>),
    Report(Box<Report>),
}

impl Opened {
    /// Reads a model, or a report.
    pub(super) fn read(path: &Path, privacy: Privacy) -> Result<Self, Problem> {
        if !is_json(path)? {
            return model::open(path).map(|model| Self::Model(Box::new(model)));
        }
        if privacy.redact_names {
            let message = "the names of a saved report cannot be redacted";
            return Err(Problem::unusable(&message).hint("give the model in its place"));
        }
        report(path, privacy).map(|report| Self::Report(Box::new(report)))
    }

    pub(super) fn compared(&self) -> Compared<'_> {
        match self {
            Self::Model(model) => Compared::Model(model),
            Self::Report(report) => Compared::Report(report),
        }
    }
}

/// Whether a file begins as JSON does. No model that is read does.
fn is_json(path: &Path) -> Result<bool, Problem> {
    // Reports are compared where they were saved.
    if remote::address(path).is_some() {
        return Ok(false);
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    read.map_err(|error| Problem::unreadable(path, &reason(&error), None))?;
    Ok(start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'))
}

fn report(path: &Path, privacy: Privacy) -> Result<Report, Problem> {
    let hint = "save one with `calipers inspect MODEL -o report.json`";
    let unreadable = |why: &str| Problem::unreadable(path, &why, Some(hint.to_owned()));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Problem::unreadable(path, &reason(&error), None))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable("it is too large for a report"));
    }
    let mut json: Value = serde_json::from_slice(&bytes)
        .map_err(|error| unreadable(&format!("it is not valid JSON: {error}")))?;
    let is_ours = json.pointer("/generator/name").and_then(Value::as_str) == Some("calipers");
    let Some(version) = json.get("schema_version").and_then(Value::as_str).filter(|_| is_ours)
    else {
        return Err(unreadable("it is JSON, and not a report of Calipers"));
    };
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(version) != major(SCHEMA_VERSION) {
        let shown: String = version.chars().take(20).collect();
        return Err(unreadable(&format!(
            "it is a report of schema version {shown}, and this version reads {SCHEMA_VERSION}"
        )));
    }
    if !privacy.show_secrets {
        mask(&mut json);
    }
    serde_json::from_value(json).map_err(|error| {
        unreadable(&format!("it is not a report of schema {SCHEMA_VERSION}: {error}"))
    })
}

/// Masks secrets in every text of a report: whoever saved it may have shown them.
fn mask(json: &mut Value) {
    let mut left = vec![json];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => {
                if let std::borrow::Cow::Owned(masked) = secrets::mask(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => {
                let has_secret =
                    |name: &String| matches!(secrets::mask(name), std::borrow::Cow::Owned(_));
                if fields.keys().any(has_secret) {
                    let masked = std::mem::take(fields).into_iter();
                    *fields = masked
                        .map(|(name, value)| (secrets::mask(&name).into_owned(), value))
                        .collect();
                }
                left.extend(fields.values_mut());
            }
            _ => {}
        }
    }
}
