//! A representation newer than this reader.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "newer-ir",
    severity: Severity::Warning,
    group: "deployment",
    title: "The file is newer than this reader",
    checks: "Whether the file's `ir_version` is one that this reader was written for.",
    why: "Parts of the file may have a resolved that this reader does not know, so figures may lack \
          them. Runtimes refuse versions that they do not know.",
    example: "A file of `ir_version` 9999.",
    recommendation: "use a newer release of Calipers, or save the model with an older IR version",
    check,
};

/// The newest `ir_version` that this reader was written for: ONNX 1.23.
pub(super) const NEWEST_IR: i64 = 14;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let version = evidence.model.header.ir_version.filter(|version| *version > NEWEST_IR)?;
    Some(Hit::new(
        format!("its IR version is {version}; this reader knows those up to {NEWEST_IR}"),
        [],
    ))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn the_next_version_is_found_and_the_newest_is_not() {
        let of_version = |version| vec![0x08, version, 0x3a, 0];
        assert!(raised(&RULE, of_version(15)).is_some());
        assert_eq!(raised(&RULE, of_version(14)), None);
    }
}
