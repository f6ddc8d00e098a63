//! An IR version newer than the supported ones.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "newer-ir",
    severity: Severity::Warning,
    group: "deployment",
    title: "IR version newer than Calipers supports",
    checks: "The `ir_version` of the file, compared with the newest one that Calipers supports.",
    why: "Parts of the file may have a meaning that Calipers does not know, so figures may be \
          incomplete. Runtimes reject IR versions that they do not know.",
    example: "A file with `ir_version` 9999.",
    recommendation: "Upgrade Calipers, or save the model with an older IR version: \
                     `model.ir_version = 10; onnx.save(model, \"out.onnx\")`.",
    check,
};

/// The newest `ir_version` that Calipers supports: ONNX 1.23.
pub(super) const NEWEST_IR: i64 = 14;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let version = evidence.model.header.ir_version.filter(|version| *version > NEWEST_IR)?;
    Some(Hit::new(format!("ir_version {version}; Calipers supports up to {NEWEST_IR}"), []))
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
