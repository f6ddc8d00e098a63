//! Two linear layers that can be merged.

use calipers_arch::network::{BlockKind, Convolution, Network, NetworkOp};
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::layers::{Layers, weighted, widths};

pub(crate) const RULE: Rule = Rule {
    id: "linear-layers-in-a-row",
    severity: Severity::Warning,
    group: "structure",
    title: "Consecutive linear layers without an activation",
    checks: "A dense layer directly after a dense layer, or a pointwise convolution directly after \
             a convolution, with at most a batch norm between them, a single consumer, and an \
             intermediate width that is not the smallest. Low-rank factorizations such as LoRA and \
             the linear bottlenecks of MobileNet are ignored.",
    why: "Two consecutive linear maps are equivalent to one. The second adds parameters and time \
          but no capacity.",
    example: "A head of two `Gemm` nodes, 512 to 512 to 10, whose activation was lost.",
    recommendation: "Check the model definition for a missing activation; if it is intended, merge \
                     the weights (`W = W2 @ W1`, `b = W2 @ b1 + b2`) before the export.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    if weighted(net) < 2 {
        return None;
    }
    let layers = Layers::from_network(net);
    let mut pairs = Vec::new();
    for unit in &layers.units {
        let mut next = layers.only_reader(net, unit.output());
        // A batch norm with stored statistics is linear as well.
        if let Some(norm) =
            next.map(|at| layers.units[at]).filter(|norm| norm.is(BlockKind::BatchNorm))
        {
            next = layers.only_reader(net, norm.output());
        }
        if let Some(next) = next.map(|at| layers.units[at]).filter(|next| merges(net, unit, next))
            && !ends_separable(net, &layers, unit)
        {
            pairs.push((*unit, next));
        }
    }
    let (first, second) = pairs.first()?;
    let ((from, between), (again, to)) = (widths(first)?, widths(second)?);
    let label = |unit: &NetworkOp| net.model.node_label(unit.node);
    let detail = format!(
        "{}; first {:?} ({} to {}) and {:?} ({} to {}), equivalent to one layer of {} to {}",
        counted(pairs.len(), "pair"),
        label(first),
        units::signed(from),
        units::signed(between),
        label(second),
        units::signed(again),
        units::signed(to),
        units::signed(from),
        units::signed(to)
    );
    Some(Hit::new(detail, pairs.iter().flat_map(|(first, second)| [label(first), label(second)])))
}

/// Operations between a depthwise convolution and the pointwise one that ends its block: a norm, an
/// activation, squeeze-and-excitation.
const MAX_STEPS: usize = 16;

/// Whether a layer is the linear end of a depthwise separable block.
fn ends_separable(net: &Network<'_>, layers: &Layers<'_>, unit: &NetworkOp) -> bool {
    let mut open: Vec<_> = net.data_inputs(unit).collect();
    for _ in 0..MAX_STEPS {
        let Some(before) = open.pop().and_then(|val| layers.maker(val)) else { break };
        let before = layers.units[before];
        if before.folded_convolution().is_some_and(Convolution::is_depthwise) {
            return true;
        }
        if !before.is(BlockKind::WEIGHTED) {
            open.extend(net.data_inputs(before));
        }
    }
    false
}

