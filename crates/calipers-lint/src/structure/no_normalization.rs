//! Deep networks without normalization.

use calipers_arch::network::{BlockKind, NetworkOp, Op};
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule};
use super::layers::{Layers, has_bias, weighted};
use crate::number;

/// Shallower networks train without normalization.
const MIN_LAYERS: usize = 16;

/// Whether an operation is a norm, or a part of one that was not recognized.
fn may_normalize(unit: &NetworkOp) -> bool {
    match unit.op {
        Op::Block(kind) => {
            let kinds = [BlockKind::L2Norm, BlockKind::Lrn, BlockKind::Recurrent, BlockKind::Selu];
            kind.is_norm() || kinds.contains(&kind)
        }
        Op::Operator(_) => {
            unit.has_trait(|traits| traits.norm().is_some())
                || unit.is(["ReduceL2", "ReduceMean", "ReduceSumSquare", "Sqrt"])
        }
        Op::Unknown => false,
    }
}

pub(crate) const RULE: Rule = Rule {
    id: "no-normalization",
    severity: Severity::Warning,
    group: "structure",
    title: "Deep network without normalization",
    checks: "Networks with a path of at least 16 weighted layers: whether they contain a \
             normalization, as one operator, decomposed or folded. Layers with biases are ignored \
             because folding leaves a bias; so are SELU, recurrent networks and residual branches \
             with a scale.",
    why: "Without normalization the scale of activations drifts from layer to layer: further \
          training needs small learning rates, and low precision overflows early.",
    example: "Twenty `Conv` nodes without biases, with only ReLU between them.",
    recommendation: "Check that the export kept the normalization layers: compare with \
                     `print(model)` in PyTorch and export again after `model.eval()`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    if weighted(net) < MIN_LAYERS || net.all().any(may_normalize) {
        return None;
    }
    let layers = Layers::from_network(net);
    let depth = layers.depths(net, |_| false).into_iter().max()?;
    if depth < MIN_LAYERS {
        return None;
    }
    let with_weights = || layers.units.iter().filter(|unit| unit.is(BlockKind::WEIGHTED));
    let count = with_weights().count();
    let biased = with_weights().filter(|unit| has_bias(unit)).count();
    let scaled = layers.units.iter().any(|unit| {
        // A scalar factor on a residual branch: ReZero, Fixup, Inception-ResNet.
        unit.is("Mul")
            && net.data_and_constant(unit).is_some_and(|(_, by)| net.elements(by) == Some(1))
    });
    if biased * 4 > count || scaled {
        return None;
    }
    let detail = format!(
        "{} weighted layers, {} of them on one path and {} without a bias; no normalization",
        number(count),
        number(depth),
        number(count - biased)
    );
    Some(Hit::new(detail, with_weights().map(|unit| net.model.node_label(unit.node))))
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn network(layers: usize, bias: bool, norm: bool, joined: bool) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["1", "4", "8", "8"]);
        for layer in 0..layers {
            let (w, b) = (t.weight(&[4, 4, 3, 3]), t.weight(&[4]));
            let inputs: Vec<&str> = if bias { vec![&x, &w, &b] } else { vec![&x, &w] };
            let mut y = t.op_with("Conv", &inputs, &[Attribute::ints("pads", &[1; 4])]);
            if norm && layer == 3 {
                y = t.op("BatchNormalization", &[&y, &b, &b, &b, &b]);
            }
            let y = t.op("Relu", &[&y]);
            x = if joined { t.op("Add", &[&y, &x]) } else { y };
        }
        t.build(&x)
    }

    #[test]
    fn deep_without_any_norm_is_reported() {
        assert!(raised(&RULE, network(16, false, false, false)).is_some());
        assert!(raised(&RULE, network(16, false, false, true)).is_some());
    }

    #[test]
    fn shallow_normed_or_folded_is_not() {
        assert_eq!(raised(&RULE, network(15, false, false, false)), None);
        assert_eq!(raised(&RULE, network(16, false, true, false)), None);
        assert_eq!(raised(&RULE, network(16, true, false, true)), None);
    }

    #[test]
    fn a_norm_that_is_written_out_is_one() {
        let mut t = Tiny::new();
        let mut x = t.input(&["batch", "8"]);
        for _ in 0..20 {
            let mean = t.op_with("ReduceMean", &[&x], &[]);
            let centerd = t.op("Sub", &[&x, &mean]);
            let w = t.weight(&[8, 8]);
            let y = t.op("MatMul", &[&centerd, &w]);
            x = t.op("Relu", &[&y]);
        }
        assert_eq!(raised(&RULE, t.build(&x)), None);
    }
}
