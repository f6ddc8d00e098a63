//! Root-mean-square normalization: divided by the root of the mean square, scaled.
//!
//! | form | written by |
//! |---|---|
//! | `RMSNormalization`, `SimplifiedLayerNormalization`, `SkipSimplifiedLayerNormalization` | opset 23, ONNX Runtime |
//! | `Pow, ReduceMean, Add, Sqrt, Div` or `Reciprocal, Mul`; then `Mul` by the scale | PyTorch: Llama, T5 |
//! | the same with `1 + w` for a scale, which is a constant | Gemma |
//!
//! Extracts `width`.

use super::Pattern;
use super::moments::{has_elements, standardized};
use crate::network::{BlockKind, Found, Network, Norm, OpId, Ops};

pub(super) const RMS_NORM: Pattern = Pattern {
    kind: BlockKind::RmsNorm,
    description: "Root-mean-square normalization of each position.",
    anchors: Ops::operators(&["Pow", "RMSNormalization", "Sqrt"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    if unit.is("RMSNormalization") {
        return Some(Found::new([start]).with(Norm::over(net.dim(unit.input(0)?, -1))));
    }
    let mut core = standardized(net, start)?;
    if core.centerd || core.summed {
        return None;
    }
    // It has no shift: what is added next is something else.
    let width = core.width(net);
    if core.scaled {
        core.shifted = true;
        return Some(core.block(net, |_| false).with(Norm::over(width)));
    }
    let scale = net.only_use(core.out).filter(|id| {
        let unit = net.unit(*id);
        let constant = net.data_and_constant(unit).map(|(_, constant)| constant);
        unit.is("Mul") && constant.is_some_and(|constant| has_elements(net, constant, width))
    });
    core.units.extend(scale);
    core.shifted = true;
    Some(core.block(net, |_| false).with(Norm::over(width)))
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
        assert_eq!(seen.kinds(), ["RMSNorm"]);
        assert!(seen.takes_the_input(BlockKind::RmsNorm));
        assert_eq!(seen.first(BlockKind::RmsNorm, |_, unit| unit.norm()?.width), Some(Some(8)));
    }

    fn root(t: &mut Tiny, x: &str) -> String {
        let s = t.with("Pow", x, 2.0);
        let v = t.op_with("ReduceMean", &[&s], &[Attribute::ints("axes", &[-1])]);
        let sum = t.with("Add", &v, 1e-6);
        t.op("Sqrt", &[&sum])
    }

    #[test]
    fn operators() {
        is_one(&built(|t, x| {
            let scale = t.weight(&[8]);
            t.op("SimplifiedLayerNormalization", &[x, &scale])
        }));
        let fused = built(|t, x| {
            let scale = t.weight(&[8]);
            let other = t.input(&["batch", "seq", "8"]);
            t.contrib("SkipSimplifiedLayerNormalization", &[x, &other, &scale])
        });
        assert_eq!(fused.count(BlockKind::RmsNorm), 1);
    }

    #[test]
    fn quotients_of_every_kind() {
        is_one(&built(|t, x| {
            let r = root(t, x);
            let q = t.op("Div", &[x, &r]);
            let scale = t.weight(&[8]);
            t.op("Mul", &[&q, &scale])
        }));
        is_one(&built(|t, x| {
            let r = root(t, x);
            let one = t.scalar(1.0);
            let r = t.op("Div", &[&one, &r]);
            let q = t.op("Mul", &[x, &r]);
            let scale = t.weight(&[8]);
            t.op("Mul", &[&scale, &q])
        }));
        // Half precision: the norm in floats, the scale in halves. The scale is one more than what
        // is stored.
        is_one(&built(|t, x| {
            let wide = t.cast(x, 1);
            let r = root(t, &wide);
            let r = t.op("Reciprocal", &[&r]);
            let q = t.op("Mul", &[&wide, &r]);
            let q = t.cast(&q, 1);
            let scale = t.weight(&[8]);
            let scale = t.with("Add", &scale, 1.0);
            t.op("Mul", &[&q, &scale])
        }));
        is_one(&built(|t, x| {
            let s = t.op("Mul", &[x, x]);
            let v = t.op_with("ReduceMean", &[&s], &[Attribute::ints("axes", &[-1])]);
            let sum = t.with("Add", &v, 1e-6);
            let r = t.with("Pow", &sum, -0.5);
            t.op("Mul", &[x, &r])
        }));
    }

    #[test]
    fn what_follows_is_not_taken() {
        let followed = built(|t, x| {
            let r = root(t, x);
            let q = t.op("Div", &[x, &r]);
            let (scale, more) = (t.weight(&[8]), t.weight(&[8]));
            let q = t.op("Mul", &[&q, &scale]);
            t.op("Add", &[&q, &more])
        });
        assert_eq!(followed.kinds(), ["RMSNorm", "Add"]);
    }

    #[test]
    fn near_misses() {
        let length = built(root);
        assert_eq!(length.count(BlockKind::RmsNorm), 0);
        let other = built(|t, x| {
            let other = t.input(&["batch", "seq", "8"]);
            let r = root(t, x);
            t.op("Div", &[&other, &r])
        });
        assert_eq!(other.count(BlockKind::RmsNorm), 0);
    }
}
