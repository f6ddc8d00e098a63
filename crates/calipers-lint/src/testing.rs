//! Helpers that run one rule on a small model.

use calipers_infer::{Bindings, infer};
use calipers_ir::Model;
use calipers_measure::Weights;
use calipers_report::Finding;
use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

use super::{Evidence, Rule};

/// Returns the finding of a rule on a model.
pub(crate) fn raised(rule: &Rule, bytes: Vec<u8>) -> Option<Finding> {
    found(rule, &calipers_formats::read(bytes, "tiny.onnx").unwrap())
}

/// Returns the finding of a rule on a model whose weights are read.
pub(crate) fn raised_by_weights(rule: &Rule, bytes: Vec<u8>) -> Option<Finding> {
    let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
    let weights = calipers_measure::read_weights::<String>(&model, &[], &|_, _| {});
    findings(&model, Some(&weights)).into_iter().find(|finding| finding.id == rule.id)
}

/// Returns the finding of a rule on a model with another file next to it.
pub(crate) fn adjacent(rule: &Rule, bytes: Vec<u8>, file: &str, data: &[u8]) -> Option<Finding> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), data).unwrap();
    let path = folder.path().join("tiny.onnx");
    std::fs::write(&path, bytes).unwrap();
    found(rule, &calipers_formats::open(&path).unwrap())
}

fn found(rule: &Rule, model: &Model) -> Option<Finding> {
    findings(model, None).into_iter().find(|finding| finding.id == rule.id)
}

/// Runs all stages on a model and returns its findings.
pub(crate) fn findings(model: &Model, weights: Option<&Weights>) -> Vec<Finding> {
    let bindings = Bindings::default();
    let typed = infer(model, &bindings).unwrap();
    let measured = calipers_measure::measure(model, &typed, &bindings, None).unwrap();
    let recognized = calipers_arch::recognize(model, &typed, &measured);
    crate::check(&Evidence::new(model, &typed, &measured, &recognized, weights))
}

/// Returns a model with one external tensor of two floats.
pub(crate) fn external(location: &str, offset: u64, length: u64) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.initializer(&Tensor::external("w", F32, &[2], location, Some(offset), Some(length)));
    model.node("Relu", &["w"], &["y"], &[]).output("y", F32, &["2"]).build()
}

/// Converts a number of elements to a length.
pub(crate) fn count(elements: i64) -> usize {
    usize::try_from(elements).unwrap()
}
