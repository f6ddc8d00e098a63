//! How much is stored.

use calipers_report::Report;
use calipers_report::units;

/// Parameters, precision and bytes.
pub(in super::super) fn sentence(report: &Report) -> Option<String> {
    let parameters = &report.parameters;
    let Some(total) = parameters.total else {
        return Some("The parameter count is unknown.".to_owned());
    };
    if total == 0 {
        return Some("It has no parameters.".to_owned());
    }
    let noun = if total == 1 { "parameter" } else { "parameters" };
    let text = format!("It has {} {noun}", units::spoken(total));
    let precision = report.model.precision.map(|precision| {
        let mixed = if parameters.by_dtype.len() > 1 { "mostly " } else { "" };
        format!("{mixed}{precision}")
    });
    if are_generated(report) {
        return Some(format!("{text}, most of them generated when the model is loaded."));
    }
    let bytes = report.memory.weights_bytes.map(units::bytes);
    let details: Vec<String> = precision.into_iter().chain(bytes).collect();
    Some(match details.is_empty() {
        true => format!("{text}."),
        false => format!("{text} ({}).", details.join(", ")),
    })
}

/// Returns whether the file stores less than a bit per parameter. Then the graph generates them from
/// a constant, as in models without their weights, and the stored bytes would mislead.
pub(in super::super) fn are_generated(report: &Report) -> bool {
    let parameters = &report.parameters;
    let (Some(total), Some(bytes)) = (parameters.total, parameters.bytes) else { return false };
    total > 0 && bytes < total / 8
}

/// The size for a reader who plans storage: no tensors, no precision.
pub(in super::super) fn in_short(report: &Report) -> Option<String> {
    let bytes = report.memory.weights_bytes.filter(|bytes| *bytes > 0)?;
    let bytes = units::bytes(bytes);
    match report.parameters.total.filter(|total| *total > 0) {
        Some(_) if are_generated(report) => sentence(report),
        Some(total) => Some(format!(
            "It has {} {} and needs {bytes} for its weights.",
            units::spoken(total),
            if total == 1 { "parameter" } else { "parameters" },
        )),
        None => Some(format!("It needs {bytes} for its weights.")),
    }
}
