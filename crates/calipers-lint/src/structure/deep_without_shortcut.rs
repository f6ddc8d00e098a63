//! Long chains of layers without a skip connection.

use calipers_arch::network::BlockKind;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule};
use super::layers::{Layers, has_bias, weighted};
use crate::number;

/// Plain networks of up to 20 layers train well; MobileNetV1 has 15 by this count.
const MIN_LAYERS: usize = 30;

pub(crate) const RULE: Rule = Rule {
    id: "deep-without-shortcut",
    severity: Severity::Warning,
    group: "structure",
    title: "Deep network without skip connections",
    checks: "The longest path of convolutions and dense layers without an addition, concatenation, \
             gate or product of two values. A depthwise convolution and its pointwise convolution \
             count as one layer. Convolutions with biases and without norms are ignored: their \
             norms, and possibly their skip connections, were folded, as in RepVGG.",
    why: "Gradients vanish or explode across that many layers, so the network is hard to fine-tune \
          and loses accuracy with depth.",
    example: "A chain of 34 convolution, batch norm and ReLU blocks without additions.",
    recommendation: "No action is needed for inference; before further training, add a skip \
                     connection around every two or three layers.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    if weighted(net) < MIN_LAYERS {
        return None;
    }
    let layers = Layers::from_network(net);
    let depths = layers.depths(net, |unit| {
        unit.is(BlockKind::Recurrent) || net.data_inputs(unit).nth(1).is_some()
    });
    let (end, depth) = depths.iter().enumerate().rev().max_by_key(|(_, depth)| **depth)?;
    if *depth < MIN_LAYERS {
        return None;
    }
    // Walk back along the path to collect its layers.
    let (mut names, mut norms, mut unbiased, mut at) = (Vec::new(), 0_usize, 0_usize, Some(end));
    while let Some(layer) = at {
        let unit = layers.units[layer];
        if unit.is(BlockKind::WEIGHTED) {
            names.push(net.model.node_label(unit.node));
            unbiased += usize::from(unit.is(BlockKind::Linear) || !has_bias(unit));
        }
        norms += usize::from(unit.block().is_some_and(BlockKind::is_norm));
        let before = net.data_inputs(unit).filter_map(|input| layers.maker(input));
        at = before
            .filter(|maker| *maker < layer && depths[*maker] > 0)
            .max_by_key(|maker| depths[*maker]);
    }
    if norms * 2 < names.len() && unbiased * 2 < names.len() {
        return None;
    }
    names.reverse();
    let detail = format!(
        "{} weighted layers from {:?} to {:?} without a skip connection",
        number(*depth),
        names.first()?,
        names.last()?
    );
    Some(Hit::new(detail, names))
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn dense(layers: usize, shortcut_at: usize) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["batch", "8"]);
        for layer in 0..layers {
            let w = t.weight(&[8, 8]);
            let y = t.op("MatMul", &[&x, &w]);
            let y = t.op("Relu", &[&y]);
            x = if layer == shortcut_at { t.op("Add", &[&y, &x]) } else { y };
        }
        t.build(&x)
    }

    fn convolutions(layers: usize, bias: bool) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["1", "4", "8", "8"]);
        for _ in 0..layers {
            let (w, b) = (t.weight(&[4, 4, 3, 3]), t.weight(&[4]));
            let inputs: Vec<&str> = if bias { vec![&x, &w, &b] } else { vec![&x, &w] };
            let y = t.op_with("Conv", &inputs, &[Attribute::ints("pads", &[1; 4])]);
            x = t.op("Relu", &[&y]);
        }
        t.build(&x)
    }

    #[test]
    fn thirty_in_a_row_are_reported() {
        let reported = raised(&RULE, dense(30, 99)).unwrap();
        assert!(reported.detail.starts_with("30 weighted layers"), "{}", reported.detail);
        assert!(raised(&RULE, convolutions(30, false)).is_some());
    }

    #[test]
    fn fewer_or_with_a_shortcut_or_folded_are_not() {
        assert_eq!(raised(&RULE, dense(29, 99)), None);
        assert_eq!(raised(&RULE, dense(40, 20)), None);
        // Norms were folded into these, and who knows what else.
        assert_eq!(raised(&RULE, convolutions(40, true)), None);
    }
}
