//! Weight tensors with one value.

use calipers_measure::parameters::Role;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule};
use super::named;
use crate::number;

/// Smaller tensors may be small lookup tables.
const MIN_ELEMENTS: u64 = 64;

pub(crate) const RULE: Rule = Rule {
    id: "constant-weights",
    severity: Severity::Warning,
    group: "weights",
    title: "Constant weight tensor",
    checks: "Learned tensors with at least 64 elements and two axes longer than 1 whose elements \
             are all equal. Biases, gains and filters with one input channel (averages) are \
             ignored.",
    why: "The layer was never trained, or its weights were lost: all its outputs are equal.",
    example: "An export without the checkpoint, in which every matrix is zero.",
    recommendation: "Compare with the checkpoint, and load it before the export: \
                     `model.load_state_dict(torch.load(\"checkpoint.pt\"), strict=True)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let weights = evidence.weights?;
    let constant: Vec<&Seen> = weights.learned().filter(|seen| is_constant(seen)).collect();
    let first = constant.first()?;
    let matrices = weights.learned().filter(|seen| is_matrix(seen)).count();
    let detail = format!(
        "{} of {} weight matrices; first {}: all {} elements are {}",
        number(constant.len()),
        number(matrices),
        named(first),
        units::integer(first.elements),
        // Prints -0 as 0.
        first.found.stats.min + 0.0
    );
    Some(Hit::new(detail, constant.iter().map(|seen| seen.name.clone())))
}

fn is_matrix(seen: &Seen) -> bool {
    let filter_of_one = seen.dims.len() > 2 && seen.dims.get(1) == Some(&1);
    seen.role == Role::Weight && seen.axes() > 1 && seen.elements >= MIN_ELEMENTS && !filter_of_one
}

fn is_constant(seen: &Seen) -> bool {
    is_matrix(seen) && seen.found.stats.is_constant()
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn dense(last: f32) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8"]);
        let mut values = [0.5; 64];
        values[63] = last;
        let w = t.stored(&[8, 8], &values);
        let b = t.stored(&[8], &[0.0; 8]);
        let y = t.op("Gemm", &[&x, &w, &b]);
        t.build(&y)
    }

    #[test]
    fn a_matrix_of_one_value_is_reported() {
        let reported = raised_by_weights(&RULE, dense(0.5)).unwrap();
        assert!(reported.detail.contains("all 64 elements are 0.5"), "{}", reported.detail);
        assert_eq!(reported.nodes.len(), 1, "the bias is zero by custom");
    }

    #[test]
    fn one_other_element_is_enough() {
        assert_eq!(raised_by_weights(&RULE, dense(0.25)), None);
    }

    #[test]
    fn an_average_of_each_channel_is_no_loss() {
        let mut t = Tiny::new();
        let x = t.input(&["1", "16", "8", "8"]);
        let w = t.stored(&[16, 1, 3, 3], &[1.0 / 9.0; 144]);
        let groups = calipers_samples::Attribute::int("group", 16);
        let y = t.op_with("Conv", &[&x, &w], &[groups]);
        assert_eq!(raised_by_weights(&RULE, t.build(&y)), None);
    }
}
