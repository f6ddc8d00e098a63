//! Data files that are not there.

use calipers_ir::DataFileState;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-missing",
    severity: Severity::Warning,
    group: "deployment",
    title: "A data file is missing",
    checks: "Whether every data file that the model names lies next to it.",
    why: "The graph is described all the same, but no runtime can load the model from here.",
    example: "`model.onnx` without the `model.onnx.data` that it was saved with.",
    recommendation: "put the data file next to the model",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let missing: Vec<_> = model
        .data_files
        .iter()
        .filter(|file| file.state == DataFileState::Missing)
        .map(|file| model.name(file.location).to_owned())
        .collect();
    let first = missing.first()?.clone();
    Some(Hit::new(
        format!(
            "{} next to the model, first {first:?}: its graph is described, but it cannot run here",
            counted(missing.len(), "file")
        ),
        missing,
    ))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::{adjacent, external, raised};

    #[test]
    fn a_missing_file_is_found_and_one_that_is_there_is_not() {
        let model = external("w.bin", 0, 8);
        assert_eq!(adjacent(&RULE, model.clone(), "v.bin", &[0; 8]).unwrap().nodes, ["w.bin"]);
        assert_eq!(adjacent(&RULE, model.clone(), "w.bin", &[0; 8]), None);
        assert_eq!(raised(&RULE, model), None, "without a folder nobody can tell");
    }
}
