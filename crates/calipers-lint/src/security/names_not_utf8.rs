//! Names that are not valid UTF-8.

use calipers_report::Severity;
use calipers_report::units;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "names-not-utf8",
    severity: Severity::Warning,
    group: "security",
    title: "Names are not valid UTF-8",
    checks: "Whether every string in the file is valid UTF-8, as the ONNX specification requires.",
    why: "Strict readers reject the file; others replace or drop bytes, so two names can become \
          one. The file is damaged, was edited, or attacks a parser.",
    example: "A node whose name contains the byte 0xff.",
    recommendation: "Re-export the model; rename the nodes and tensors first if their names come \
                     from your code.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let count = evidence.model.names.lossy();
    (count > 0).then(|| {
        Hit::new(
            format!("{} names are shown with replacement characters", units::integer(count)),
            [],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_byte_that_is_no_text_is_found_and_a_foreign_letter_is_not() {
        // graph { node { op_type: one byte or two } }
        assert!(raised(&RULE, vec![0x3a, 5, 0x0a, 3, 0x22, 1, 0xff]).is_some());
        assert_eq!(raised(&RULE, vec![0x3a, 6, 0x0a, 4, 0x22, 2, 0xc3, 0xa9]), None);
    }
}
