//! Quantized depthwise convolutions with a single weight scale.

use calipers_arch::network::Convolution;
use calipers_report::{Granularity, Severity};

use super::super::{Evidence, Hit, Rule};
use super::quantized_convolutions;

pub(crate) const RULE: Rule = Rule {
    id: "depthwise-per-tensor",
    severity: Severity::Warning,
    group: "quantization",
    title: "Per-tensor depthwise convolution weights",
    checks: "Quantized depthwise convolutions whose weights have a single scale.",
    why: "Channels of depthwise layers differ in range by orders of magnitude. Under a single \
          scale the small ones lose all their steps; MobileNets are known to lose most of their \
          accuracy this way.",
    example: "MobileNetV2 quantized with per-tensor weights.",
    recommendation: "Quantize again with `onnxruntime.quantization.quantize_static(..., \
                     per_channel=True)`, or apply cross-layer equalization first.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let depthwise = quantized_convolutions(evidence)
        .filter(|(unit, _)| unit.convolution().is_some_and(Convolution::is_depthwise));
    let (mut all, mut shared) = (0_usize, Vec::new());
    for (unit, looked) in depthwise {
        all += 1;
        if looked.granularity == Some(Granularity::PerTensor) {
            shared.push(evidence.model.node_label(unit.node));
        }
    }
    let count = shared.len();
    let detail = match all {
        1 => "the only quantized depthwise convolution has a single weight scale".to_owned(),
        _ if count == all => {
            format!("all {all} quantized depthwise convolutions have a single weight scale")
        }
        _ => {
            format!("{count} of {all} quantized depthwise convolutions have a single weight scale")
        }
    };
    (count > 0).then(|| Hit::new(detail, shared))
}

#[cfg(test)]
mod tests {
    use super::super::conv_weights_per_tensor::tests::convolution;
    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn one_scale_for_all_channels_is_reported() {
        let reported = raised(&RULE, convolution(0, 8)).unwrap();
        assert_eq!(
            reported.detail,
            "the only quantized depthwise convolution has a single weight scale"
        );
    }

    #[test]
    fn a_scale_for_each_is_not() {
        assert_eq!(raised(&RULE, convolution(8, 8)), None);
        assert_eq!(raised(&RULE, convolution(0, 1)), None, "an ordinary one");
    }
}
