//! Checks of stored tensors.

use calipers_ir::{DType, Data, Model, Tensor};
use calipers_report::{Finding, Severity};

use super::{counted, finding};

/// Tensors with a negative dimension, or more elements than can be counted.
pub(super) fn impossible_size(model: &Model) -> Option<Finding> {
    let bad: Vec<_> = model
        .tensors()
        .filter_map(|(_, tensor)| Some((model.name(tensor.name), tensor.elements().err()?)))
        .collect();
    let (name, error) = bad.first()?;
    Some(finding(
        "tensor-size",
        Severity::Error,
        "A stored tensor has an impossible size",
        format!("{}, first {name:?}: {error}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
        "export the model again; no runtime can load such a tensor",
    ))
}

/// Tensors of a type that no release of the standard defines.
pub(super) fn unknown_type(model: &Model) -> Option<Finding> {
    let bad: Vec<_> = model
        .tensors()
        .filter(|(_, tensor)| matches!(tensor.dtype, DType::Unknown(_) | DType::Undefined))
        .collect();
    let (_, first) = bad.first()?;
    Some(finding(
        "tensor-type",
        Severity::Warning,
        "A stored tensor has an unknown type",
        format!(
            "{}, first {:?} of type {}: their size in bytes is not known",
            counted(bad.len(), "tensor"),
            model.name(first.name),
            first.dtype
        ),
        bad.iter().map(|(_, tensor)| model.name(tensor.name).to_owned()),
        "use a newer release of Calipers if the standard has added the type since",
    ))
}

/// Tensors whose data in the model file does not fit their shape.
pub(super) fn short_data(model: &Model) -> Option<Finding> {
    let bad: Vec<_> = model
        .tensors()
        .filter_map(|(_, tensor)| Some((model.name(tensor.name), mismatch(tensor)?)))
        .collect();
    let (name, told) = bad.first()?;
    Some(finding(
        "tensor-data",
        Severity::Error,
        "A tensor's data does not fit its shape",
        format!("{}, first {name:?}: {told}", counted(bad.len(), "tensor")),
        bad.iter().map(|(name, _)| (*name).to_owned()),
        "export the model again; the file is damaged or was edited",
    ))
}

fn mismatch(tensor: &Tensor) -> Option<String> {
    let wanted = tensor.elements().ok()?;
    match &tensor.data {
        Data::Raw(span) => {
            let bytes = tensor.bytes()?;
            (span.len() != bytes)
                .then(|| format!("its shape needs {bytes} bytes and it has {}", span.len()))
        }
        Data::Fields { elements: Some(elements), .. } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*elements != wanted)
                .then(|| format!("its shape needs {wanted} entries and it has {elements}"))
        }
        // A number of variable length takes at least a byte and at most ten.
        Data::Fields { bytes, elements: None } => {
            let wanted = fields_needed(tensor.dtype, wanted);
            (*bytes < wanted || *bytes > wanted.saturating_mul(10)).then(|| {
                format!("its shape needs {wanted} entries, which {bytes} bytes cannot hold")
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
