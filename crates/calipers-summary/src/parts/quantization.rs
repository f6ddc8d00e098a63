//! How numbers are held in few bits.

use calipers_report::Report;
use calipers_units as units;

/// Schemes as people say them.
const SCHEMES: &[(&str, &str)] = &[
    ("dynamic-int8", "dynamically quantised"),
    ("float8", "float8"),
    ("mixed", "partly quantised"),
    ("qdq-int8", "int8-quantised"),
    ("qoperator-int8", "int8-quantised"),
    ("weight-only-int4", "4-bit"),
    ("weight-only-int8", "8-bit"),
];

fn scheme(report: &Report) -> Option<&str> {
    let scheme = report.quantization.scheme.as_str();
    (!scheme.is_empty() && scheme != "none").then_some(scheme)
}

/// The model's noun with its quantisation before it.
pub(in super::super) fn noun(report: &Report, noun: String) -> String {
    let Some(scheme) = scheme(report) else { return noun };
    let word = SCHEMES.iter().find(|(key, _)| *key == scheme).map_or("quantised", |(_, word)| word);
    format!("{word} {noun}")
}

/// How it is quantised, and what is not.
pub(in super::super) fn told(report: &Report) -> Option<String> {
    let scheme = scheme(report)?;
    let told = &report.quantization;
    let of = match (told.contractions_quantized, told.contractions) {
        (some, all) if some == all => {
            format!("All {} of its products with weights are", units::integer(all))
        }
        (some, all) => format!(
            "Of its {} products with weights {} are",
            units::integer(all),
            units::integer(some)
        ),
    };
    let mut text = format!("{of} quantised ({scheme}");
    if let Some(granularity) = &told.granularity {
        text += &format!(", {granularity}");
    }
    if let Some(block) = told.block.and_then(|block| u64::try_from(block).ok()) {
        text += &format!(", {} weights to a scale", units::integer(block));
    }
    text += ")";
    if let Some(share) = told.weights_percent {
        text += &format!(", which covers {} of the weights", units::percent(share));
    }
    let kept: Vec<&str> =
        told.in_float.keys().filter_map(|op| super::super::names::operator(op)).collect();
    if !kept.is_empty() {
        text += &format!("; {} stays in floats", kept.join(", "));
    }
    Some(text + ".")
}
