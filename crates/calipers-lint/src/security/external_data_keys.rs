//! External data keys that ONNX does not define.

use std::collections::BTreeSet;

use calipers_report::Severity;

use super::external_tensors;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-keys",
    severity: Severity::Info,
    group: "security",
    title: "Unknown external data keys",
    checks: "Keys of `external_data` entries. The ONNX specification defines `location`, `offset`, \
             `length`, `checksum` and `basepath`.",
    why: "Loaders that copied arbitrary keys to object attributes have been exploited this way. \
          Some tools write keys of their own.",
    example: "A `__class__` entry next to `location`.",
    recommendation: "Find out which tool wrote the keys; to drop them, load and save the model \
                     with `onnx.save(model, \"out.onnx\", save_as_external_data=True)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let tensors = external_tensors(model);
    let keys: BTreeSet<_> = tensors
        .flat_map(|(_, external)| external.unknown_keys.iter().map(|key| model.name(*key)))
        .collect();
    (!keys.is_empty()).then(|| {
        Hit::new(
            format!(
                "{} that ONNX does not define; Calipers ignores them",
                counted(keys.len(), "key")
            ),
            keys.iter().map(|key| (*key).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::{external, raised};

    #[test]
    fn a_foreign_key_is_found_and_the_standard_ones_are_not() {
        let bytes = external("w.bin", 0, 8);
        assert_eq!(raised(&RULE, bytes.clone()), None);
        // A key of as many letters as the one that it replaces.
        let at = bytes.windows(6).position(|window| window == b"offset").unwrap();
        let mut foreign = bytes;
        foreign[at..at + 6].copy_from_slice(b"__hook");
        assert_eq!(raised(&RULE, foreign).unwrap().nodes, ["__hook"]);
    }
}
