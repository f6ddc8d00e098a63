//! Places in data files that are no numbers, reach past the file, or do not fit the tensor.

use calipers_report::Severity;

use super::external_tensors;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-range",
    severity: Severity::Error,
    group: "security",
    title: "A tensor's place in its data file is wrong",
    checks: "Whether offset and length are numbers, lie inside the file where it is there, and fit \
             the tensor's type and dimensions.",
    why: "A reader that trusts them reads past the end of the file or of its memory; one that does \
          not refuses the model. It also happens when model and data file are of different exports.",
    example: "Offset 4096 in a data file of 8 bytes.",
    recommendation: "export the model and its data file again, together",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let bad: Vec<_> = external_tensors(model)
        .filter_map(|(tensor, external)| {
            let wanted = tensor.bytes();
            let problem = match (&external.problem, external.length) {
                (Some(problem), _) => problem.clone(),
                (None, Some(length)) if wanted.is_some_and(|wanted| wanted != length) => {
                    format!("its length is {length} and its shape needs {}", wanted.unwrap_or(0))
                }
                _ => return None,
            };
            Some((model.name(tensor.name), problem))
        })
        .collect();
    let (name, problem) = bad.first()?;
    Some(Hit::new(
        format!("{}, first {name:?}: {problem}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::{adjacent, external, raised};

    #[test]
    fn a_place_past_the_end_is_found_and_the_last_one_is_not() {
        let data = [0; 24];
        assert!(adjacent(&RULE, external("w.bin", 20, 8), "w.bin", &data).is_some());
        assert_eq!(adjacent(&RULE, external("w.bin", 16, 8), "w.bin", &data), None);
    }

    #[test]
    fn a_length_must_fit_the_shape() {
        assert!(raised(&RULE, external("w.bin", 0, 9)).unwrap().detail.contains("needs 8"));
        assert_eq!(raised(&RULE, external("w.bin", 0, 8)), None);
    }
}
