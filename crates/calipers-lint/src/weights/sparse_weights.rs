//! Weights that are mostly zero.

use calipers_ir::DType;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::percent;

/// Share of zeros from which a tensor is sparse, in percent.
const SPARSE: u64 = 50;

/// Share of the learned floats that sparse tensors must hold, in percent.
const SHARE: u64 = 25;

pub(crate) const RULE: Rule = Rule {
    id: "sparse-weights",
    severity: Severity::Info,
    group: "weights",
    title: "Sparse weights stored densely",
    checks: "Learned float tensors with at least 50% zeros, excluding those that are zero as a \
             whole, if they hold at least 25% of the learned floats.",
    why: "A pruned network is as large and as slow as before, unless the runtime has sparse \
          kernels and the weights are stored in its format.",
    example: "A classifier pruned to 80% zeros and exported with dense `Conv` nodes.",
    recommendation: "Use a runtime with sparse kernels, e.g. `trtexec --onnx=in.onnx \
                     --sparsity=enable` for 2:4 sparsity, or prune whole channels instead.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    if !evidence.weights?.is_whole() {
        return None;
    }
    let floats =
        || evidence.weights.into_iter().flat_map(|weights| weights.learned()).filter(is_float);
    let sparse: Vec<&Seen> = floats().filter(is_sparse).collect();
    let bytes = sparse.iter().map(|seen| seen.bytes).fold(0, u64::saturating_add);
    let all = floats().map(|seen| seen.bytes).fold(0, u64::saturating_add);
    if sparse.is_empty() || bytes.saturating_mul(100) < all.saturating_mul(SHARE) {
        return None;
    }
    let zeros = sparse.iter().map(|seen| seen.found.stats.zeros).fold(0, u64::saturating_add);
    let elements = sparse.iter().map(|seen| seen.elements).fold(0, u64::saturating_add);
    let detail = format!(
        "{} of {} of learned floats are sparse: {} zeros in {}",
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
        assert!(reported.detail.contains("50.0% zeros"), "{}", reported.detail);
    }

    #[test]
    fn fewer_or_all_are_not() {
        assert_eq!(raised_by_weights(&RULE, dense(49)), None);
        assert_eq!(raised_by_weights(&RULE, dense(100)), None);
    }
}
