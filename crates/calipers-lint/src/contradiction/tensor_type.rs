//! Tensors of a type that no release of the standard defines.

use calipers_ir::DType;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-type",
    severity: Severity::Warning,
    group: "contradiction",
    title: "A stored tensor has an unknown type",
    checks: "Whether the type of every stored tensor is one that the standard numbers.",
    why: "The size of such a tensor cannot be determined, so parameters and bytes stay unknown; other \
          readers refuse the file.",
    example: "An initializer whose `data_type` is 250.",
    recommendation: "use a newer release of Calipers if the standard has added the type since",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let unknown = |dtype| matches!(dtype, DType::Unknown(_) | DType::Undefined);
    let bad: Vec<_> = model.tensors().filter(|(_, tensor)| unknown(tensor.dtype)).collect();
    let (_, first) = bad.first()?;
    Some(Hit::new(
        format!(
            "{}, first {:?} of type {}: their size in bytes is not known",
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
