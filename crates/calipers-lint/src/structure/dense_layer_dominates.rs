//! A dense layer with most of the parameters.

use calipers_arch::network::BlockKind;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule};
use super::layers::widths;
use super::{count, percent};

/// Smallest number of weights that is reported.
const MIN_ELEMENTS: u64 = 10_000_000;

/// Share of all parameters, in percent.
const MIN_SHARE: u64 = 50;

pub(crate) const RULE: Rule = Rule {
    id: "dense-layer-dominates",
    severity: Severity::Info,
    group: "structure",
    title: "One dense layer holds most parameters",
    checks: "Dense layers with more than 10 million weights and more than half of all parameters. \
             Output layers over a vocabulary are ignored.",
    why: "Its weights dominate the file size and are read for every batch; at small batch sizes \
          this memory traffic determines the latency.",
    example: "The first dense layer of VGG-16: 25,088 to 4,096, which is 103 of 138 million \
              parameters.",
    recommendation: "Quantize this layer first, e.g. \
                     `onnxruntime.quantization.quantize_dynamic(\"in.onnx\", \"out.onnx\", \
                     op_types_to_quantize=[\"MatMul\", \"Gemm\"])`, or pool the features before it \
                     and fine-tune.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let total = evidence.parameters.total?;
    let vocab = evidence.architecture.facts.vocab;
    let layers = evidence.net.all().filter(|unit| unit.is(BlockKind::Linear));
    let sized = layers.filter_map(|unit| Some((unit, widths(unit)?)));
    let others = sized.filter(|(_, (_, out))| Some(*out) != vocab);
    let elements = |(wide, out): (i64, i64)| u64::try_from(wide.checked_mul(out)?).ok();
    let (elements, unit, (wide, out)) = others
        .filter_map(|(unit, sizes)| Some((elements(sizes)?, unit, sizes)))
        .max_by_key(|(count, ..)| *count)?;
    let share = percent(elements, total);
    if elements <= MIN_ELEMENTS || share <= MIN_SHARE || elements > total {
        return None;
    }
    let label = evidence.net.model.node_label(unit.node);
    let detail = format!(
        "{label:?} holds {} of {} parameters ({share}%): {} to {}",
        count(elements),
        count(total),
        units::signed(wide),
        units::signed(out)
    );
    Some(Hit::new(detail, [label]))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    /// Two dense layers; the weights are said to be in another file, so that none is needed.
    fn network(wide: i64, middle: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", DataType::F32, &["batch", &wide.to_string()]);
        for (name, dims, at) in [("a", [wide, middle], 0), ("b", [middle, 1000], 1 << 40)] {
            let tensor = Tensor::external(name, DataType::F32, &dims, "w.bin", Some(at), None);
            model.initializer(&tensor);
        }
        model.node("MatMul", &["x", "a"], &["h"], &[]).node("Relu", &["h"], &["r"], &[]);
        model.node("MatMul", &["r", "b"], &["y"], &[]).output(
            "y",
            DataType::F32,
            &["batch", "1000"],
        );
        model.build()
    }

    #[test]
    fn the_dense_layer_of_vgg_is_reported() {
        let reported = raised(&RULE, network(25_088, 4_096)).unwrap();
        // 25,088 × 4,096 = 102,760,448.
        assert!(reported.detail.contains("103 million"), "{}", reported.detail);
    }

    #[test]
    fn a_smaller_share_or_size_is_not() {
        // Two layers of twelve million each.
        assert_eq!(raised(&RULE, network(1_000, 12_000)), None);
        assert_eq!(raised(&RULE, network(9_000, 1_100)), None);
    }
}
