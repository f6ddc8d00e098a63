//! How far convolutions reduce an image.

use std::collections::BTreeSet;

use calipers_report::ArchitectureFacts;

use crate::given::stored_conv;
use crate::network::{Convolution, NetworkOp};
use crate::stats::NetworkStats;

/// Fewer convolutions than this cut an image into patches, or scale it.
const MIN_CONVOLUTIONS: usize = 3;

/// More halvings than this leave nothing of an image.
const MAX_HALVINGS: u32 = 16;

/// Fills in the resolutions of feature maps and the total stride, at the assumed sizes.
pub(crate) fn measure_resolutions(stats: &NetworkStats<'_, '_>, facts: &mut ArchitectureFacts) {
    if stats.image_convs().count() < MIN_CONVOLUTIONS {
        return;
    }
    let net = stats.net;
    let convolves = |unit: &&NetworkOp| {
        stored_conv(net, unit).as_ref().is_some_and(Convolution::is_over_images)
    };
    let mut units = net.all().filter(convolves).peekable();
    let first = units.peek().and_then(|unit| net.data_inputs(unit).next());
    let Some(side) = first.and_then(|val| stats.size(val, -2)) else { return };
    // One row is a vector: squeeze-and-excitation, or a classifier after pooling.
    let heights: BTreeSet<i64> = units
        .filter_map(|unit| stats.size(unit.output(), -2))
        .filter(|height| *height > 1 && *height < side)
        .collect();
    let Some(lowest) = heights.first() else { return };
    facts.resolutions = i64::try_from(heights.len()).ok();
    // Padding and rounding leave a map that is a little larger or smaller than the exact quotient.
    let strides = (1..=MAX_HALVINGS).map(|halvings| 1_i64 << halvings);
    let off = |stride: i64| lowest.saturating_mul(stride).abs_diff(side);
    let nearest = strides.min_by_key(|stride| off(*stride));
    facts.total_stride = nearest.filter(|stride| off(*stride) <= stride.unsigned_abs());
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use crate::blocks::testing::Tiny;

    /// Resolutions and stride of convolutions in a row.
    fn measured(side: i64, strides: &[i64]) -> (Option<i64>, Option<i64>) {
        let mut t = Tiny::new();
        let side = side.to_string();
        let mut x = t.input(&["1", "4", &side, &side]);
        for stride in strides {
            let w = t.weight(&[4, 4, 3, 3]);
            let with =
                [Attribute::ints("pads", &[1; 4]), Attribute::ints("strides", &[*stride; 2])];
            x = t.op_with("Conv", &[&x, &w], &with);
        }
        let model = calipers_formats::read(t.build(&x), "tiny.onnx").unwrap();
        let facts = crate::testing::report(&model).architecture.facts;
        (facts.resolutions, facts.total_stride)
    }

    #[test]
    fn resolutions_are_those_below_the_image() {
        // 224 → 112 → 112 → 56 → 28.
        assert_eq!(measured(224, &[2, 1, 2, 2]), (Some(3), Some(8)));
        // 225 → 113 → 57 → 29: 225 / 8 is 28.1.
        assert_eq!(measured(225, &[2, 2, 2]), (Some(3), Some(8)));
        assert_eq!(measured(64, &[1, 1, 1]), (None, None), "at the size of the image");
        assert_eq!(measured(64, &[2, 2]), (None, None), "too few");
    }
}
