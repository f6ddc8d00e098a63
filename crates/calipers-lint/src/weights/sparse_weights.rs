//! Networks with most weights zero.

use calipers_ir::DType;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::percent;

/// A tensor counts from this share of zeros, in percent.
const SPARSE: u64 = 50;

/// They must hold this share of the learned floats, in percent.
const SHARE: u64 = 25;

pub(crate) const RULE: Rule = Rule {
    id: "sparse-weights",
    severity: Severity::Info,
    group: "weights",
    title: "Many weights are zero and stored densely",
    checks: "Learned float tensors of which half or more are zero, without those that are zero as \
             a whole, where they hold a quarter or more of the learned floats.",
    why: "A pruned network is as large and as slow as before, unless its runtime has kernels for \
          sparse weights and is given them in that form.",
    example: "A classifier pruned to 80 % zeros and exported with plain `Conv` nodes.",
    recommendation: "use a runtime with sparse kernels, store the weights compressed, or prune whole \
                     channels instead",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    if !evidence.weights?.is_whole() {
        return None;
    }
    let floats =
        || evidence.weights.into_iter().flat_map(|weights| weights.learned()).filter(is_float);
    let sparse: Vec<&Seen> = floats().filter(is_sparse).collect();
    let bytes: u64 = sparse.iter().map(|seen| seen.bytes).sum();
    let all: u64 = floats().map(|seen| seen.bytes).sum();
    if sparse.is_empty() || bytes.saturating_mul(100) < all.saturating_mul(SHARE) {
        return None;
    }
    let zeros = sparse.iter().map(|seen| seen.found.stats.zeros).sum();
    let elements = sparse.iter().map(|seen| seen.elements).sum();
    let detail = format!(
        "{} of {} of learned floats: {} of their elements are zero, in {}",
        units::bytes(bytes),
        units::bytes(all),
        percent(zeros, elements),
        counted(sparse.len(), "tensor")
    );
    Some(Hit::new(detail, sparse.iter().map(|seen| seen.name.clone())))
}

fn is_float(seen: &&Seen) -> bool {
    matches!(seen.dtype, DType::Float32 | DType::Float64 | DType::Float16 | DType::Bfloat16)
        && seen.axes() > 1
}

fn is_sparse(seen: &&Seen) -> bool {
    let stats = &seen.found.stats;
    stats.zeros.saturating_mul(100) >= stats.elements.saturating_mul(SPARSE)
        && stats.zeros < stats.elements
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn dense(zeros: usize) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "10"]);
        let values: Vec<f32> =
            (0..100).map(|at| if at < zeros { 0.0 } else { at as f32 }).collect();
        let w = t.stored(&[10, 10], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn half_of_zeros_is_reported() {
        let reported = raised_by_weights(&RULE, dense(50)).unwrap();
        assert!(reported.detail.contains("50.0% of their elements"), "{}", reported.detail);
    }

    #[test]
    fn fewer_or_all_are_not() {
        assert_eq!(raised_by_weights(&RULE, dense(49)), None);
        assert_eq!(raised_by_weights(&RULE, dense(100)), None);
    }
}
