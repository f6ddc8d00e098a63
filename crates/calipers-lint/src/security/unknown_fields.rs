//! Fields of the file that were skipped.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "unknown-fields",
    severity: Severity::Info,
    group: "security",
    title: "Parts of the file were skipped",
    checks: "Whether every field of the file is one that the standard numbers, as far as this reader \
             knows it.",
    why: "What is in such a field is in no figure of the report, and another program may understand \
          it. Newer or changed exporters write them; so does who hides something in a file.",
    example: "A `NodeProto` with a field of number 99.",
    recommendation: "nothing to do, unless the file comes from a newer or changed exporter",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let fields = &evidence.model.unknown_fields;
    (!fields.is_empty()).then(|| {
        let times = fields.values().sum::<u64>();
        Hit::new(
            format!(
                "{} that this reader does not know, {times} times in all",
                counted(fields.len(), "field")
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
