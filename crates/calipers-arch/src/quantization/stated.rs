//! Quantization that the file states itself: of values, as TensorFlow Lite does, or by the type of
//! the stored numbers, as GGUF does.

use calipers_ir::{DType, Model, ValueId, WeightRole};
use calipers_report::{Granularity, Parameters, Quantization, Scheme};

use super::form::{Form, Observed};
use super::{AGREE, percent};

/// Says how a contraction is quantized whose stored factor is `weight`; `false` where the file states
/// nothing of it.
pub(super) fn observe(
    model: &Model,
    observed: &mut Observed,
    weight: ValueId,
    data: Option<ValueId>,
) -> bool {
    let Some(tensor) = model.value(weight).initializer.map(|id| model.tensor(id)) else {
        return false;
    };
    if let DType::Block(format) = tensor.dtype {
        observed.form = Form::WeightOnly;
        observed.bits = Some(i64::from(format.bits()));
        observed.float = format.is_float();
        observed.block = i64::try_from(format.block_elements()).ok();
        observed.granularity = Some(Granularity::PerBlock);
        return true;
    }
    let Some(affine) = model.affine(weight) else { return false };
    let takes_codes = data.is_some_and(|data| model.affine(data).is_some());
    observed.form = if takes_codes { Form::QOperator } else { Form::WeightOnly };
    observed.bits = tensor.dtype.bits().map(i64::from);
    observed.granularity = Some(match affine.scales {
        0 | 1 => Granularity::PerTensor,
        _ => Granularity::PerChannel,
    });
    observed.symmetric = Some(affine.is_symmetric);
    true
}

/// The quantization of weights without a graph: what most elements of matrices are stored in.
pub(super) fn of_weights(model: &Model, parameters: &Parameters) -> Quantization {
    let mut quantization = Quantization::default();
    let mut bits: Vec<(i64, bool, u64)> = Vec::new();
    let (mut all, mut narrow) = (0_u64, 0_u64);
    for weight in model.stored_weights() {
        let is_matrix = model.tensor(weight.tensor).dims.len() > 1;
        if weight.role != WeightRole::Weight || !is_matrix {
            continue;
        }
        quantization.contractions += 1;
        all = all.saturating_add(weight.elements);
        let Some((width, is_float)) = few_bits(weight.dtype) else { continue };
        quantization.contractions_quantized += 1;
        narrow = narrow.saturating_add(weight.elements);
        match bits.iter_mut().find(|(known, float, _)| (*known, *float) == (width, is_float)) {
            Some((.., elements)) => *elements = elements.saturating_add(weight.elements),
            None => bits.push((width, is_float, weight.elements)),
        }
    }
    let Some((width, is_float, most)) = bits.into_iter().max_by_key(|(.., elements)| *elements)
    else {
        quantization.evidence = vec!["no weight is stored in fewer than 16 bits".to_owned()];
        return quantization;
    };
    let share = u128::from(most) * 100;
    let agrees = share >= u128::from(narrow) * AGREE as u128;
    quantization.scheme = match (agrees, is_float) {
        (false, _) => Scheme::Mixed,
        (true, true) => Scheme::Float { bits: width },
        (true, false) => Scheme::WeightOnly { bits: width },
    };
    quantization.bits = Some(width);
    quantization.weights_percent = percent(parameters);
    quantization.evidence = vec![format!(
        "{} of {} matrices of weights are stored in fewer than 16 bits",
        quantization.contractions_quantized, quantization.contractions
    )];
    quantization
}

/// The bits of a type of fewer than 16, and whether they make a float.
fn few_bits(dtype: DType) -> Option<(i64, bool)> {
    match dtype {
        DType::Block(format) => Some((i64::from(format.bits()), format.is_float())),
        DType::Bool => None,
        other => {
            let bits = other.bits().filter(|bits| *bits < 16)?;
            Some((i64::from(bits), other.is_float()))
        }
    }
}

/// Whether a type is of few bits, as elements of weights.
pub(super) fn is_narrow(dtype: DType) -> bool {
    few_bits(dtype).is_some_and(|(bits, _)| bits <= 8)
}
