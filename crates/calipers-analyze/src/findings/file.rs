//! Checks of the file as a whole.

use calipers_ir::Model;
use calipers_report::{Finding, Severity};

use super::{counted, finding};

/// The newest `ir_version` that this reader was written for: ONNX 1.23.
const NEWEST_IR: i64 = 14;

/// A model that does not say which operators it means.
pub(super) fn no_opset(model: &Model) -> Option<Finding> {
    (model.header.opsets.is_empty() && !model.main().nodes.is_empty()).then(|| {
        finding(
            "no-opset",
            Severity::Warning,
            "No operator set is stated",
            "the same operator means different things at different versions, and the file names \
             none"
                .to_owned(),
            [],
            "add an opset_import for every domain that the nodes use",
        )
    })
}

/// A representation newer than this reader.
pub(super) fn newer_ir(model: &Model) -> Option<Finding> {
    let version = model.header.ir_version.filter(|version| *version > NEWEST_IR)?;
    Some(finding(
        "newer-ir",
        Severity::Warning,
        "The file is newer than this reader",
        format!("its IR version is {version}; this reader knows those up to {NEWEST_IR}"),
        [],
        "use a newer release of Calipers, or save the model with an older IR version",
    ))
}

/// Fields that were skipped.
pub(super) fn unknown_fields(model: &Model) -> Option<Finding> {
    let fields = &model.unknown_fields;
    (!fields.is_empty()).then(|| {
        let times = fields.values().sum::<u64>();
        finding(
            "unknown-fields",
            Severity::Info,
            "Parts of the file were skipped",
            format!(
                "{} that this reader does not know, {times} times in all",
                counted(fields.len(), "field")
            ),
            fields.keys().map(|(message, field)| format!("{message} field {field}")),
            "nothing to do, unless the file comes from a newer or changed exporter",
        )
    })
}

/// Names that are no text.
pub(super) fn odd_names(model: &Model) -> Option<Finding> {
    let count = model.names.lossy();
    (count > 0).then(|| {
        finding(
            "names-not-utf8",
            Severity::Warning,
            "Names are not valid text",
            format!("{count} names are not UTF-8; they are shown with replacement marks"),
            [],
            "export the model again: strict readers refuse it",
        )
    })
}
