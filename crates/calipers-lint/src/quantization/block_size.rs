//! Blocks of weights that share a scale, of a size that is too large or has no kernels.

use calipers_arch::quantization::look;
use calipers_report::{Granularity, Scheme, Severity};

use super::super::{Evidence, Hit, Rule, counted};

/// Sizes that runtimes have kernels for.
const USUAL: std::ops::RangeInclusive<i64> = 16..=256;

/// With four bits, larger blocks lose accuracy that smaller ones keep.
const LARGE: i64 = 128;

pub(crate) const RULE: Rule = Rule {
    id: "block-size",
    severity: Severity::Warning,
    group: "quantization",
    title: "Weights of few bits share scales in unusual blocks",
    checks: "Products whose weights have four bits or fewer: blocks that are no power of two from 16 \
             to 256, blocks larger than 128, and weights with one scale per channel or tensor.",
    why: "Four bits have sixteen steps: with many weights under one scale, a single large one leaves \
          few steps to the others. Sizes that are no power of two have no fast kernels, or none.",
    example: "A `MatMulNBits` node with `block_size` 512.",
    recommendation: "quantize again with blocks of 32, 64 or 128",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    if evidence.quantization.scheme == Scheme::None {
        return None;
    }
    let net = evidence.net;
    let (mut all, mut found) = (0_usize, Vec::new());
    for unit in net.all().filter(|unit| unit.parts.is_empty()) {
        let Some(looked) = look(net, unit) else { continue };
        if looked.bits.is_none_or(|bits| bits > 4) || looked.float || !looked.weighted {
            continue;
        }
        all += 1;
        let problem = match (looked.block, looked.granularity) {
            (Some(block), _) if !USUAL.contains(&block) || block.count_ones() != 1 => {
                format!("blocks of {block}, for which kernels are rare")
            }
            (Some(block), _) if block > LARGE => format!("blocks of {block}"),
            (None, Some(shared @ (Granularity::PerChannel | Granularity::PerTensor))) => {
                format!("scales {}", shared.id())
            }
            _ => continue,
        };
        found.push((net.model.node_label(unit.node), problem));
    }
    let (label, problem) = found.first()?;
    let detail = format!(
        "{} of {all} with weights of four bits or fewer, first {label:?}: {problem}",
        counted(found.len(), "product")
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
        assert!(reported.detail.contains("blocks of 256"), "{}", reported.detail);
        assert!(raised(&RULE, product(512)).unwrap().detail.contains("kernels are rare"));
        assert!(raised(&RULE, product(8)).is_some());
    }

    #[test]
    fn usual_blocks_are_not() {
        for block in [16, 32, 64, 128] {
            assert_eq!(raised(&RULE, product(block)), None, "{block}");
        }
    }
}
