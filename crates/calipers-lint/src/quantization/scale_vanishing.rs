//! Scales that are zero or subnormal.

use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{numbers, pairs};

/// The smallest normal float32.
const LEAST: f64 = f32::MIN_POSITIVE as f64;

pub(crate) const RULE: Rule = Rule {
    id: "scale-vanishing",
    severity: Severity::Warning,
    group: "quantization",
    title: "Zero or subnormal quantization scale",
    checks: "Every stored scale of `QuantizeLinear`, `DequantizeLinear` and the integer operators: \
             zero, or below the smallest normal float32, 1.2e-38.",
    why: "Quantization divides by the scale: division by zero returns NaN or saturates. \
          Dequantization multiplies by it: all stored values become zero.",
    example: "A convolution with dead filters: their largest weight is 0, and so is the \
              per-channel scale computed from it.",
    recommendation: "Quantize again with a lower bound: `quantize_static(..., \
                     extra_options={\"MinimumRealRange\": 1e-4})`, or set the scale of all-zero \
                     channels to 1.",
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
        "{}; first {:?} with {count} of {}{}",
        counted(found.len(), "node"),
        label(pair.node),
        counted(*all, "scale"),
        if pair.quantizes { " as divisor" } else { "" }
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
            reported.detail.contains("2 nodes") && reported.detail.contains("divisor"),
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
