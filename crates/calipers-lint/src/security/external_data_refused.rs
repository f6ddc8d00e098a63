//! Locations of data that a model must not name.

use calipers_ir::DataFileState;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-refused",
    severity: Severity::Error,
    group: "security",
    title: "A data file's location is unsafe",
    checks: "Whether every data file that the model names lies inside the model's folder: no \
             absolute path, no `..`, no URL, no link that leads out, no second name of another \
             file.",
    why: "A runtime that follows such a path reads any file of the machine into the model's weights, \
          from where its outputs can give it away.",
    example: "A tensor whose external data is at `../../etc/passwd`.",
    recommendation: "do not load this model with a runtime that follows such paths; keep data files \
                     next to it",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let refused: Vec<_> = model
        .data_files
        .iter()
        .filter_map(|file| match &file.state {
            DataFileState::Refused(reason) => Some((model.name(file.location), reason)),
            _ => None,
        })
        .collect();
    let (location, reason) = refused.first()?;
    Some(Hit::new(
        format!(
            "{}, first {location:?}: {reason}; nothing there was touched",
            counted(refused.len(), "location")
        ),
        refused.iter().map(|(location, _)| (*location).to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::{external, raised};

    #[test]
    fn ways_out_are_found_and_ways_in_are_not() {
        for location in ["/etc/passwd", "../up.bin", "a/../../b", "https://a.b/c", "C:\\w.bin", ""]
        {
            assert!(raised(&RULE, external(location, 0, 8)).is_some(), "{location}");
        }
        for location in ["w.bin", "data/w.bin", "..w.bin", "./w.bin"] {
            assert_eq!(raised(&RULE, external(location, 0, 8)), None, "{location}");
        }
    }
}
