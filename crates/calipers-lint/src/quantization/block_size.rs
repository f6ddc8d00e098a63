//! Block sizes of low-bit weights that are too large or have no kernels.

use calipers_arch::quantization::observe;
use calipers_report::{Granularity, Scheme, Severity};

use super::super::{Evidence, Hit, Rule, counted, number};

/// Block sizes that runtimes have kernels for.
const USUAL: std::ops::RangeInclusive<i64> = 16..=256;

/// Largest block size that keeps the accuracy of 4-bit weights.
const LARGE: i64 = 128;

pub(crate) const RULE: Rule = Rule {
    id: "block-size",
    severity: Severity::Warning,
    group: "quantization",
    title: "Unsuitable block size for low-bit weights",
    checks: "Matrix products with weights of at most 4 bits: block sizes that are not a power of \
             two between 16 and 256, block sizes above 128, and per-channel or per-tensor scales.",
    why: "4 bits have 16 steps: if many weights share one scale, a single outlier leaves few steps \
          for the others. Block sizes that are not a power of two have slow kernels or none.",
    example: "A `MatMulNBits` node with `block_size` 512.",
    recommendation: "Quantize the float model again with a block size of 32, 64 or 128: `python -m \
                     onnxruntime.quantization.matmul_nbits_quantizer --input_model in.onnx \
                     --output_model out.onnx --bits 4 --block_size 32`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    if evidence.quantization.scheme == Scheme::None {
        return None;
    }
    let net = evidence.net;
    let (mut all, mut found) = (0_usize, Vec::new());
    for unit in net.all().filter(|unit| unit.parts.is_empty()) {
        let Some(looked) = observe(net, unit) else { continue };
        if looked.bits.is_none_or(|bits| bits > 4) || looked.float || !looked.weighted {
            continue;
        }
        all += 1;
        let problem = match (looked.block, looked.granularity) {
            (Some(block), _) if !USUAL.contains(&block) || block.count_ones() != 1 => {
                format!("block size {block}, which few runtimes have kernels for")
            }
            (Some(block), _) if block > LARGE => format!("block size {block}"),
            (None, Some(shared @ (Granularity::PerChannel | Granularity::PerTensor))) => {
                format!("{} scales", shared.id())
            }
            _ => continue,
        };
        found.push((net.model.node_label(unit.node), problem));
    }
    let (label, problem) = found.first()?;
    let detail = format!(
        "{} of {} with low-bit weights; first {label:?}: {problem}",
        number(found.len()),
        counted(all, "matrix product")
    );
    Some(Hit::new(detail, found.iter().map(|(label, _)| label.clone())))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor};

    use super::RULE;
    use crate::testing::{count, raised};

    fn product(block: i64) -> Vec<u8> {
        let mut model = ModelBuilder::new(21);
        model.opset("com.microsoft", 1);
        model.input("x", DataType::F32, &["n", "1024"]);
        let blocks = 1024 / block;
        let packed = vec![0x99; count(8 * blocks * block / 2)];
        model.initializer(&Tensor::raw("w", DataType::U8, &[8, blocks, block / 2], &packed));
        model.initializer(&Tensor::f32("scales", &[8 * blocks], &vec![0.1; count(8 * blocks)]));
        let with = [
            Attribute::int("K", 1024),
            Attribute::int("N", 8),
            Attribute::int("bits", 4),
            Attribute::int("block_size", block),
        ];
        let node = Node::new("MatMulNBits", &["x", "w", "scales"], &["y"], &with);
        model.push(&node.in_domain("com.microsoft"));
        model.output("y", DataType::F32, &["n", "8"]).build()
    }

    #[test]
    fn large_and_odd_blocks_are_reported() {
        let reported = raised(&RULE, product(256)).unwrap();
        assert!(reported.detail.contains("block size 256"), "{}", reported.detail);
        assert!(raised(&RULE, product(512)).unwrap().detail.contains("few runtimes"));
        assert!(raised(&RULE, product(8)).is_some());
    }

    #[test]
    fn usual_blocks_are_not() {
        for block in [16, 32, 64, 128] {
            assert_eq!(raised(&RULE, product(block)), None, "{block}");
        }
    }
}
