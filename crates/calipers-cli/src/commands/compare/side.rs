//! One side of a comparison: a model file, or a report saved as JSON.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use calipers::{Compared, Model};
use calipers_formats::has_model_extension;
use calipers_report::Report;

use super::{Privacy, model};
use crate::commands::saved;
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

/// Whether a file begins as JSON does, and is not called as models in JSON are.
fn is_json(path: &Path) -> Result<bool, Problem> {
    // Reports are compared where they were saved.
    if remote::address(path).is_some() {
        return Ok(false);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() || has_model_extension(&name) {
        return Ok(false);
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut start));
    read.map_err(|error| Problem::unreadable(path, &reason(&error), None))?;
    Ok(start.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'))
}

fn report(path: &Path, privacy: Privacy) -> Result<Report, Problem> {
    let unreadable = |why: String| Problem::unreadable(path, &why, Some(saved::HINT.to_owned()));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|error| Problem::unreadable(path, &reason(&error), None))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unreadable("it is too large for a report".to_owned()));
    }
    saved::report(&bytes, privacy.show_secrets).map_err(unreadable)
}
