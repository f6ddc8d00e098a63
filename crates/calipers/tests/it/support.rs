//! What the suites share: reports of files, and bindings from facts.

use std::path::Path;

use calipers::{Bindings, Error, GraphView, HardwareQuery, Model, Options, Report};
use serde_json::Value;

/// The report on a file.
pub(crate) fn report(path: &Path) -> Result<Report, Error> {
    Model::open(path)?.analyze(&Options::new())
}

/// The report on a model with its dimensions left free.
pub(crate) fn analyze(model: &Model) -> Report {
    model.analyze(&Options::new()).unwrap()
}

/// The report on a model with these dimensions bound.
pub(crate) fn analyze_bound(model: &Model, bindings: &Bindings) -> Result<Report, Error> {
    model.analyze(&Options::new().bindings(bindings.clone()))
}

/// The report on a model for these devices.
pub(crate) fn analyze_for(
    model: &Model,
    bindings: &Bindings,
    question: &HardwareQuery,
) -> Result<Report, Error> {
    model.analyze(&Options::new().bindings(bindings.clone()).hardware(question.clone()))
}

/// The report on a model for these devices, and its graph.
pub(crate) fn explore(
    model: &Model,
    bindings: &Bindings,
    question: &HardwareQuery,
) -> Result<(Report, GraphView), Error> {
    model.explore(&Options::new().bindings(bindings.clone()).hardware(question.clone()))
}

/// Bindings that feed a model the shapes it was executed with.
pub(crate) fn feeds(truth: &Value) -> Bindings {
    let size = |dim: &Value| dim.as_i64().unwrap();
    let shape = |dims: &Value| dims.as_array().unwrap().iter().map(size).collect();
    let inputs = truth["feeds"].as_object().unwrap().iter();
    let inputs = inputs.map(|(name, dims)| (name.clone(), shape(dims))).collect();
    Bindings { inputs, ..Bindings::default() }
}
