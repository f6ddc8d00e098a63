//! External data ranges that are not numbers, exceed the file or do not match the tensor.

use calipers_report::Severity;

use super::external_tensors;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "external-data-range",
    severity: Severity::Error,
    group: "security",
    title: "External data range does not fit the file or tensor",
    checks: "Offset and length of every external tensor: both must be integers, lie inside the \
             data file, and match the tensor's type and dimensions.",
    why: "ONNX Runtime refuses to load the model; a reader without bounds checks reads past the \
          end of the file or of its memory. The usual cause is a model and a data file from \
          different exports.",
    example: "Offset 4096 in a data file of 8 bytes.",
    recommendation: "Use the data file from the same export, or save both again: `onnx.save(model, \
                     \"out.onnx\", save_as_external_data=True)`.",
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
                    format!("length {length}, the shape requires {} bytes", wanted.unwrap_or(0))
                }
                _ => return None,
            };
            Some((model.name(tensor.name), problem))
        })
        .collect();
    let (name, problem) = bad.first()?;
    Some(Hit::new(
        format!("{}; first {name:?}: {problem}", counted(bad.len(), "tensor")),
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
        assert!(
            raised(&RULE, external("w.bin", 0, 9)).unwrap().detail.contains("requires 8 bytes")
        );
        assert_eq!(raised(&RULE, external("w.bin", 0, 8)), None);
    }
}
