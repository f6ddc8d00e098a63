//! Weights far outside the range of the others.

use calipers_ir::DType;
use calipers_measure::parameters::Role;
use calipers_measure::weights::Seen;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::named;

/// Standard deviations from the mean. 8 bits over such a range leave 4 steps for most weights.
const FAR: f64 = 64.0;

/// Fewest elements for meaningful statistics.
const MIN_ELEMENTS: u64 = 4096;

pub(crate) const RULE: Rule = Rule {
    id: "weight-outliers",
    severity: Severity::Info,
    group: "weights",
    title: "Weight outliers",
    checks: "Learned float tensors with at least two axes and 4,096 elements whose most extreme \
             element is at least 64 standard deviations from the mean.",
    why: "A scale that covers the outlier leaves a few steps for all other weights: 8-bit \
          per-tensor quantization loses most of the information.",
    example: "An embedding table in which the row of an unused token is a thousand times larger \
              than the others.",
    recommendation: "Quantize these tensors per channel, `quantize_static(..., per_channel=True)`, \
                     or leave their nodes in float with `nodes_to_exclude=[...]`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let mut far: Vec<&Seen> = evidence.weights?.learned().filter(|seen| is_far(seen)).collect();
    far.sort_by(|a, b| b.found.stats.max_abs_z_score().total_cmp(&a.found.stats.max_abs_z_score()));
    let first = far.first()?;
    let stats = &first.found.stats;
    let farthest =
        if stats.max - stats.mean > stats.mean - stats.min { stats.max } else { stats.min };
    let detail = format!(
        "{}; worst is {}: {farthest:.4} is {:.0} standard deviations from the mean",
        counted(far.len(), "tensor"),
        named(first),
        stats.max_abs_z_score()
    );
    Some(Hit::new(detail, far.iter().map(|seen| seen.name.clone())))
}

fn is_far(seen: &Seen) -> bool {
    let float =
        matches!(seen.dtype, DType::Float32 | DType::Float64 | DType::Float16 | DType::Bfloat16);
    float
        && seen.role == Role::Weight
        && seen.axes() > 1
        && seen.elements >= MIN_ELEMENTS
        && seen.found.stats.max_abs_z_score() >= FAR
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    /// Weights of ±1, and one other. The reach of one outlier among n elements is at most √n.
    fn dense(other: f32) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "80"]);
        let mut values: Vec<f32> =
            (0..6400).map(|at| if at % 2 == 0 { 1.0 } else { -1.0 }).collect();
        values[7] = other;
        let w = t.stored(&[80, 80], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn a_thousand_times_is_far() {
        let reported = raised_by_weights(&RULE, dense(-1000.0)).unwrap();
        assert!(
            reported.detail.contains("-1000.0000 is 80 standard deviations"),
            "{}",
            reported.detail
        );
    }

    #[test]
    fn fifty_times_is_not() {
        assert_eq!(raised_by_weights(&RULE, dense(50.0)), None);
    }
}
