//! How numbers are held in few bits.

use calipers_report::Report;
use calipers_report::units;

/// The model's noun with its quantization before it.
pub(in super::super) fn noun(report: &Report, noun: String) -> String {
    match report.quantization.scheme.display_name() {
        Some(adjective) => format!("{adjective} {noun}"),
        None => noun,
    }
}

/// How it is quantized, and what is not.
pub(in super::super) fn reported(report: &Report) -> Option<String> {
    let reported = &report.quantization;
    if !reported.scheme.is_quantized() {
        return None;
    }
    let of = match (reported.contractions_quantized, reported.contractions) {
        (some, all) if some == all => {
            format!("All {} of its products with weights are", units::integer(all))
        }
        (some, all) => format!(
            "Of its {} products with weights {} are",
            units::integer(all),
            units::integer(some)
        ),
    };
    let mut text = format!("{of} quantized ({}", reported.scheme.id());
    if let Some(granularity) = reported.granularity {
        text += &format!(", {}", granularity.id());
    }
    if let Some(block) = reported.block.and_then(|block| u64::try_from(block).ok()) {
        text += &format!(", {} weights to a scale", units::integer(block));
    }
    text += ")";
    if let Some(share) = reported.weights_percent {
        text += &format!(", which covers {} of the weights", units::percent(share));
    }
    let kept: Vec<&str> =
        reported.unquantized.keys().filter_map(|op| super::super::names::operator(op)).collect();
    if !kept.is_empty() {
        text += &format!("; {} stays in floats", kept.join(", "));
    }
    Some(text + ".")
}
