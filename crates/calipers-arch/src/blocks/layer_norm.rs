//! Layer normalization: the mean taken off, divided by the root of the variance, scaled, shifted.
//!
//! | form | written by |
//! |---|---|
//! | `LayerNormalization`, `SkipLayerNormalization` | opset 17, ONNX Runtime |
//! | `ReduceMean, Sub, Pow, ReduceMean, Add, Sqrt, Div, Mul, Add` | PyTorch before opset 17 |
//! | `… Sqrt, Reciprocal, Mul, Mul, Sub, Add`, the scale drawn into the quotient | TensorFlow |
//! | the same over the second axis | ConvNeXt, over channels |
//!
//! with or without scale and shift. Over the spatial axes of charts it is an instance norm.
//! Extracts `width`, the number of elements that are normalized together.

use super::Pattern;
use super::moments::{Standardized, has_elements, standardized};
use crate::network::{BlockKind, Found, Network, Norm, OpId, Ops};

pub(super) const LAYER_NORM: Pattern = Pattern {
    kind: BlockKind::LayerNorm,
    description: "Layer normalization: normalizes each position by its mean and variance.",
    anchors: Ops::operators(&["LayerNormalization", "Pow", "Sqrt"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    if unit.is("LayerNormalization") {
        let x = unit.input(0)?;
        let axis = net.int(unit, "axis").unwrap_or(-1);
        let rank = net.rank(x).and_then(|rank| i64::try_from(rank).ok());
        let first = if axis < 0 { rank.map(|rank| rank + axis) } else { Some(axis) };
        let width = first.zip(rank).and_then(|(first, rank)| {
            (first..rank).try_fold(1_i64, |width, axis| {
                width.checked_mul(net.dim(x, isize::try_from(axis).ok()?)?)
            })
        });
        return Some(Found::new([start]).with(Norm::over(width.or_else(|| net.dim(x, -1)))));
    }
    let core = standardized(net, start)?;
    if !core.centerd || core.summed || !is_over_features(net, &core) {
        return None;
    }
    let width = core.width(net);
    Some(core.block(net, |constant| has_elements(net, constant, width)).with(Norm::over(width)))
}

/// Whether the axes are those of features: the last one, the second, or all but the first.
fn is_over_features(net: &Network<'_>, core: &Standardized) -> bool {
    let Some(rank) = net.rank(core.x).and_then(|rank| i64::try_from(rank).ok()) else {
        return core.axes == [-1];
    };
    let all = core.axes.iter().copied().eq(1..rank);
    core.axes == [rank - 1] || rank > 2 && (core.axes == [1] || all)
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::of_opset(17).over(&["batch", "seq", "8"], build)
    }

    fn is_one(seen: &Seen) {
        assert_eq!(seen.kinds(), ["LayerNorm"]);
        assert!(seen.takes_the_input(BlockKind::LayerNorm));
        assert_eq!(seen.first(BlockKind::LayerNorm, |_, unit| unit.norm()?.width), Some(Some(8)));
    }

    fn mean(t: &mut Tiny, x: &str, axis: i64) -> String {
        t.op_with("ReduceMean", &[x], &[Attribute::ints("axes", &[axis])])
    }

    fn root(t: &mut Tiny, variance: &str) -> String {
        let sum = t.with("Add", variance, 1e-5);
        t.op("Sqrt", &[&sum])
    }

    fn torch(t: &mut Tiny, x: &str, axis: i64, dims: &[i64]) -> String {
        let m = mean(t, x, axis);
        let d = t.op("Sub", &[x, &m]);
        let s = t.with("Pow", &d, 2.0);
        let v = mean(t, &s, axis);
        let r = root(t, &v);
        let q = t.op("Div", &[&d, &r]);
        let (scale, shift) = (t.weight(dims), t.weight(dims));
        let q = t.op("Mul", &[&q, &scale]);
        t.op("Add", &[&q, &shift])
    }

    #[test]
    fn operators() {
        is_one(&built(|t, x| {
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            t.op("LayerNormalization", &[x, &scale, &shift])
        }));
        let fused = built(|t, x| {
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            let other = t.input(&["batch", "seq", "8"]);
            t.contrib("SkipLayerNormalization", &[x, &other, &scale, &shift])
        });
        assert_eq!(fused.count(BlockKind::LayerNorm), 1);
    }

    #[test]
    fn decomposed() {
        is_one(&built(|t, x| torch(t, x, -1, &[8])));
        // Without scale and shift.
        is_one(&built(|t, x| {
            let m = mean(t, x, 2);
            let d = t.op("Sub", &[x, &m]);
            let s = t.op("Mul", &[&d, &d]);
            let v = mean(t, &s, -1);
            let r = root(t, &v);
            t.op("Div", &[&d, &r])
        }));
    }

    #[test]
    fn with_casts_and_quantized() {
        is_one(&built(|t, x| {
            let m = mean(t, x, -1);
            let d = t.op("Sub", &[x, &m]);
            let wide = t.cast(&d, 1);
            let s = t.with("Pow", &wide, 2.0);
            let v = mean(t, &s, -1);
            let r = root(t, &v);
            let q = t.op("Div", &[&d, &r]);
            let q = t.quantized(&q);
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            let q = t.op("Mul", &[&scale, &q]);
            t.op("Add", &[&q, &shift])
        }));
    }

    #[test]
    fn the_scale_drawn_into_the_quotient() {
        is_one(&built(|t, x| {
            let m = mean(t, x, -1);
            let d = t.op("Sub", &[x, &m]);
            let s = t.op("Mul", &[&d, &d]);
            let v = mean(t, &s, -1);
            let r = root(t, &v);
            let r = t.op("Reciprocal", &[&r]);
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            let q = t.op("Mul", &[&r, &scale]);
            let of_mean = t.op("Mul", &[&m, &q]);
            let less = t.op("Sub", &[&shift, &of_mean]);
            let of_x = t.op("Mul", &[x, &q]);
            t.op("Add", &[&of_x, &less])
        }));
    }

    #[test]
    fn the_variance_as_a_difference() {
        is_one(&built(|t, x| {
            let m = mean(t, x, -1);
            let s = t.op("Mul", &[x, x]);
            let s = mean(t, &s, -1);
            let of_mean = t.op("Mul", &[&m, &m]);
            let v = t.op("Sub", &[&s, &of_mean]);
            let v = t.with("Max", &v, 0.0);
            let d = t.op("Sub", &[x, &m]);
            let r = root(t, &v);
            let r = t.op("Reciprocal", &[&r]);
            let scale = t.weight(&[8]);
            let q = t.op("Mul", &[&r, &scale]);
            let y = t.op("Mul", &[&d, &q]);
            let shift = t.weight(&[8]);
            t.op("Add", &[&y, &shift])
        }));
    }

    #[test]
    fn over_channels() {
        let mut tiny = Tiny::of_opset(17);
        let x = tiny.input(&["batch", "8", "16", "16"]);
        let y = torch(&mut tiny, &x, 1, &[8, 1, 1]);
        is_one(&tiny.output(&y));
    }

    #[test]
    fn what_follows_is_not_taken() {
        // A residual, and a table that is as wide but no shift.
        let followed = built(|t, x| {
            let y = torch(t, x, -1, &[8]);
            let sum = t.op("Add", &[&y, x]);
            let table = t.weight(&[1, 4, 8]);
            t.op("Add", &[&sum, &table])
        });
        assert_eq!(followed.kinds(), ["LayerNorm", "Add", "Add"]);
    }

    #[test]
    fn near_misses() {
        // The deviation itself, without a quotient.
        let deviation = built(|t, x| {
            let m = mean(t, x, -1);
            let d = t.op("Sub", &[x, &m]);
            let s = t.with("Pow", &d, 2.0);
            let v = mean(t, &s, -1);
            root(t, &v)
        });
        assert_eq!(deviation.count(BlockKind::LayerNorm), 0);
        // Another value is divided.
        let other = built(|t, x| {
            let m = mean(t, x, -1);
            let d = t.op("Sub", &[x, &m]);
            let s = t.with("Pow", &d, 2.0);
            let v = mean(t, &s, -1);
            let r = root(t, &v);
            let other = t.input(&["batch", "seq", "8"]);
            t.op("Div", &[&other, &r])
        });
        assert_eq!(other.count(BlockKind::LayerNorm), 0);
        // Over the batch.
        let batch = built(|t, x| torch(t, x, 0, &[8]));
        assert_eq!(batch.count(BlockKind::LayerNorm), 0);
    }
}
