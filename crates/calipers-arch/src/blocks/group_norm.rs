//! Group normalization: groups of channels by their own mean and variance.
//!
//! | form | written by |
//! |---|---|
//! | `GroupNormalization`, `GroupNorm`, `SkipGroupNorm` | opset 18, ONNX Runtime |
//! | `Reshape` to groups, `InstanceNormalization`, `Reshape` back, `Mul`, `Add` | PyTorch |
//! | the same with mean and variance written out | TensorFlow, JAX |
//!
//! Extracts `width`, the number of channels, and `groups`.

use super::Pattern;
use super::moments::{affine, has_elements, standardized};
use crate::network::{BlockKind, Found, Network, Norm, Op, OpId, Ops, Val};

pub(super) const GROUP_NORM: Pattern = Pattern {
    kind: BlockKind::GroupNorm,
    description: "Group normalization: normalizes groups of channels by their mean and variance.",
    anchors: Ops::operators(&["GroupNormalization", "InstanceNormalization", "Pow", "Sqrt"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    match unit.op {
        Op::Operator("GroupNormalization") => {
            let groups = net.int(unit, "num_groups").or_else(|| net.int(unit, "groups"));
            // The contrib operator keeps channels last.
            let last = net.int(unit, "channels_last") == Some(1);
            let width = net.dim(unit.input(0)?, if last { -1 } else { 1 });
            Some(Found::new([start]).with(Norm { width, groups }))
        }
        Op::Operator("InstanceNormalization") => {
            let groups = net.dim(unit.input(0)?, 1);
            in_groups(net, unit.input(0)?, unit.output(), vec![start], groups)
        }
        _ => {
            let core = standardized(net, start)?;
            if !core.centerd || core.summed || core.scaled {
                return None;
            }
            // What is neither averaged over nor the batch is the groups.
            let rank = i64::try_from(net.rank(core.x)?).ok()?;
            let kept: Vec<i64> = (1..rank).filter(|axis| !core.axes.contains(axis)).collect();
            let [axis] = kept[..] else { return None };
            let groups = net.dim(core.x, isize::try_from(axis).ok()?);
            in_groups(net, core.x, core.out, core.units, groups)
        }
    }
}

/// The block, when a norm is between a `Reshape` of an image and one back.
fn in_groups(
    net: &Network<'_>,
    grouped: Val,
    out: Val,
    mut units: Vec<OpId>,
    groups: Option<i64>,
) -> Option<Found> {
    let apart = net.made_by(grouped, "Reshape")?;
    let x = net.unit(apart).input(0)?;
    let back = net.only_use(out).filter(|id| net.unit(*id).is("Reshape"))?;
    let whole = net.unit(back).output();
    if net.rank(x)? < 3 || net.rank(x) != net.rank(whole) || net.same_shape(x, grouped) {
        return None;
    }
    // The same channels come back, in the same place.
    let width = net.dim(x, 1).or_else(|| net.dim(whole, 1));
    if net.dim(whole, 1).is_some_and(|back| width != Some(back))
        || groups.zip(width).is_some_and(|(groups, width)| groups < 1 || width % groups != 0)
    {
        return None;
    }
    units.extend([apart, back]);
    affine(net, whole, false, &mut units, |constant| has_elements(net, constant, width));
    Some(Found::new(units).taking([x]).with(Norm { width, groups }))
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::of_opset(18).over(&["1", "8", "16", "16"], build)
    }

    fn is_one(seen: &Seen) {
        assert_eq!(seen.kinds(), ["GroupNorm"]);
        assert!(seen.takes_the_input(BlockKind::GroupNorm));
        let figures = |unit: &crate::network::NetworkOp| {
            unit.norm().map(|norm| (norm.width, norm.groups)).unwrap()
        };
        assert_eq!(seen.first(BlockKind::GroupNorm, |_, u| figures(u)), Some((Some(8), Some(4))));
    }

    #[test]
    fn an_operator() {
        is_one(&built(|t, x| {
            let (scale, shift) = (t.weight(&[4]), t.weight(&[4]));
            let groups = [Attribute::int("num_groups", 4)];
            t.op_with("GroupNormalization", &[x, &scale, &shift], &groups)
        }));
    }

    #[test]
    fn between_reshapes() {
        is_one(&built(|t, x| {
            let apart = t.ints(&[0, 4, -1]);
            let y = t.op("Reshape", &[x, &apart]);
            let (one, zero) = (t.weight(&[4]), t.weight(&[4]));
            let y = t.op("InstanceNormalization", &[&y, &one, &zero]);
            let back = t.ints(&[1, 8, 16, 16]);
            let y = t.op("Reshape", &[&y, &back]);
            let (scale, shift) = (t.weight(&[8, 1, 1]), t.weight(&[8, 1, 1]));
            let y = t.op("Mul", &[&y, &scale]);
            t.op("Add", &[&y, &shift])
        }));
    }

    #[test]
    fn written_out() {
        is_one(&built(|t, x| {
            let apart = t.ints(&[1, 4, 512]);
            let y = t.op("Reshape", &[x, &apart]);
            let last = t.ints(&[2]);
            let m = t.op("ReduceMean", &[&y, &last]);
            let d = t.op("Sub", &[&y, &m]);
            let s = t.op("Mul", &[&d, &d]);
            let v = t.op("ReduceMean", &[&s, &last]);
            let v = t.with("Add", &v, 1e-5);
            let r = t.op("Sqrt", &[&v]);
            let y = t.op("Div", &[&d, &r]);
            let back = t.ints(&[1, 8, 16, 16]);
            t.op("Reshape", &[&y, &back])
        }));
    }

    #[test]
    fn without_reshapes_it_is_another() {
        let seen = built(|t, x| {
            let (scale, shift) = (t.weight(&[8]), t.weight(&[8]));
            t.op("InstanceNormalization", &[x, &scale, &shift])
        });
        assert_eq!(seen.kinds(), ["InstanceNorm"]);
    }
}
