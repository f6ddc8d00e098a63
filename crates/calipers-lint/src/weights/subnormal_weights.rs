//! Weights below the smallest normal number.

use calipers_ir::DType;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::{named, percent};

/// Reported from one in this many elements; fewer are the tail of any distribution.
const ONE_IN: u64 = 100;

/// Smallest number that is reported.
const MIN: u64 = 16;

pub(crate) const RULE: Rule = Rule {
    id: "subnormal-weights",
    severity: Severity::Warning,
    group: "weights",
    title: "Subnormal weights",
    checks: "Learned float32, float64 and bfloat16 tensors with at least 1% subnormal elements. \
             float16 is ignored: small float16 weights are often subnormal.",
    why: "CPUs without flush-to-zero compute with subnormal numbers many times slower, and such \
          weights do not affect any result.",
    example: "A network trained with strong weight decay: unused filters shrink to 1e-40 instead \
              of 0.",
    recommendation: "Enable flush-to-zero with \
                     `SessionOptions.add_session_config_entry(\"session.set_denormal_as_zero\", \
                     \"1\")`, or set these weights to zero before the export.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let many: Vec<&Seen> = evidence.weights?.learned().filter(|seen| has_many(seen)).collect();
    let first = many.iter().max_by_key(|seen| seen.found.stats.subnormal)?;
    let stats = &first.found.stats;
    let detail = format!(
        "{}; most in {}: {} of {} elements ({})",
        counted(many.len(), "tensor"),
        named(first),
        units::integer(stats.subnormal),
        units::integer(stats.elements),
        percent(stats.subnormal, stats.elements)
    );
    Some(Hit::new(detail, many.iter().map(|seen| seen.name.clone())))
}

fn has_many(seen: &Seen) -> bool {
    let wide = matches!(seen.dtype, DType::Float32 | DType::Float64 | DType::Bfloat16);
    let stats = &seen.found.stats;
    wide && stats.subnormal >= MIN && stats.subnormal.saturating_mul(ONE_IN) >= stats.elements
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn linear(subnormal: usize) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "40"]);
        let values: Vec<f32> =
            (0..1600).map(|at| if at < subnormal { 1e-40 } else { 0.5 }).collect();
        let w = t.stored(&[40, 40], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn one_in_a_hundred_is_many() {
        let reported = raised_by_weights(&RULE, linear(32)).unwrap();
        assert!(reported.detail.contains("32 of 1,600 elements (2.0%)"), "{}", reported.detail);
    }

    #[test]
    fn a_few_are_not() {
        assert_eq!(raised_by_weights(&RULE, linear(15)), None);
    }
}
