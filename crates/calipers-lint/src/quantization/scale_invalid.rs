//! Scales that are no scales.

use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{numbers, pairs};

pub(crate) const RULE: Rule = Rule {
    id: "scale-invalid",
    severity: Severity::Error,
    group: "quantization",
    title: "A scale is negative, infinite or not a number",
    checks: "Every stored scale of `QuantizeLinear`, `DequantizeLinear` and the operators on integers.",
    why: "A scale is the distance between two neighboring numbers. One that is NaN or infinite makes \
          NaN of all data, and runtimes differ in what they do with a negative one.",
    example: "A calibration that met NaN and wrote it into the scale.",
    recommendation: "calibrate and quantize the model again, without the data that broke it",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let bad = |number: &f64| !number.is_finite() || *number < 0.0;
    let mut found = Vec::new();
    for pair in pairs(evidence) {
        let scales = numbers(evidence, pair.scale).unwrap_or_default();
        found.extend(scales.into_iter().find(bad).map(|scale| (pair.node, scale)));
    }
    let (node, scale) = *found.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail = format!("{}, first {:?} with {scale}", counted(found.len(), "node"), label(node));
    Some(Hit::new(detail, found.iter().map(|(node, _)| label(*node))))
}

#[cfg(test)]
mod tests {
    use super::super::pairs::testing::round_trip;
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn what_is_no_distance_is_reported() {
        for scale in [-0.1, f32::NAN, f32::INFINITY] {
            assert!(raised(&RULE, round_trip(scale, 0)).is_some(), "{scale}");
        }
    }

    #[test]
    fn a_distance_is_not() {
        assert_eq!(raised(&RULE, round_trip(0.1, 0)), None);
    }
}
