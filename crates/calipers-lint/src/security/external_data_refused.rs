//! External data locations outside the folder of the model.

use calipers_ir::DataFileState;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-refused",
    severity: Severity::Error,
    group: "security",
    title: "Unsafe external data path",
    checks: "The location of every external data file. It must be inside the folder of the model: \
             absolute paths, `..`, URLs, symbolic links that leave the folder and hard links are \
             refused.",
    why: "A runtime that follows such a path reads any file on the machine into the weights, from \
          where the outputs can reveal it. Current ONNX Runtime refuses to load the model; older \
          releases follow the path.",
    example: "A tensor with external data at `../../etc/passwd`.",
    recommendation: "Do not load this model; if you trust it, move the data file into its folder \
                     and save with `onnx.save(model, \"out.onnx\", save_as_external_data=True)`.",
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
            "{}; first {location:?}: {reason}; Calipers did not open it",
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
