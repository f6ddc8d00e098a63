//! Keys of external data that the standard does not define.

use std::collections::BTreeSet;

use calipers_report::Severity;

use super::external_tensors;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-keys",
    severity: Severity::Info,
    group: "security",
    title: "External data has unknown keys",
    checks: "Whether the entries of external data are the standard's: location, offset, length, \
             checksum and basepath.",
    why: "Loaders that set whatever they find as attributes of an object have been attacked through \
          such keys. Some tools write keys of their own.",
    example: "An entry `__class__` next to `location`.",
    recommendation: "check which tool wrote them: loaders have been attacked through such keys",
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
                "{} that the standard does not define, ignored here",
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
