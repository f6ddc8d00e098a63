//! A node with most of the multiply-accumulates.

use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule};
use super::layers::contracts;

/// Share of all multiply-accumulates, in percent.
const MIN_SHARE: f64 = 50.0;

/// With fewer contractions, one of them naturally dominates.
const MIN_CONTRACTIONS: usize = 4;

pub(crate) const RULE: Rule = Rule {
    id: "one-node-dominates",
    severity: Severity::Info,
    group: "structure",
    title: "One node dominates the compute",
    checks: "Networks with at least 4 matrix products or convolutions: whether one node takes more \
             than half of all multiply-accumulates at the reported sizes.",
    why: "The latency is bounded by this node, whatever is optimized elsewhere. Pipeline \
          parallelism cannot split it either.",
    example: "A generator that upsamples first: its last convolution processes the full-resolution \
              image with 64 channels.",
    recommendation: "Optimize this node first: reduce its channels, use grouped convolution, or \
                     move it to a lower resolution; quantize it alone with `quantize_static(..., \
                     nodes_to_quantize=[...])`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let top = evidence.cost.top_nodes.first()?;
    let share = top.percent.filter(|percent| *percent > MIN_SHARE)?;
    let contractions = evidence.net.all().filter(|unit| contracts(unit) && unit.parts.is_empty());
    if contractions.take(MIN_CONTRACTIONS).count() < MIN_CONTRACTIONS || evidence.cost.lower_bound {
        return None;
    }
    let detail = format!("{:?} ({}) takes {share:.0}% of all MACs", top.node, top.op);
    Some(Hit::new(detail, [top.node.clone()]))
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised;

    fn network(layers: usize, wide: i64) -> Vec<u8> {
        let mut t = Tiny::new();
        let mut x = t.input(&["1", "8"]);
        for _ in 0..layers {
            let w = t.weight(&[8, 8]);
            let y = t.op("MatMul", &[&x, &w]);
            x = t.op("Relu", &[&y]);
        }
        let w = t.weight(&[8, wide]);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn more_than_half_is_reported() {
        let reported = raised(&RULE, network(3, 100)).unwrap();
        assert!(reported.detail.contains("81%"), "{}", reported.detail);
    }

    #[test]
    fn less_or_among_few_is_not() {
        assert_eq!(raised(&RULE, network(3, 20)), None);
        assert_eq!(raised(&RULE, network(2, 100)), None);
    }
}
