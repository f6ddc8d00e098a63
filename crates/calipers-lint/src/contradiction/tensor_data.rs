//! Tensors whose data in the model file does not fit their shape.

use calipers_ir::{DType, Data, Tensor};
use calipers_report::Severity;
use calipers_report::units;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-data",
    severity: Severity::Error,
    group: "contradiction",
    title: "A tensor's data does not fit its shape",
    checks: "Whether a tensor that is stored in the model file has as many bytes or entries as its \
             type and dimensions need.",
    why: "A reader that trusts the shape reads past the data; one that does not refuses the model. \
          The file is damaged, or was edited without care.",
    example: "A `float32` tensor of 4 elements with 7 bytes of data.",
    recommendation: "export the model again; the file is damaged or was edited",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let tensors = model.tensors();
    let bad: Vec<_> = tensors
        .filter_map(|(_, tensor)| Some((model.name(tensor.name), mismatch(tensor)?)))
        .collect();
    let (name, reported) = bad.first()?;
    Some(Hit::new(
        format!("{}, first {name:?}: {reported}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
    ))
}

fn mismatch(tensor: &Tensor) -> Option<String> {
    let wanted = tensor.elements().ok()?;
    match &tensor.data {
        Data::Raw(span) => {
            let bytes = tensor.bytes()?;
            (span.len() != bytes).then(|| {
                format!(
                    "its shape needs {} bytes and it has {}",
                    units::integer(bytes),
                    units::integer(span.len())
                )
            })
        }
        Data::Fields { elements: Some(elements), .. } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*elements != wanted).then(|| {
                format!(
                    "its shape needs {} entries and it has {}",
                    units::integer(wanted),
                    units::integer(*elements)
                )
            })
        }
        // A number of variable length takes at least a byte and at most ten.
        Data::Fields { bytes, elements: None } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*bytes < wanted || *bytes > wanted.saturating_mul(10)).then(|| {
                format!(
                    "its shape needs {} entries, which {} bytes cannot hold",
                    units::integer(wanted),
                    units::integer(*bytes)
                )
            })
        }
        Data::Absent => (wanted > 0).then(|| "it has none".to_owned()),
        Data::External(_) => None,
    }
}

/// Entries of the typed fields that hold so many elements.
fn fields_needed(dtype: DType, elements: u64) -> u64 {
    match dtype {
        DType::Complex64 | DType::Complex128 => elements.saturating_mul(2),
        _ => match dtype.bits() {
            // Narrow elements are packed into bytes, and each byte is an entry.
            Some(bits) if bits < 8 => dtype.bytes(elements).unwrap_or(elements),
            _ => elements,
        },
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    fn stored(dtype: DataType, elements: i64, bytes: usize) -> Vec<u8> {
        let mut model = ModelBuilder::new(24);
        model.initializer(&Tensor::raw("w", dtype, &[elements], &vec![0; bytes]));
        model.output("w", dtype, &["?"]).build()
    }

    #[test]
    fn short_and_long_data_is_found_and_packed_data_is_not() {
        assert!(raised(&RULE, stored(DataType::F32, 4, 7)).is_some());
        assert!(raised(&RULE, stored(DataType::F32, 4, 17)).is_some());
        // Five elements of four bits take three bytes.
        assert_eq!(raised(&RULE, stored(DataType::I4, 5, 3)), None);
        assert_eq!(raised(&RULE, stored(DataType::F32, 4, 16)), None);
    }
}
