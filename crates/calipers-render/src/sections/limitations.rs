//! What limits the use of the model, as far as its file shows, for the author to complete.

use calipers_report::{DType, DataStatus, Dimension, Report, Severity, ValueKind};

use super::context::Context;
use super::wording::{length, precision, to_complete};
use crate::document::Block;
use crate::table::Value;
use crate::units;
use crate::value::Spans;

/// Inputs whose shape is named.
const INPUTS: usize = 4;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if report.graph.nodes == 0 {
        return vec![];
    }
    let mut items = vec![];
    items.extend(missing_weights(report));
    items.extend(fixed_shapes(report));
    items.extend(reduced_precision(report));
    items.extend(severe_findings(report));
    vec![Block::list(items), to_complete("accuracy, known failures, biases.")]
}

fn missing_weights(report: &Report) -> Option<Spans> {
    let is_missing = |status| matches!(status, DataStatus::Missing | DataStatus::Refused);
    let missing = report.model.data_files.iter().any(|file| is_missing(file.status));
    missing.then(|| Spans::plain("The model cannot run without its weights, which are missing."))
}

/// Inputs that accept one shape only.
fn fixed_shapes(report: &Report) -> Option<Spans> {
    let inputs = &report.graph.inputs;
    let is_fixed = |dim: &Dimension| matches!(dim, Dimension::Size(_));
    let all_fixed = inputs.iter().all(|port| {
        port.kind == ValueKind::Tensor
            && port.shape.as_ref().is_some_and(|shape| shape.iter().all(is_fixed))
    });
    if inputs.is_empty() || !all_fixed {
        return None;
    }
    let shapes = inputs
        .iter()
        .take(INPUTS)
        .map(|port| Value::Shape(port.shape.clone().unwrap_or_default()).into());
    let rest = if inputs.len() > INPUTS { " …" } else { "" };
    Some(
        Spans::plain(if inputs.len() == 1 {
            "The input shape is fixed: "
        } else {
            "Input shapes are fixed: "
        })
        .and_all(Spans::joined(shapes, ", "))
        .and_text(format!("{rest}. Re-export to change it.")),
    )
}

/// What to expect of numbers with few bits.
fn reduced_precision(report: &Report) -> Option<Spans> {
    let precision = precision(report)?;
    let is_half = matches!(report.model.precision, Some(DType::Float16 | DType::Bfloat16));
    (report.quantization.scheme.is_quantized() || is_half).then(|| {
        Spans::plain("Weights are ")
            .and_value(Value::Prose(precision))
            .and_text(": compare the accuracy with the original float32 model.")
    })
}

/// How many findings need attention.
fn severe_findings(report: &Report) -> Option<Spans> {
    let severe: Vec<_> =
        report.findings.iter().filter(|finding| finding.severity != Severity::Info).collect();
    let count = length(&severe);
    (count > 0).then(|| {
        let findings = units::counted(count, "error or warning is", "errors and warnings are");
        Spans::plain(format!("{findings} listed under Findings."))
    })
}
