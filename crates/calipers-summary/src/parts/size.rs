//! How much is stored.

use calipers_report::units;
use calipers_report::{DataStatus, Report};

/// Parameters, bytes and precision.
pub(in super::super) fn reported(report: &Report) -> Option<String> {
    let parameters = &report.parameters;
    let Some(total) = parameters.total else {
        return Some("How many parameters it has is not known.".to_owned());
    };
    if total == 0 {
        return Some("It has no parameters of its own.".to_owned());
    }
    let (its, are) = if total == 1 { ("parameter", "is") } else { ("parameters", "are") };
    let mut text = format!("Its {} {its}", units::spoken(total));
    if let Some(precision) = &report.model.precision {
        let stored = if are_made(report) { "" } else { "stored as " };
        let mixed = if parameters.by_dtype.len() > 1 { "mostly " } else { "" };
        text += &format!(" {are} {mixed}{stored}{precision}");
    } else {
        text += &format!(" {are} of unknown precision");
    }
    if are_made(report) {
        return Some(text + ", and most of them the graph makes when it is loaded.");
    }
    if let Some(bytes) = report.memory.weights_bytes {
        text += &format!(", and the weights take {}", units::bytes(bytes));
    }
    let adjacent = report.model.data_files.iter().filter(|file| file.status == DataStatus::Present);
    if adjacent.count() > 0 {
        text += ", kept in files next to the model";
    }
    Some(text + ".")
}

/// Whether the file stores less than a bit for each parameter: then its graph makes them of a
/// constant, as models without their weights do, and the stored bytes would mislead.
pub(in super::super) fn are_made(report: &Report) -> bool {
    let parameters = &report.parameters;
    let (Some(total), Some(bytes)) = (parameters.total, parameters.bytes) else { return false };
    total > 0 && bytes < total / 8
}

/// The same for somebody who counts disks, not tensors.
pub(in super::super) fn in_short(report: &Report) -> Option<String> {
    let bytes = report.memory.weights_bytes.filter(|bytes| *bytes > 0)?;
    match report.parameters.total {
        Some(total) if are_made(report) => Some(format!(
            "It holds {} parameters, most of which the graph makes when it is loaded.",
            units::spoken(total)
        )),
        Some(total) => Some(format!(
            "It holds {} learned parameters, and its weights take {}.",
            units::spoken(total),
            units::bytes(bytes)
        )),
        None => Some(format!("Its weights take {}.", units::bytes(bytes))),
    }
}
