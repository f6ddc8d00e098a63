//! Scales of zero, or next to it.

use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{numbers, pairs};

/// The least normal float32: below it a scale has no digits left.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

pub(crate) const RULE: Rule = Rule {
    id: "scale-vanishing",
    severity: Severity::Warning,
    group: "quantization",
    title: "A scale is zero or subnormal",
    checks: "Every stored scale of `QuantizeLinear`, `DequantizeLinear` and the operators on integers: \
             zero, or below the least normal float32, 1.2e-38.",
    why: "Quantizing divides by the scale: by zero that is NaN or a saturated number. Dequantizing \
          multiplies by it: whatever was stored becomes zero.",
    example: "A convolution with dead filters: their largest weight is 0, and so is the scale per \
              channel that was computed from it.",
    recommendation: "give empty channels a scale of 1, or quantize again with a lower bound on scales",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut found = Vec::new();
    for pair in pairs(evidence) {
        let scales = numbers(evidence, pair.scale).unwrap_or_default();
        let count = scales.iter().filter(|scale| (0.0..LEAST).contains(*scale)).count();
        if count > 0 {
            found.push((pair, count, scales.len()));
        }
    }
    let (pair, count, all) = found.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail = format!(
        "{}, first {:?} with {count} of {}{}",
        counted(found.len(), "node"),
        label(pair.node),
        counted(*all, "scale"),
        if pair.quantizes { ", by which it divides" } else { "" }
    );
    Some(Hit::new(detail, found.iter().map(|(pair, ..)| label(pair.node))))
}

#[cfg(test)]
mod tests {
    use super::super::pairs::testing::round_trip;
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn zero_and_next_to_it_are_reported() {
        let reported = raised(&RULE, round_trip(0.0, 0)).unwrap();
        assert!(
            reported.detail.contains("2 nodes") && reported.detail.contains("divides"),
            "{}",
            reported.detail
        );
        assert!(raised(&RULE, round_trip(1e-40, 0)).is_some());
    }

    #[test]
    fn a_small_scale_is_not() {
        assert_eq!(raised(&RULE, round_trip(1e-30, 0)), None);
    }
}
