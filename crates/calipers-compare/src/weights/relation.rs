//! How the weights of the second model come from those of the first.

use calipers_ir::DType;
use calipers_report::WeightRelation;
use calipers_report::units::counted;
use calipers_weights::Difference;

use super::Measured;
use super::summary::total;

/// Smaller tensors are constants of formulas, such as the -3e38 of a mask, or agree by chance.
const MIN_ELEMENTS: u64 = 64;

/// The least cosine of weights that come from each other. Fine-tuning keeps it above 0.99; the
/// coarsest quantization in use (2 and 3 bits) above 0.9; weights trained apart are near 0.
const MIN_COSINE: f64 = 0.9;

/// The largest norm of a fine-tune's difference, relative to the weights. A full fine-tune moves
/// them by some percent; half their size is another training.
const MAX_FINE_TUNE: f64 = 0.5;

/// The largest cosine of matrices that have nothing in common: that of random ones of a thousand
/// elements is within 0.03, and learned ones share a mean.
const MAX_UNRELATED_COSINE: f64 = 0.2;

/// The share of tensors that are identical where only some were changed.
const MIN_IDENTICAL: f64 = 0.5;

/// The weights by which a model is judged: the large ones, or all where there are only small ones.
pub(super) fn judged<'m>(weights: &[&'m Measured]) -> Vec<&'m Measured> {
    let is_large = |pair: &&Measured| pair.difference.elements >= MIN_ELEMENTS;
    let large: Vec<&Measured> = weights.iter().copied().filter(is_large).collect();
    if large.is_empty() { weights.to_vec() } else { large }
}

/// Names the relation, and why. `refused` are pairs that could not be compared.
pub(super) fn relation(weights: &[&Measured], refused: u64) -> (WeightRelation, String) {
    let judged = judged(weights);
    if judged.is_empty() {
        return (WeightRelation::Unknown, "No weights were compared.".to_owned());
    }
    let count = judged.len();
    // The sentences count the weights that are judged, and the list counts all.
    let size = if count < weights.len() {
        format!(" of {MIN_ELEMENTS} or more elements")
    } else {
        String::new()
    };
    let judged_tensors = format!("{}{size}", counted(count as u64, "tensor", "tensors"));
    let changed: Vec<&Measured> =
        judged.iter().copied().filter(|pair| !pair.difference.is_none()).collect();
    let is_all_identical = weights.iter().all(|pair| pair.difference.is_none());
    if is_all_identical && refused == 0 {
        return (WeightRelation::Identical, "Every element is the same.".to_owned());
    }
    if changed.is_empty() {
        let why = match refused {
            0 => format!("All {judged_tensors} are the same; smaller ones differ."),
            refused => format!(
                "Every element of {judged_tensors} is the same; {} not compared.",
                counted(refused, "pair was", "pairs were"),
            ),
        };
        return (WeightRelation::Partial, why);
    }
    let all = total(judged.iter().copied());
    let matrices: Vec<&Measured> = judged.iter().copied().filter(|pair| is_matrix(pair)).collect();
    let matrices = if matrices.is_empty() { judged.clone() } else { matrices };
    let angle = total(matrices.into_iter()).cosine();
    if let Some(cosine) = angle.filter(|cosine| cosine.abs() <= MAX_UNRELATED_COSINE) {
        // A cosine just below 0 is not printed as -0.00.
        let cosine = if cosine.abs() < 0.005 { 0.0 } else { cosine };
        let why = format!("The matrices have a cosine of {cosine:.2}: they were trained apart.");
        return (WeightRelation::Unrelated, why);
    }
    let cosine = all.cosine().unwrap_or(0.0);
    let Some(norm) = all.relative_norm() else {
        return (WeightRelation::Unknown, "The weights of the first model are zeros.".to_owned());
    };
    let quantized = changed.iter().filter(|pair| pair.is_quantized()).count();
    if quantized > 0 && cosine >= MIN_COSINE {
        let noise = total(changed.iter().copied().filter(|pair| pair.is_quantized()));
        let ratio =
            noise.snr_db().map_or_else(String::new, |snr| format!(", with an SNR of {snr:.1} dB"));
        let why = format!("{quantized} of {judged_tensors} are quantized in one model{ratio}.");
        return (WeightRelation::Quantized, why);
    }
    if let Some(dtype) = rounded(&changed) {
        let why = format!("Every difference is within the rounding of {dtype}.");
        return (WeightRelation::Rounded, why);
    }
    if share(count - changed.len(), count) >= MIN_IDENTICAL {
        let why = format!("{} of {judged_tensors} differ, the others are the same.", changed.len());
        return (WeightRelation::Partial, why);
    }
    if cosine >= MIN_COSINE && norm <= MAX_FINE_TUNE {
        let why = format!(
            "{} of {judged_tensors} differ a little: the relative norm is {norm:.2e}, the cosine \
             {cosine:.4}.",
            changed.len(),
        );
        return (WeightRelation::FineTuned, why);
    }
    let why = format!("The relative norm is {norm:.2}, the cosine {cosine:.2}.");
    (WeightRelation::Unknown, why)
}

#[expect(clippy::cast_precision_loss, reason = "a share of tensors")]
fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

fn is_matrix(pair: &Measured) -> bool {
    pair.candidate.a.axes.iter().filter(|(length, _)| *length > 1).count() > 1
}

/// The narrower type, where every difference is one of rounding to it.
fn rounded(changed: &[&Measured]) -> Option<DType> {
    let mut narrowest: Option<(DType, f64)> = None;
    for pair in changed {
        let (a, b) = (pair.candidate.a.dtype, pair.candidate.b.dtype);
        let (dtype, roundoff, least) = [rounding(a)?, rounding(b)?]
            .into_iter()
            .zip([a, b])
            .map(|((roundoff, least), dtype)| (dtype, roundoff, least))
            .max_by(|left, right| left.1.total_cmp(&right.1))?;
        (a != b && is_within(&pair.difference, roundoff, least)).then_some(())?;
        if narrowest.is_none_or(|(_, largest)| roundoff > largest) {
            narrowest = Some((dtype, roundoff));
        }
    }
    narrowest.map(|(dtype, _)| dtype)
}

/// Whether a difference is at most the rounding of normal elements, or that of subnormal ones.
fn is_within(difference: &Difference, roundoff: f64, least: f64) -> bool {
    difference.not_finite == 0
        && (difference.relative_norm().is_some_and(|norm| norm <= roundoff)
            || difference.max_abs <= least)
}

/// The unit roundoff of a float type, and half the distance of its subnormal elements.
fn rounding(dtype: DType) -> Option<(f64, f64)> {
    use DType::*;
    // Bits of the fraction, and the exponent of the least normal element.
    let (fraction, exponent) = match dtype {
        Float64 => (52, -1022),
        Float32 => (23, -126),
        Float16 => (10, -14),
        Bfloat16 => (7, -126),
        Float8E4M3Fn => (3, -6),
        Float8E4M3Fnuz => (3, -7),
        Float8E5M2 => (2, -14),
        Float8E5M2Fnuz => (2, -15),
        _ => return None,
    };
    let roundoff = 2_f64.powi(-(fraction + 1));
    Some((roundoff, 2_f64.powi(exponent) * roundoff))
}
