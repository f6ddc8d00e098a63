//! Scales that are NaN, infinite or negative.

use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::pairs::{numbers, pairs};

pub(crate) const RULE: Rule = Rule {
    id: "scale-invalid",
    severity: Severity::Warning,
    group: "quantization",
    title: "Invalid quantization scale",
    checks: "Every stored scale of `QuantizeLinear`, `DequantizeLinear` and the integer operators: \
             NaN and infinity, and negative scales of `QuantizeLinear`. Negative scales of weights \
             are valid: the 4-bit quantizer of ONNX Runtime writes them.",
    why: "A NaN or infinite scale turns the dequantized data into NaN or infinity. Runtimes load \
          the model and return wrong results.",
    example: "A calibration run that saw NaN and wrote it into the scale.",
    recommendation: "Remove samples with NaN or infinity from the calibration data and run \
                     `onnxruntime.quantization.quantize_static` again.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut found = Vec::new();
    for pair in pairs(evidence) {
        // Symmetric 4-bit quantizers write negative scales for weights; calibration never does.
        let bad = |scale: &f64| !scale.is_finite() || (pair.quantizes && *scale < 0.0);
        let scales = numbers(evidence, pair.scale).unwrap_or_default();
        found.extend(scales.into_iter().find(bad).map(|scale| (pair.node, scale)));
    }
    let (node, scale) = *found.first()?;
    let label = |node| evidence.model.node_label(node);
    let detail = format!(
        "{}; first {:?} with a scale of {scale}",
        counted(found.len(), "node"),
        label(node)
    );
    Some(Hit::new(detail, found.iter().map(|(node, _)| label(*node))))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    use super::super::pairs::testing::round_trip;
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn non_finite_and_negative_activation_scales_are_reported() {
        for scale in [-0.1, f32::NAN, f32::INFINITY] {
            assert!(raised(&RULE, round_trip(scale, 0)).is_some(), "{scale}");
        }
    }

    #[test]
    fn positive_scales_and_negative_weight_scales_are_not_reported() {
        assert_eq!(raised(&RULE, round_trip(0.1, 0)), None);
        // onnxruntime.quantization.matmul_nbits_quantizer writes negative scales for weights.
        let mut model = ModelBuilder::new(21);
        model.input("x", DataType::F32, &["n", "2"]);
        model.initializer(&Tensor::raw("w", DataType::I8, &[2, 2], &[1; 4]));
        model.initializer(&Tensor::f32("scale", &[2], &[-0.1, 0.1]));
        model.node("DequantizeLinear", &["w", "scale"], &["f"], &[]);
        model.node("MatMul", &["x", "f"], &["y"], &[]).output("y", DataType::F32, &["n", "2"]);
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
