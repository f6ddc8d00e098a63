//! Activation ranges that are too wide or too narrow.

use calipers_ir::DType;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{dtype, is_stored, numbers, pairs};

/// The widest range that is plausible for activations.
const WIDE: f64 = 1e4;

/// The narrowest range that is plausible for activations.
const NARROW: f64 = 1e-5;

pub(crate) const RULE: Rule = Rule {
    id: "activation-range",
    severity: Severity::Warning,
    group: "quantization",
    title: "Implausible activation range",
    checks: "Scales of `QuantizeLinear` on activations, times the number of steps of the type: a \
             range above 10,000 or below 0.00001.",
    why: "A range that is too wide leaves a few steps for typical values, so most of them become \
          equal; one that is too narrow clips most values.",
    example: "An attention mask of -10,000 quantized together with the scores: each step is 39, \
              and all scores become equal.",
    recommendation: "Exclude the node with `quantize_static(..., nodes_to_exclude=[...])`, or \
                     recalibrate on representative data with \
                     `calibrate_method=CalibrationMethod.Percentile`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut found = Vec::new();
    for pair in pairs(evidence).filter(|pair| pair.quantizes) {
        if pair.data.is_none_or(|data| is_stored(evidence, data)) {
            continue;
        }
        let bits = match evidence.model.outputs(pair.node).first() {
            Some(Some(output)) => {
                dtype(evidence, *output).filter(|it| !it.is_float()).and_then(DType::bits)
            }
            _ => None,
        };
        let (Some(bits), Some(scales)) = (bits, numbers(evidence, pair.scale)) else { continue };
        let range = |scale: &f64| scale * (2_f64.powi(bits.min(32).cast_signed()) - 1.0);
        // Zero and NaN have findings of their own.
        let absurd =
            |range: &f64| range.is_finite() && *range > 1e-30 && !(NARROW..=WIDE).contains(range);
        found.extend(scales.iter().map(range).find(absurd).map(|range| (pair.node, range, bits)));
    }
    let (node, range, bits) = *found.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail = format!(
        "{}; first {:?} with a range of {range:.3e} in {bits} bits",
        counted(found.len(), "node"),
        label(node)
    );
    Some(Hit::new(detail, found.iter().map(|(node, ..)| label(*node))))
}

#[cfg(test)]
mod tests {
    use super::super::pairs::testing::round_trip;
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn too_wide_and_too_narrow_are_reported() {
        let reported = raised(&RULE, round_trip(100.0, 0)).unwrap();
        assert!(reported.detail.contains("2.550e4 in 8 bits"), "{}", reported.detail);
        assert!(raised(&RULE, round_trip(1e-9, 0)).is_some());
    }

    #[test]
    fn charts_and_probabilities_are_not() {
        assert_eq!(raised(&RULE, round_trip(1.0, 0)), None);
        assert_eq!(raised(&RULE, round_trip(1.0 / 255.0, 0)), None);
    }
}
