//! Quantized convolutions with a single weight scale.

use calipers_report::{Granularity, Severity};

use super::super::{Evidence, Hit, Rule};
use super::quantized_convolutions;

pub(crate) const RULE: Rule = Rule {
    id: "conv-weights-per-tensor",
    severity: Severity::Info,
    group: "quantization",
    title: "Per-tensor convolution weights",
    checks: "Quantized convolutions with more than one output channel whose weights have a single \
             scale. Depthwise convolutions have a finding of their own.",
    why: "Filters differ in range. With a scale per channel each filter uses all steps, at no \
          extra cost: runtimes have kernels for it and recommend it.",
    example: "A `QLinearConv` node with a scalar `w_scale`.",
    recommendation: "Quantize again with `onnxruntime.quantization.quantize_static(..., \
                     per_channel=True)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut all = 0_usize;
    let mut shared = Vec::new();
    for (unit, looked) in quantized_convolutions(evidence) {
        if unit
            .convolution()
            .is_none_or(|conv| conv.is_depthwise() || conv.out_channels.is_none_or(|out| out < 2))
        {
            continue;
        }
        all += 1;
        if looked.granularity == Some(Granularity::PerTensor) {
            shared.push(evidence.model.node_label(unit.node));
        }
    }
    let detail = match shared.len() {
        0 => return None,
        1 if all == 1 => "the only quantized convolution has a single weight scale".to_owned(),
        count if count == all => {
            format!("all {all} quantized convolutions have a single weight scale")
        }
        count => format!("{count} of {all} quantized convolutions have a single weight scale"),
    };
    Some(Hit::new(detail, shared))
}

#[cfg(test)]
pub(super) mod tests {
    use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::{count, raised};

    /// A convolution of dequantized weights with this number of scales.
    pub(crate) fn convolution(scales: i64, groups: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["1", "8", "4", "4"]);
        let dims = [8, 8 / groups, 3, 3];
        model.initializer(&Tensor::raw("w", DataType::I8, &dims, &vec![1; count(8 * 72 / groups)]));
        let values = vec![0.1; count(scales.max(1))];
        let shape: &[i64] = if scales == 0 { &[] } else { &[scales] };
        model.initializer(&Tensor::f32("scales", shape, &values));
        model.initializer(&Tensor::f32("scale", &[], &[0.1]));
        model.initializer(&Tensor::raw("zero", DataType::U8, &[], &[0]));
        model.node("QuantizeLinear", &["x", "scale", "zero"], &["q"], &[]);
        model.node("DequantizeLinear", &["q", "scale", "zero"], &["d"], &[]);
        model.node("DequantizeLinear", &["w", "scales"], &["f"], &[Attribute::int("axis", 0)]);
        model.node("Conv", &["d", "f"], &["y"], &[Attribute::int("group", groups)]);
        model.output("y", DataType::F32, &["1", "8", "2", "2"]).build()
    }

    #[test]
    fn one_scale_for_all_filters_is_reported() {
        let reported = raised(&RULE, convolution(0, 1)).unwrap();
        assert_eq!(reported.detail, "the only quantized convolution has a single weight scale");
    }

    #[test]
    fn a_scale_for_each_is_not() {
        assert_eq!(raised(&RULE, convolution(8, 1)), None);
        assert_eq!(raised(&RULE, convolution(0, 8)), None, "depthwise");
    }
}
