//! Single weights far from all others.

use calipers_ir::DType;
use calipers_measure::parameters::Role;
use calipers_measure::weights::Seen;
use calipers_report::Severity;

use super::super::{Evidence, Hit, Rule, counted};
use super::named;

/// Standard deviations. Eight bits over such a range leave four steps to most weights.
const FAR: f64 = 64.0;

/// Fewer elements have no distribution.
const MIN_ELEMENTS: u64 = 4096;

pub(crate) const RULE: Rule = Rule {
    id: "weight-outliers",
    severity: Severity::Info,
    group: "weights",
    title: "A few weights lie far outside the range of the others",
    checks: "Learned float tensors with two axes and 4,096 elements or more, whose farthest element \
             is 64 standard deviations or more from the mean.",
    why: "A scale that covers them leaves nearly all other weights to a handful of steps: eight bits \
          for the whole tensor then lose most of what was learned.",
    example: "A table of tokens in which one row, of a token that was never seen, is a thousand \
              times the others.",
    recommendation: "quantize these tensors per channel or in blocks, clip the range, or leave them \
                     in floats",
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
        "{}, the worst {}: {farthest:.4} is {:.0} standard deviations from the mean",
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
