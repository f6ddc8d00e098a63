//! Instance normalization: each channel of each chart by its own mean and variance.
//!
//! | form | written by |
//! |---|---|
//! | `InstanceNormalization` | PyTorch |
//! | `MeanVarianceNormalization` over the spatial axes | Caffe |
//! | mean and variance over the spatial axes, written out | TensorFlow |
//!
//! Between two `Reshape`s that make groups of channels it is a group norm, which is looked for first.
//! Extracts `width`, the number of channels.

use super::Pattern;
use super::moments::{Standardized, has_elements, standardized};
use crate::network::{BlockKind, Found, Network, Norm, Op, OpId, Ops};

pub(super) const INSTANCE_NORM: Pattern = Pattern {
    kind: BlockKind::InstanceNorm,
    description: "Instance normalization: normalizes each channel of each sample by its mean and variance.",
    anchors: Ops::operators(&["InstanceNormalization", "MeanVarianceNormalization", "Pow", "Sqrt"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    match unit.op {
        Op::Operator("InstanceNormalization") => {
            Some(Found::new([start]).with(Norm::over(net.dim(unit.input(0)?, 1))))
        }
        Op::Operator("MeanVarianceNormalization") => {
            let width = net.dim(unit.input(0)?, 1);
            let spatial = net.ints(unit, "axes") == Some(&[2, 3]);
            spatial.then(|| Found::new([start]).with(Norm::over(width)))
        }
        _ => {
            let core = standardized(net, start)?;
            let channels = channels_next_to(net, &core)?;
            if !core.centerd || core.summed {
                return None;
            }
            let width = net.dim(core.x, channels);
            let block = core.block(net, |constant| has_elements(net, constant, width));
            Some(block.with(Norm::over(width)))
        }
    }
}

/// The axis of channels, where the others but the first are what the mean is over.
fn channels_next_to(net: &Network<'_>, core: &Standardized) -> Option<isize> {
    let rank = i64::try_from(net.rank(core.x)?).ok()?;
    let over = |range: std::ops::Range<i64>| core.axes.iter().copied().eq(range);
    match rank {
        4.. if over(2..rank) => Some(1),
        4.. if over(1..rank - 1) => Some(-1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::of_opset(17).over(&["batch", "8", "16", "16"], build)
    }

    #[test]
    fn every_form() {
        let operator = built(|t, x| {
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            t.op("InstanceNormalization", &[x, &scale, &shift])
        });
        let spatial = [Attribute::ints("axes", &[2, 3])];
        let caffe = built(|t, x| t.op_with("MeanVarianceNormalization", &[x], &spatial));
        let written_out = built(|t, x| {
            let m = t.op_with("ReduceMean", &[x], &spatial);
            let d = t.op("Sub", &[x, &m]);
            let s = t.op("Mul", &[&d, &d]);
            let v = t.op_with("ReduceMean", &[&s], &spatial);
            let v = t.with("Add", &v, 1e-5);
            let r = t.op("Sqrt", &[&v]);
            let q = t.op("Div", &[&d, &r]);
            let (scale, shift) = (t.weight(&[8, 1, 1]), t.weight(&[8, 1, 1]));
            let q = t.op("Mul", &[&q, &scale]);
            t.op("Add", &[&q, &shift])
        });
        for seen in [operator, caffe, written_out] {
            assert_eq!(seen.kinds(), ["InstanceNorm"]);
            assert_eq!(
                seen.first(BlockKind::InstanceNorm, |_, unit| unit.norm()?.width),
                Some(Some(8))
            );
        }
    }

    #[test]
    fn over_everything_is_none() {
        let all = [Attribute::ints("axes", &[0, 2, 3])];
        let seen = built(|t, x| t.op_with("MeanVarianceNormalization", &[x], &all));
        assert_eq!(seen.kinds(), ["MeanVarianceNormalization"]);
    }
}
