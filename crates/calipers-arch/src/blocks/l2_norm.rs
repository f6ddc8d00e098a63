//! Values divided by their length, and local response normalization.
//!
//! | kind | forms |
//! |---|---|
//! | L2Norm | `LpNormalization`; `ReduceL2, Div`, perhaps with `Clip` and `Expand` (PyTorch); `Mul, ReduceSum, Sqrt, Div` |
//! | LRN | `LRN` |
//!
//! Extracts `width`, the length of the axis.

use super::Pattern;
use super::moments::standardized;
use crate::network::{BlockKind, Found, Network, Norm, Op, OpId, Ops};

pub(super) const L2_NORM: Pattern = Pattern {
    kind: BlockKind::L2Norm,
    description: "L2 normalization: divides each vector by its length.",
    anchors: Ops::operators(&["LpNormalization", "Pow", "ReduceL2", "Sqrt"]),
    matcher: find,
};

/// `LRN` is a unit of this kind already.
pub(super) const LRN: Pattern = Pattern {
    kind: BlockKind::Lrn,
    description: "Local response normalization across neighboring channels.",
    anchors: Ops::blocks(&[BlockKind::Lrn]),
    matcher: |_, _| None,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    match unit.op {
        Op::Operator("LpNormalization") => {
            let squares = net.int(unit, "p").unwrap_or(2) == 2;
            squares.then(|| Found::new([start]).with(Norm::default()))
        }
        Op::Operator("ReduceL2") => by_length(net, start),
        _ => {
            let core = standardized(net, start)?;
            if core.centerd || !core.summed || core.scaled {
                return None;
            }
            let width = core.width(net);
            Some(Found::new(core.units).taking([core.x]).with(Norm::over(width)))
        }
    }
}

fn by_length(net: &Network<'_>, start: OpId) -> Option<Found> {
    let x = net.unit(start).input(0)?;
    let mut units = vec![start];
    let mut length = net.unit(start).output();
    // At least a small number, and as long as the values.
    for _ in 0..4 {
        let id = net.only_use(length)?;
        let unit = net.unit(id);
        let taken = unit.is(["Add", "Clip", "Expand", "Max", "Reshape", "Unsqueeze"])
            && unit.inputs.iter().flatten().filter(|input| net.is_data(**input)).count() == 1;
        units.push(id);
        if unit.is("Div") && unit.inputs[..] == [Some(x), Some(length)] {
            let width = super::moments::axes(net, net.unit(start));
            let width = width
                .filter(|axes| axes.len() == 1)
                .and_then(|axes| net.dim(x, isize::try_from(*axes.first()?).ok()?));
            return Some(Found::new(units).taking([x]).with(Norm::over(width)));
        }
        if !taken {
            return None;
        }
        length = unit.output();
    }
    None
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::of_opset(17).over(&["batch", "8"], build)
    }

    fn along(axis: i64) -> [Attribute; 1] {
        [Attribute::ints("axes", &[axis])]
    }

    #[test]
    fn every_form() {
        let clip = built(|t, x| {
            let l = t.op_with("ReduceL2", &[x], &along(-1));
            t.op("Div", &[x, &l])
        });
        let normalize = built(|t, x| {
            let l = t.op_with("ReduceL2", &[x], &along(1));
            let least = t.scalar(1e-12);
            let l = t.op("Clip", &[&l, &least]);
            let shape = t.op("Shape", &[x]);
            let l = t.op("Expand", &[&l, &shape]);
            t.op("Div", &[x, &l])
        });
        let written_out = built(|t, x| {
            let s = t.op("Mul", &[x, x]);
            let axis = t.ints(&[1]);
            let s = t.op("ReduceSum", &[&s, &axis]);
            let r = t.op("Sqrt", &[&s]);
            t.op("Div", &[x, &r])
        });
        for seen in [clip, normalize, written_out] {
            assert_eq!(seen.kinds(), ["L2Norm"]);
            assert!(seen.takes_the_input(BlockKind::L2Norm));
            assert_eq!(seen.first(BlockKind::L2Norm, |_, unit| unit.norm()?.width), Some(Some(8)));
        }
    }

    #[test]
    fn lengths_of_others_are_none() {
        let other = built(|t, x| {
            let other = t.input(&["batch", "8"]);
            let l = t.op_with("ReduceL2", &[x], &along(-1));
            t.op("Div", &[&other, &l])
        });
        assert_eq!(other.count(BlockKind::L2Norm), 0);
    }
}
