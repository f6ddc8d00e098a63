//! Output channels whose weights are all zero.

use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;
use calipers_weights::Channels;

use super::super::{Evidence, Hit, Rule, counted};
use super::named;

/// Of a convolution's filters, one in so many.
const FILTERS_ONE_IN: u64 = 100;

/// Of a product's columns, one in so many: vocabularies are padded with a few empty ones.
const COLUMNS_ONE_IN: u64 = 10;

/// A single one is chance.
const MIN: u64 = 2;

pub(crate) const RULE: Rule = Rule {
    id: "dead-filters",
    severity: Severity::Warning,
    group: "weights",
    title: "Output channels are zero throughout",
    checks: "Weights of convolutions and of dense layers in float types: channels that are zero in \
             every element, from 1 % of a convolution's filters and 10 % of a dense layer's \
             outputs. Tensors that are zero as a whole are another finding.",
    why: "Such a channel gives the same number for every input. It is computed, stored and read by \
          the next layer for nothing.",
    example: "A ReLU network trained with weight decay: 24 of 96 filters of the first layer died \
              and went to zero.",
    recommendation: "remove these channels here and in the layers that read them; the results stay \
                     the same but for biases, which can be folded",
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
    let all: u64 = dead.iter().map(|(seen, _)| seen.found.dead_channels).sum();
    let detail = format!(
        "{} channels in {}, the largest share in {}: {} of {}",
        units::integer(all),
        counted(dead.len(), "layer"),
        named(first),
        units::integer(first.found.dead_channels),
        units::integer(*channels)
    );
    Some(Hit::new(detail, dead.iter().map(|(seen, _)| seen.name.clone())))
}

/// Channels of a layer that has many dead ones.
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
