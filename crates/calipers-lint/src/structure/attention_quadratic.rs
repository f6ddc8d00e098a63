//! Attention products that dominate the compute.

use std::collections::BTreeSet;

use calipers_arch::network::{Network, NetworkOp};
use calipers_measure::cost::figure;
use calipers_ops::{Class, Contraction};
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::{count, percent};

/// Share of all multiply-accumulates, in percent.
const MIN_SHARE: u64 = 25;

/// Shortest sequence for which quadratic growth matters.
const MIN_LENGTH: u64 = 32;

pub(crate) const RULE: Rule = Rule {
    id: "attention-quadratic",
    severity: Severity::Info,
    group: "structure",
    title: "Attention cost is quadratic in the sequence length",
    checks: "The query-key and score-value products of layers with full attention: whether they \
             take at least 25% of all multiply-accumulates at the set or assumed lengths.",
    why: "They grow with the square of the sequence length, everything else grows linearly: twice \
          the length costs up to four times as much. Attention scores that are written to memory \
          grow the same way.",
    example: "A speech encoder with 1,500 frames and width 384: attention products take a third of \
              its compute.",
    recommendation: "Set the length you need with `--dim`; for longer inputs fuse attention with \
                     `python -m onnxruntime.transformers.optimizer --input in.onnx --output \
                     out.onnx`, or use windowed attention.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    let total = evidence.cost.macs.filter(|macs| *macs > 0)?;
    let layers: Vec<&NetworkOp> = net
        .all()
        .filter(|unit| {
            unit.attention().is_some_and(|attention| !attention.windowed && !attention.is_cross())
        })
        .collect();
    // A single decoding step grows linearly with the cached length.
    let length = |layer: &&NetworkOp| {
        let queries = net.shape(*layer.outputs.first()?)?.get(1)?;
        figure(queries, evidence.sizes).ok()
    };
    let lengths: Option<Vec<u64>> = layers.iter().map(length).collect();
    let (shortest, longest) = (*lengths.as_ref()?.iter().min()?, *lengths.as_ref()?.iter().max()?);
    if shortest < MIN_LENGTH {
        return None;
    }
    let nodes: BTreeSet<_> = layers
        .iter()
        .flat_map(|layer| layer.walk())
        .filter(|unit| unit.parts.is_empty() && is_product(net, unit))
        .map(|unit| unit.node)
        .collect();
    let mut sum = 0_u64;
    for node in nodes {
        let total_cost = net.typed.cost(node)?.ok()?;
        sum = sum.checked_add(figure(&total_cost.macs, evidence.sizes).ok()?)?;
    }
    let share = percent(sum, total);
    if share < MIN_SHARE || sum > total {
        return None;
    }
    let detail = format!(
        "attention products in {} take {} of {} MACs ({share}%) at {} positions; twice the length \
         takes four times as many",
        counted(layers.len(), "layer"),
        count(sum),
        count(total),
        units::integer(longest)
    );
    Some(Hit::new(detail, layers.iter().map(|unit| net.model.node_label(unit.node))))
}

/// Whether the node only multiplies queries, keys and values; fused attention with weights also
/// projects.
fn is_product(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let multiplies = net.written_operator(unit.node).is_some_and(|row| {
        let projects = |contraction: Contraction| !contraction.weights.is_empty();
        let class = row.traits.class;
        row.traits.contraction.is_some_and(|it| class != Class::Attention || !projects(it))
    });
    multiplies && unit.is_contraction() && net.data_inputs(unit).nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    /// One head of width 8 over a fixed number of positions.
    fn attention(length: i64) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["1", &length.to_string(), "8"]);
        let project = |t: &mut Tiny, perm: &[i64]| {
            let w = t.weight(&[8, 8]);
            let y = t.op("MatMul", &[&x, &w]);
            let split = t.ints(&[1, length, 2, 4]);
            let y = t.op("Reshape", &[&y, &split]);
            t.op_with("Transpose", &[&y], &[Attribute::ints("perm", perm)])
        };
        let q = project(&mut t, &[0, 2, 1, 3]);
        let k = project(&mut t, &[0, 2, 3, 1]);
        let v = project(&mut t, &[0, 2, 1, 3]);
        let scores = t.op("MatMul", &[&q, &k]);
        let scores = t.with("Div", &scores, 2.0);
        let scores = t.op_with("Softmax", &[&scores], &[Attribute::int("axis", -1)]);
        let y = t.op("MatMul", &[&scores, &v]);
        let y = t.op_with("Transpose", &[&y], &[Attribute::ints("perm", &[0, 2, 1, 3])]);
        let whole = t.ints(&[1, length, 8]);
        let y = t.op("Reshape", &[&y, &whole]);
        let w = t.weight(&[8, 8]);
        let y = t.op("MatMul", &[&y, &w]);
        t.build(&y)
    }

    #[test]
    fn long_sequences_are_reported() {
        // Projections: 4 · 64 · 8 · 8. Products: 2 · 64 · 64 · 8, four fifths of all.
        let reported = raised(&RULE, attention(64)).unwrap();
        assert!(reported.detail.contains("(80%)"), "{}", reported.detail);
    }

    #[test]
    fn short_ones_are_not() {
        // Products: 2 · 4 · 4 · 8 of 4 · 4 · 64 also, a fifth.
        assert_eq!(raised(&RULE, attention(4)), None);
    }
}
