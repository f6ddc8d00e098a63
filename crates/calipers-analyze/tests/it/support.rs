//! What the suites share: reports of files, and bindings from facts.

use std::path::Path;

use calipers_analyze::Bindings;
use calipers_report::Report;
use serde_json::Value;

/// The report on a file.
pub(crate) fn report(path: &Path) -> Result<Report, calipers_formats::Error> {
    Ok(calipers_analyze::analyze(&calipers_formats::open(path)?))
}

/// Bindings that feed a model the shapes it was executed with.
pub(crate) fn feeds(truth: &Value) -> Bindings {
    let size = |dim: &Value| dim.as_i64().unwrap();
    let shape = |dims: &Value| dims.as_array().unwrap().iter().map(size).collect();
    let inputs = truth["feeds"].as_object().unwrap().iter();
    let inputs = inputs.map(|(name, dims)| (name.clone(), shape(dims))).collect();
    Bindings { inputs, ..Bindings::default() }
}
