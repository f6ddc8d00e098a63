//! Output channels with only zero weights.

use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;
use calipers_weights::Channels;

use super::super::{Evidence, Hit, Rule, counted};
use super::named;

/// Reported from one in this many filters of a convolution.
const FILTERS_ONE_IN: u64 = 100;

/// Reported from one in this many columns of a matrix: padded vocabularies have a few zero columns.
const COLUMNS_ONE_IN: u64 = 10;

/// A single zero channel is not reported.
const MIN: u64 = 2;

pub(crate) const RULE: Rule = Rule {
    id: "dead-filters",
    severity: Severity::Warning,
    group: "weights",
    title: "All-zero output channels",
    checks: "Float weights of convolutions and dense layers: channels with only zeros, from 1% of \
             a convolution's filters or 10% of a dense layer's outputs. Tensors that are zero as a \
             whole have a finding of their own.",
    why: "The channel has the same output for every input, and is still computed, stored and read \
          by the next layer.",
    example: "A ReLU network trained with weight decay: 24 of 96 filters in the first layer are \
              zero.",
    recommendation: "Remove these channels here and in the layers that read them, e.g. with \
                     Torch-Pruning (`tp.DependencyGraph`) before the export; results stay equal if \
                     biases are folded into the next layer.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let dead: Vec<(&Seen, u64)> = evidence
        .weights?
        .learned()
        .filter_map(|seen| Some((seen, channels_if_dead(seen)?)))
        .collect();
    let (first, channels) =
        dead.iter().max_by_key(|(seen, channels)| seen.found.dead_channels * 1000 / channels)?;
    let all = dead.iter().map(|(seen, _)| seen.found.dead_channels).fold(0, u64::saturating_add);
    let detail = format!(
        "{} channels in {}; the largest share is in {}: {} of {}",
        units::integer(all),
        counted(dead.len(), "layer"),
        named(first),
        units::integer(first.found.dead_channels),
        units::integer(*channels)
    );
    Some(Hit::new(detail, dead.iter().map(|(seen, _)| seen.name.clone())))
}

/// Returns the channels of a layer with many zero ones.
fn channels_if_dead(seen: &Seen) -> Option<u64> {
    let dead = seen.found.dead_channels;
    let (channels, one_in) = match seen.channels {
        Channels::None => return None,
        Channels::Rows(channels) if seen.dims.len() > 2 => (channels, FILTERS_ONE_IN),
        Channels::Rows(channels) | Channels::Columns(channels) => (channels, COLUMNS_ONE_IN),
    };
    let many = dead >= MIN && dead.saturating_mul(one_in) >= channels;
    (many && dead < channels).then_some(channels)
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn convolution(dead: usize) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["1", "3", "8", "8"]);
        let values: Vec<f32> =
            (0..16 * 27).map(|at| if at / 27 < dead { 0.0 } else { 0.1 + at as f32 }).collect();
        let w = t.stored(&[16, 3, 3, 3], &values);
        let y = t.op("Conv", &[&x, &w]);
        t.build(&y)
    }

    fn dense(dead: usize) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "4"]);
        let values: Vec<f32> =
            (0..160).map(|at| if at % 40 < dead { 0.0 } else { 1.0 + at as f32 }).collect();
        let w = t.stored(&[4, 40], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn filters_and_columns_of_zeros_are_reported() {
        let reported = raised_by_weights(&RULE, convolution(4)).unwrap();
        assert!(reported.detail.contains("4 of 16"), "{}", reported.detail);
        let reported = raised_by_weights(&RULE, dense(4)).unwrap();
        assert!(reported.detail.contains("4 of 40"), "{}", reported.detail);
    }

    #[test]
    fn one_filter_or_some_padding_is_not() {
        assert_eq!(raised_by_weights(&RULE, convolution(1)), None);
        assert_eq!(raised_by_weights(&RULE, dense(3)), None);
        // All of them: the tensor is constant, which is another finding.
        assert_eq!(raised_by_weights(&RULE, convolution(16)), None);
    }
}
