//! Weights that are NaN or infinite.

use calipers_measure::parameters::Role;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::named;

pub(crate) const RULE: Rule = Rule {
    id: "weights-not-finite",
    severity: Severity::Warning,
    group: "weights",
    title: "NaN or infinite weights",
    checks: "Every learned element, scale and statistic, when `--weights` reads them. Tensors that \
             contain only negative infinity and one other value are masks and are ignored.",
    why: "A NaN propagates to every result that depends on it. Runtimes load the model, and its \
          outputs are NaN or meaningless.",
    example: "A float16 export in which a weight above 65,504 became infinity.",
    recommendation: "Re-export from a checkpoint without NaN (`torch.isfinite(p).all()` for every \
                     parameter), in float32 or bfloat16 if the values overflow float16.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let bad: Vec<&Seen> = evidence.weights?.tensors.iter().filter(|seen| is_bad(seen)).collect();
    let first = bad.first()?;
    let stats = &first.found.stats;
    let detail = format!(
        "{}; first {}: {} NaN and {} infinite of {} elements",
        counted(bad.len(), "tensor"),
        named(first),
        units::integer(stats.nan),
        units::integer(stats.infinite()),
        units::integer(stats.elements)
    );
    Some(Hit::new(detail, bad.iter().map(|seen| seen.name.clone())))
}

fn is_bad(seen: &Seen) -> bool {
    let stats = &seen.found.stats;
    let mask = stats.nan == 0 && stats.positive_infinite == 0 && stats.min == stats.max;
    seen.role != Role::Constant && stats.nan + stats.infinite() > 0 && !mask
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::{raised, raised_by_weights};

    fn linear(values: [f32; 4]) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "2"]);
        let w = t.stored(&[2, 2], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn nan_and_infinity_are_reported() {
        let reported =
            raised_by_weights(&RULE, linear([1.0, f32::NAN, f32::INFINITY, 2.0])).unwrap();
        assert!(reported.detail.contains("1 NaN and 1 infinite of 4"), "{}", reported.detail);
    }

    #[test]
    fn finite_weights_and_masks_are_not() {
        assert_eq!(raised_by_weights(&RULE, linear([1.0, f32::MAX, -f32::MAX, 2.0])), None);
        let lowest = f32::NEG_INFINITY;
        assert_eq!(raised_by_weights(&RULE, linear([0.0, lowest, 0.0, 0.0])), None);
        // Nobody asked for the weights.
        assert_eq!(raised(&RULE, linear([f32::NAN; 4])), None);
    }
}
