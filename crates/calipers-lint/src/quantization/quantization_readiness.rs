//! Layers of a float model that are sensitive to quantization.

use calipers_arch::network::{BlockKind, Convolution, Network, NetworkOp, Op};
use calipers_report::{Scheme, Severity};

use super::super::{Evidence, Hit, Rule, counted};
use crate::number;

/// Blocks that lose most accuracy at 8 bits, and why.
const SENSITIVE: &[(&[Op], &str)] = &[
    (&[Op::Operator("Softmax")], "small probabilities round to zero in steps of 1/255"),
    (
        &[
            Op::Block(BlockKind::GroupNorm),
            Op::Block(BlockKind::InstanceNorm),
            Op::Block(BlockKind::L2Norm),
            Op::Block(BlockKind::LayerNorm),
            Op::Block(BlockKind::RmsNorm),
        ],
        "outliers determine the scale",
    ),
    (
        &[
            Op::Block(BlockKind::Gelu),
            Op::Block(BlockKind::HardSwish),
            Op::Block(BlockKind::Mish),
            Op::Block(BlockKind::Silu),
        ],
        "negative outputs are small and use few steps",
    ),
];

/// Fewest weighted layers for which quantization pays off.
const MIN_CONTRACTIONS: u64 = 4;

pub(crate) const RULE: Rule = Rule {
    id: "quantization-readiness",
    severity: Severity::Info,
    group: "quantization",
    title: "Quantization-sensitive layers",
    checks: "Float models with at least 4 weighted layers: operators that are known to lose \
             accuracy at 8 bits, depthwise convolutions, and the first and last layer.",
    why: "A few layers cause most of the accuracy loss of a quantized model. Keeping them in \
          float, or giving them finer scales, preserves most of the accuracy.",
    example: "A 12-layer transformer: 12 Softmax, 25 LayerNorm and 12 GELU nodes.",
    recommendation: "Before quantizing, run `python -m onnxruntime.quantization.preprocess --input \
                     in.onnx --output out.onnx`; then use `quantize_static(..., per_channel=True, \
                     nodes_to_exclude=[...])` with these nodes excluded, and include them only if \
                     accuracy holds.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    let reported = evidence.quantization;
    if reported.scheme != Scheme::None || reported.contractions < MIN_CONTRACTIONS {
        return None;
    }
    let (mut parts, mut names) = (Vec::new(), Vec::new());
    for (kinds, why) in SENSITIVE {
        let mut counts = Vec::new();
        for kind in kinds.iter().copied() {
            let found: Vec<&NetworkOp> =
                net.all().filter(|unit| is_inside(net, unit, kind)).collect();
            if let Some(first) = found.first() {
                counts.push(format!("{} {kind}", number(found.len())));
                names.push(net.model.node_label(first.node));
            }
        }
        if !counts.is_empty() {
            parts.push(format!("{} ({why})", counts.join(", ")));
        }
    }
    let depthwise =
        net.all().filter(|unit| unit.convolution().is_some_and(Convolution::is_depthwise));
    let depthwise: Vec<&NetworkOp> = depthwise.collect();
    if let Some(first) = depthwise.first() {
        let count = counted(depthwise.len(), "depthwise convolution");
        parts.push(format!("{count} (ranges differ between channels)"));
        names.push(net.model.node_label(first.node));
    }
    if parts.is_empty() {
        return None;
    }
    parts.push("the first and the last layer (their errors affect every output)".to_owned());
    Some(Hit::new(parts.join("; "), names))
}

/// Whether an operation is of this kind. A softmax that computes an output is ignored: it can run in
/// float outside the network.
fn is_inside(net: &Network<'_>, unit: &NetworkOp, kind: Op) -> bool {
    let given = || unit.outputs.iter().any(|output| net.is_output(*output));
    unit.is(kind) && !(kind == Op::Operator("Softmax") && given())
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn network(activation: &str, quantized: bool) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["batch", "8"]);
        for _ in 0..4 {
            let mut w = t.weight(&[8, 8]);
            if quantized {
                x = t.quantized(&x);
                w = t.quantized(&w);
            }
            let y = t.op("MatMul", &[&x, &w]);
            x = t.op(activation, &[&y]);
        }
        t.build(&x)
    }

    #[test]
    fn sensitive_operators_of_a_float_model_are_reported() {
        let reported = raised(&RULE, network("Softmax", false)).unwrap();
        assert!(reported.detail.starts_with("3 Softmax (small"), "{}", reported.detail);
        assert!(raised(&RULE, network("Gelu", false)).is_some());
    }

    #[test]
    fn a_plain_or_quantized_one_is_not() {
        assert_eq!(raised(&RULE, network("Relu", false)), None);
        assert_eq!(raised(&RULE, network("Softmax", true)), None);
    }
}
