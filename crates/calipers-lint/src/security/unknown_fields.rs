//! Protobuf fields that ONNX does not define.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "unknown-fields",
    severity: Severity::Info,
    group: "security",
    title: "Unknown protobuf fields",
    checks: "Whether every protobuf field in the file is one that the ONNX specification defines.",
    why: "Calipers skips the content of these fields, and another program may interpret it. Newer \
          or modified exporters write them; they can also hide data.",
    example: "A `NodeProto` with field number 99.",
    recommendation: "No action is needed for files of a newer exporter; otherwise remove the \
                     fields by loading and saving the model after `model.DiscardUnknownFields()`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let fields = &evidence.model.unknown_fields;
    (!fields.is_empty()).then(|| {
        let times = fields.values().sum::<u64>();
        Hit::new(
            format!(
                "{} that ONNX does not define, {times} {} in total",
                counted(fields.len(), "field"),
                if times == 1 { "occurrence" } else { "occurrences" }
            ),
            fields.keys().map(|(message, field)| format!("{message} field {field}")),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_foreign_field_is_found_and_a_known_one_is_not() {
        // graph {}, then field 99 of the model, or its version in field 5.
        assert!(raised(&RULE, vec![0x3a, 0, 0x98, 0x06, 1]).is_some());
        assert_eq!(raised(&RULE, vec![0x3a, 0, 0x28, 1]), None);
    }
}
