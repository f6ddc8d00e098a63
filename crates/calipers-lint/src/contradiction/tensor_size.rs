//! Tensors with a negative dimension, or more than 2^63 elements.

use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-size",
    severity: Severity::Error,
    group: "contradiction",
    title: "Invalid tensor dimensions",
    checks: "Dimensions of every stored tensor: each must be at least 0, and their product must \
             fit 64 bits.",
    why: "ONNX Runtime refuses to load the model. A reader that multiplies the dimensions without \
          an overflow check accesses memory out of bounds. Exporters do not write such tensors; \
          the file is damaged or malicious.",
    example: "An initializer with dimensions `[4611686018427387904, 4]`.",
    recommendation: "Do not load the file; get it again from a trusted source, or re-export the \
                     model.",
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
        format!("{}; first {name:?}: {error}", counted(bad.len(), "tensor")),
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
