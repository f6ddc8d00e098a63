//! External data files that do not exist.

use calipers_ir::DataFileState;
use calipers_report::Severity;

use crate::commands::argument;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-missing",
    severity: Severity::Warning,
    group: "deployment",
    title: "Missing external data file",
    checks: "Whether every external data file that the model references exists next to it.",
    why: "The graph can be analyzed without the weights, but no runtime can load the model from \
          this folder.",
    example: "`model.onnx` without the `model.onnx.data` file that it was saved with.",
    recommendation: "Copy the data file into the folder of the model, or save both again with \
                     `onnx.save(model, \"out.onnx\", save_as_external_data=True)`.",
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
    let file = argument(&first).map(str::to_owned);
    let hit = Hit::new(
        format!(
            "{} not found in the folder of the model; first {first:?}",
            counted(missing.len(), "file")
        ),
        missing,
    );
    Some(match file {
        Some(file) => hit.recommend(format!("Copy `{file}` into the folder of the model.")),
        None => hit,
    })
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
        assert_eq!(raised(&RULE, model), None, "a model from memory has no folder");
    }
}
