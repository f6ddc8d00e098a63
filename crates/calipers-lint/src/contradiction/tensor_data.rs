//! Tensors whose data in the model file does not match their shape.

use calipers_ir::{DType, Data, Tensor, TensorId};
use calipers_report::Severity;
use calipers_report::units;
use hashbrown::HashSet;

use crate::evidence::Outputs;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "tensor-data",
    severity: Severity::Error,
    group: "contradiction",
    title: "Tensor data does not match its shape",
    checks: "The number of bytes or entries of every tensor stored in the model file, compared \
             with its element type and dimensions.",
    why: "ONNX Runtime refuses to load the model; a reader that trusts the shape reads past the \
          end of the data. The file is damaged or was edited incorrectly.",
    example: "A float32 tensor of 4 elements with 7 bytes of data.",
    recommendation: "Re-export or download the model again and verify it with \
                     `onnx.checker.check_model(\"model.onnx\")`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let tensors = model.tensors();
    let bad: Vec<_> = tensors
        .filter_map(|(id, tensor)| Some((id, model.name(tensor.name), mismatch(tensor)?)))
        .collect();
    let (_, name, problem) = bad.first()?;
    let hit = Hit::new(
        format!("{}; first {name:?}: {problem}", counted(bad.len(), "tensor")),
        bad.iter().map(|(_, name, _)| (*name).to_owned()),
    );
    // ONNX Runtime drops an initializer that nothing reads before it checks the data.
    let outputs = Outputs::from_model(model);
    let unused: HashSet<TensorId> = model
        .values()
        .filter(|(id, _)| model.consumers(*id).is_empty() && !outputs.has(*id))
        .filter_map(|(_, value)| value.initializer)
        .collect();
    let harmless = bad.iter().all(|(id, ..)| unused.contains(id));
    Some(if harmless { hit.severity(Severity::Warning) } else { hit })
}

/// Returns how the stored data differs from what the shape requires.
fn mismatch(tensor: &Tensor) -> Option<String> {
    let wanted = tensor.elements().ok()?;
    match &tensor.data {
        Data::Raw(span) => {
            let bytes = tensor.bytes()?;
            (span.len() != bytes).then(|| {
                format!(
                    "the shape requires {} bytes, the data has {}",
                    units::integer(bytes),
                    units::integer(span.len())
                )
            })
        }
        Data::Fields { elements: Some(elements), .. } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*elements != wanted).then(|| {
                format!(
                    "the shape requires {} entries, the data has {}",
                    units::integer(wanted),
                    units::integer(*elements)
                )
            })
        }
        // A varint takes 1 to 10 bytes.
        Data::Fields { bytes, elements: None } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*bytes < wanted || *bytes > wanted.saturating_mul(10)).then(|| {
                format!(
                    "the shape requires {} entries, which do not fit {} bytes",
                    units::integer(wanted),
                    units::integer(*bytes)
                )
            })
        }
        Data::Absent => (wanted > 0).then(|| "no data is stored".to_owned()),
        Data::External(_) | Data::Inline(_) => None,
    }
}

/// Returns the number of entries in a typed field that hold this many elements.
fn fields_needed(dtype: DType, elements: u64) -> u64 {
    match dtype {
        DType::Complex64 | DType::Complex128 => elements.saturating_mul(2),
        _ => match dtype.bits() {
            // Elements below 8 bits are packed, and each byte is an entry.
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
