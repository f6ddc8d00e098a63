//! Tensors with an element type that no ONNX release defines.

use calipers_ir::DType;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-type",
    severity: Severity::Warning,
    group: "contradiction",
    title: "Unknown tensor element type",
    checks: "The `data_type` of every stored tensor, compared with the types that the ONNX \
             specification defines.",
    why: "The size of the tensor cannot be computed, so parameter and byte counts are incomplete. \
          ONNX Runtime refuses to load the model.",
    example: "An initializer with `data_type` 250.",
    recommendation: "Upgrade Calipers and the runtime if the type is newer than they are; \
                     otherwise re-export the model.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let unknown = |dtype| matches!(dtype, DType::Unknown(_) | DType::Undefined);
    let bad: Vec<_> = model.tensors().filter(|(_, tensor)| unknown(tensor.dtype)).collect();
    let (_, first) = bad.first()?;
    Some(Hit::new(
        format!(
            "{}; first {:?} with type {}, whose size is unknown",
            counted(bad.len(), "tensor"),
            model.name(first.name),
            first.dtype
        ),
        bad.iter().map(|(_, tensor)| model.name(tensor.name).to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::testing::raised;

    /// A model with a stored tensor of one dimension 1, whose type has this number.
    fn of_type(number: u8) -> Vec<u8> {
        // graph { initializer { dims: 1, data_type, name: "w" } }
        let tensor = [0x08, 1, 0x10, number, 0x42, 1, b'w'];
        [&[0x3a, 9, 0x2a, 7][..], &tensor].concat()
    }

    #[test]
    fn a_number_beyond_the_standard_is_found_and_the_last_one_is_not() {
        assert!(raised(&RULE, of_type(100)).unwrap().detail.contains("unknown(100)"));
        assert_eq!(raised(&RULE, of_type(28)), None);
    }
}
