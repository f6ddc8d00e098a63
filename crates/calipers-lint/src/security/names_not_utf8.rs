//! Names that are no text.

use calipers_report::Severity;
use calipers_report::units;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "names-not-utf8",
    severity: Severity::Warning,
    group: "security",
    title: "Names are not valid text",
    checks: "Whether every name in the file is UTF-8, as the standard asks.",
    why: "Strict readers refuse the file; others replace or drop bytes, so that two names may become \
          one. It is damage, a changed file, or an attack on a reader.",
    example: "A node whose name holds the byte 0xff.",
    recommendation: "export the model again: strict readers refuse it",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let count = evidence.model.names.lossy();
    (count > 0).then(|| {
        Hit::new(
            format!(
                "{} names are not UTF-8; they are shown with replacement marks",
                units::integer(count)
            ),
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
