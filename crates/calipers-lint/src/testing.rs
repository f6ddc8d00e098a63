//! ExecutionPlan one rule on a model that a test built.

use calipers_infer::{Bindings, infer};
use calipers_ir::Model;
use calipers_measure::Weights;
use calipers_report::Finding;
use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

use super::{Evidence, Rule};

/// What a rule says of a model; `None` when it raises nothing.
pub(crate) fn raised(rule: &Rule, bytes: Vec<u8>) -> Option<Finding> {
    found(rule, &calipers_formats::read(bytes, "tiny.onnx").unwrap())
}

/// What a rule says of a model whose weights are read; `None` when it raises nothing.
pub(crate) fn raised_by_weights(rule: &Rule, bytes: Vec<u8>) -> Option<Finding> {
    let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
    let weights = calipers_measure::read_weights::<String>(&model, &[], &|_, _| {});
    findings(&model, Some(&weights)).into_iter().find(|finding| finding.id == rule.id)
}

/// What a rule says of a model in a folder, with another file next to it.
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

/// Takes a model through the stages up to this one.
pub(crate) fn findings(model: &Model, weights: Option<&Weights>) -> Vec<Finding> {
    let bindings = Bindings::default();
    let typed = infer(model, &bindings).unwrap();
    let measured = calipers_measure::measure(model, &typed, &bindings, None).unwrap();
    let recognized = calipers_arch::recognize(model, &typed, &measured);
    crate::check(&Evidence::new(model, &typed, &measured, &recognized, weights))
}

/// A model of one tensor of two floats that is kept in another file.
pub(crate) fn external(location: &str, offset: u64, length: u64) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.initializer(&Tensor::external("w", F32, &[2], location, Some(offset), Some(length)));
    model.node("Relu", &["w"], &["y"], &[]).output("y", F32, &["2"]).build()
}

/// A number of elements, as a length.
pub(crate) fn count(elements: i64) -> usize {
    usize::try_from(elements).unwrap()
}