/// Whether two consecutive layers can be merged without a loss of efficiency.
fn merges(net: &Network<'_>, first: &NetworkOp, second: &NetworkOp) -> bool {
    let plain = |conv: &Convolution| conv.groups == 1 && !conv.transposed;
    let linear = first.is(BlockKind::Linear) && second.is(BlockKind::Linear);
    let pointwise = match (first.convolution(), second.convolution()) {
        (Some(first), Some(second)) => plain(first) && plain(second) && second.is_pointwise(),
        _ => false,
    };
    // The second layer must read the first one's output as data, not as weights.
    let follows = net.data_inputs(second).count() == 1 && net.data_inputs(first).count() == 1;
    let (Some((from, between)), Some((again, to))) = (widths(first), widths(second)) else {
        return false;
    };
    let narrowest = from.min(to);
    // A convolution may keep its width before the expansion of the next block, as in MobileNet.
    let wide = (linear && between >= narrowest) || (pointwise && between > narrowest);
    wide && follows && between == again
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    /// Two dense layers of these widths, with an operator between them or none.
    fn dense(widths: [i64; 3], between: &str) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", &widths[0].to_string()]);
        let (w, b) = (t.weight(&[widths[0], widths[1]]), t.weight(&[widths[1]]));
        let mut y = t.op("Gemm", &[&x, &w, &b]);
        if !between.is_empty() {
            y = t.op(between, &[&y]);
        }
        let w = t.weight(&[widths[1], widths[2]]);
        let y = t.op("MatMul", &[&y, &w]);
        t.build(&y)
    }

    #[test]
    fn two_dense_layers_in_a_row_are_reported() {
        let reported = raised(&RULE, dense([8, 16, 4], "")).unwrap();
        assert!(reported.detail.contains("one layer of 8 to 4"), "{}", reported.detail);
        assert!(raised(&RULE, dense([8, 16, 4], "Dropout")).is_some());
        assert!(raised(&RULE, dense([8, 8, 8], "")).is_some());
    }

    #[test]
    fn activations_and_low_ranks_are_not() {
        for between in ["Relu", "Tanh", "Erf", "Softmax", "Gelu"] {
            assert_eq!(raised(&RULE, dense([8, 16, 4], between)), None, "{between}");
        }
        assert_eq!(raised(&RULE, dense([16, 2, 16], "")), None, "LoRA");
    }

    #[test]
    fn what_is_read_elsewhere_is_no_waste() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let w = t.weight(&[8, 8]);
        let shared = t.op("MatMul", &[&x, &w]);
        let w = t.weight(&[8, 8]);
        let y = t.op("MatMul", &[&shared, &w]);
        let y = t.op("Add", &[&y, &shared]);
        assert_eq!(raised(&RULE, t.build(&y)), None);
    }

    fn convolutions(first: [i64; 4], groups: i64, second: [i64; 4]) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["1", "8", "8", "8"]);
        let w = t.weight(&first);
        let y = t.op_with("Conv", &[&x, &w], &[Attribute::int("group", groups)]);
        let b = t.weight(&[first[0]]);
        let y = t.op("BatchNormalization", &[&y, &b, &b, &b, &b]);
        let w = t.weight(&second);
        let y = t.op("Conv", &[&y, &w]);
        t.build(&y)
    }

    #[test]
    fn a_linear_bottleneck_is_on_purpose() {
        // Expanded by depthwise work, projected to more channels than came in, and expanded again.
        let mut t = Tiny::new();
        let x = t.input(&["1", "8", "8", "8"]);
        let w = t.weight(&[8, 1, 3, 3]);
        let y = t.op_with("Conv", &[&x, &w], &[Attribute::int("group", 8)]);
        let y = t.op("Relu", &[&y]);
        let w = t.weight(&[12, 8, 1, 1]);
        let y = t.op("Conv", &[&y, &w]);
        let w = t.weight(&[48, 12, 1, 1]);
        let y = t.op("Conv", &[&y, &w]);
        assert_eq!(raised(&RULE, t.build(&y)), None);
    }

    #[test]
    fn convolutions_are_reported_but_not_separable_ones() {
        assert!(raised(&RULE, convolutions([8, 8, 3, 3], 1, [4, 8, 1, 1])).is_some());
        assert_eq!(raised(&RULE, convolutions([8, 1, 3, 3], 8, [4, 8, 1, 1])), None, "separable");
        assert_eq!(raised(&RULE, convolutions([4, 8, 1, 1], 1, [24, 4, 1, 1])), None, "bottleneck");
        assert_eq!(raised(&RULE, convolutions([8, 8, 1, 1], 1, [24, 8, 1, 1])), None, "as wide");
        assert_eq!(raised(&RULE, convolutions([8, 8, 1, 1], 1, [8, 8, 3, 3])), None, "not exact");
    }
}
