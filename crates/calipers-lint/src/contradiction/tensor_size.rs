//! Tensors with a negative dimension, or more elements than can be counted.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-size",
    severity: Severity::Error,
    group: "contradiction",
    title: "A stored tensor has an impossible size",
    checks: "Whether the dimensions of every stored tensor are at least 0 and their product fits 64 \
             bits.",
    why: "Readers that multiply such dimensions without care overflow and read or write past their \
          memory. It is damage or an attack, never an export.",
    example: "An initializer of dimensions `[4611686018427387904, 4]`.",
    recommendation: "export the model again; no runtime can load such a tensor",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let tensors = model.tensors();
    let bad: Vec<_> = tensors
        .filter_map(|(_, tensor)| Some((model.name(tensor.name), tensor.elements().err()?)))
        .collect();
    let (name, error) = bad.first()?;
    Some(Hit::new(
        format!("{}, first {name:?}: {error}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn sizes_beyond_counting_are_found_and_empty_tensors_are_not() {
        let model = |dims: &[i64]| {
            let mut model = ModelBuilder::new(17);
            model.initializer(&Tensor::raw("w", F32, dims, &[])).output("w", F32, &[]).build()
        };
        assert!(raised(&RULE, model(&[1 << 62, 4])).is_some());
        assert!(raised(&RULE, model(&[-1])).is_some());
        assert_eq!(raised(&RULE, model(&[1 << 62, 0])), None);
    }
}
