//! Tensors that are stored more than once.

use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::{named, percent};

/// Reported from one in this many stored bytes.
const ONE_IN: u64 = 100;

pub(crate) const RULE: Rule = Rule {
    id: "duplicate-weights",
    severity: Severity::Info,
    group: "weights",
    title: "Duplicate weight tensors",
    checks: "Stored tensors of at least 1 kB with equal content (BLAKE3 digest), if the copies \
             take at least 1% of the stored bytes. Tensors that share a range of a data file count \
             once.",
    why: "The copies enlarge the file, and the memory of runtimes that do not deduplicate.",
    example: "A decoder with tied embedding and output weights, exported as two tensors.",
    recommendation: "Run `onnxsim in.onnx out.onnx`, which merges equal initializers.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let weights = evidence.weights?;
    let spare = weights.duplicate_bytes();
    let all = evidence.parameters.stored_bytes?;
    let group = weights.same.iter().max_by_key(|group| {
        let bytes = group.first().map_or(0, |at| weights.tensors[*at].bytes);
        (bytes.saturating_mul(group.len() as u64 - 1), std::cmp::Reverse(group.first()))
    })?;
    if spare.saturating_mul(ONE_IN) < all {
        return None;
    }
    let first = &weights.tensors[*group.first()?];
    let detail = format!(
        "{} ({} of the stored bytes) are copies, in {}; {} is stored {} times with {} each",
        units::bytes(spare),
        percent(spare, all),
        counted(weights.same.len(), "group"),
        named(first),
        group.len(),
        units::bytes(first.bytes)
    );
    Some(Hit::new(detail, group.iter().map(|at| weights.tensors[*at].name.clone())))
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn two_layers(second: f32) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "20"]);
        let values: Vec<f32> = (0..400).map(|at| at as f32 * 0.37).collect();
        let mut others = values.clone();
        // The same sums, in another order.
        others.swap(3, 4);
        others[3] *= second;
        let first = t.stored(&[20, 20], &values);
        let second = t.stored(&[20, 20], if second == 0.0 { &values } else { &others });
        let y = t.op("MatMul", &[&x, &first]);
        let y = t.op("Relu", &[&y]);
        let y = t.op("MatMul", &[&y, &second]);
        t.build(&y)
    }

    #[test]
    fn copies_are_reported() {
        let reported = raised_by_weights(&RULE, two_layers(0.0)).unwrap();
        assert!(
            reported.detail.contains("1.60 kB (50.0% of the stored bytes)"),
            "{}",
            reported.detail
        );
        assert_eq!(reported.nodes.len(), 2);
    }

    #[test]
    fn the_same_numbers_in_another_order_are_not_copies() {
        assert_eq!(raised_by_weights(&RULE, two_layers(1.0)), None);
    }
}
