//! Batch normalization: each channel by the mean and variance that training kept.
//!
//! | form | written by |
//! |---|---|
//! | `BatchNormalization` | most exporters |
//! | `BatchNormalization`, then `Mul` and `Add` for each channel | Caffe, which scales in a second layer |
//! | `Mul` and `Add` for each channel behind a convolution without a bias | DETR's frozen norm, TensorFlow |
//! | `Sub, Div` or `Mul`, `Mul, Add` behind such a convolution | written out |
//!
//! A convolution that has a bias needs no norm's shift, so a scale and shift behind it are something
//! else. Extracts `width`, the number of channels.

use super::Pattern;
use super::moments::affine;
use crate::network::{BlockKind, Found, Network, Norm, Op, OpId, Ops, Origin, Val};

pub(super) const BATCH_NORM: Pattern = Pattern {
    kind: BlockKind::BatchNorm,
    description: "Batch normalization: normalizes each channel by its running mean and variance.",
    anchors: Ops { blocks: &[BlockKind::Convolution], operators: &["BatchNormalization"] },
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    let out = unit.output();
    if unit.is("BatchNormalization") {
        let x = unit.input(0)?;
        let width = net.dim(x, 1);
        let mut units = vec![start];
        // A scale alone may be another layer's.
        let mut scale = Vec::new();
        affine(net, out, false, &mut scale, |constant| is_for_channels(net, constant, out));
        if scale.len() == 2 {
            units.extend(scale);
        }
        return Some(Found::new(units).with(Norm::over(width)).taking([x]));
    }
    if unit.convolution().is_some_and(|conv| conv.bias || conv.transposed) {
        return None;
    }
    let units = scale_and_shift(net, out)?;
    Some(Found::new(units).with(Norm::over(net.dim(out, 1))).taking([out]))
}

/// Units that scale and shift each channel of a value.
fn scale_and_shift(net: &Network<'_>, x: Val) -> Option<Vec<OpId>> {
    let (mut val, mut units, mut scaled) = (x, Vec::new(), false);
    for _ in 0..4 {
        let id = net.only_use(val)?;
        let unit = net.unit(id);
        let (_, constant) = net.data_and_constant(unit)?;
        if unit.input(0) != Some(val) && unit.is(["Div", "Sub"])
            || !is_for_channels(net, constant, x)
        {
            return None;
        }
        units.push(id);
        match unit.op {
            Op::Operator("Add") => return scaled.then_some(units),
            Op::Operator("Div" | "Mul") => scaled = true,
            Op::Operator("Sub") if !scaled => {}
            // Scaled, then less a constant: the shift, written so.
            Op::Operator("Sub") => return Some(units),
            _ => return None,
        }
        val = unit.output();
    }
    None
}

/// Whether a constant has a number for each of several channels of a value.
fn is_for_channels(net: &Network<'_>, constant: Val, of: Val) -> bool {
    let channels = net.dim(of, 1).filter(|channels| *channels > 1);
    let elements = net.elements(constant).and_then(|count| i64::try_from(count).ok());
    net.origin(constant) == Origin::Constant
        && channels.is_some()
        && elements == channels
        && net.rank(of).is_some_and(|rank| {
            let place = 1 - isize::try_from(rank).unwrap_or(isize::MAX);
            net.dim(constant, place) == channels
        })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::of_opset(17).over(&["batch", "8", "16", "16"], build)
    }

    fn conv(t: &mut Tiny, x: &str) -> String {
        let w = t.weight(&[8, 8, 3, 3]);
        t.op("Conv", &[x, &w])
    }

    fn norm(t: &mut Tiny, x: &str) -> String {
        let four = [(); 4].map(|()| t.weight(&[8]));
        let four = four.each_ref().map(String::as_str);
        t.op("BatchNormalization", &[x, four[0], four[1], four[2], four[3]])
    }

    fn by_channel(t: &mut Tiny, op: &str, x: &str) -> String {
        let constant = t.weight(&[8, 1, 1]);
        t.op(op, &[x, &constant])
    }

    #[test]
    fn an_operator_and_its_second_layer() {
        let plain = built(norm);
        assert_eq!(plain.kinds(), ["BatchNorm"]);
        assert!(plain.takes_the_input(BlockKind::BatchNorm));
        let caffe = built(|t, x| {
            let y = norm(t, x);
            let y = by_channel(t, "Mul", &y);
            by_channel(t, "Add", &y)
        });
        assert_eq!(caffe.kinds(), ["BatchNorm"]);
        assert_eq!(caffe.first(BlockKind::BatchNorm, |_, unit| unit.norm()?.width), Some(Some(8)));
    }

    #[test]
    fn written_out_behind_a_convolution() {
        let frozen = built(|t, x| {
            let y = conv(t, x);
            let y = by_channel(t, "Mul", &y);
            by_channel(t, "Add", &y)
        });
        assert_eq!(frozen.kinds(), ["ConvNormAct"]);
        assert_eq!(frozen.count(BlockKind::BatchNorm), 1);
        let whole = built(|t, x| {
            let y = conv(t, x);
            let y = by_channel(t, "Sub", &y);
            let y = by_channel(t, "Div", &y);
            let y = by_channel(t, "Mul", &y);
            by_channel(t, "Add", &y)
        });
        assert_eq!(whole.kinds(), ["ConvNormAct"]);
    }

    #[test]
    fn near_misses() {
        // A scale of the layer, then a residual.
        let layer_scale = built(|t, x| {
            let y = conv(t, x);
            let y = by_channel(t, "Mul", &y);
            t.op("Add", &[&y, x])
        });
        assert_eq!(layer_scale.kinds(), ["Convolution", "Mul", "Add"]);
        // The convolution has a bias already.
        let biased = built(|t, x| {
            let (w, b) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8]));
            let y = t.op("Conv", &[x, &w, &b]);
            let y = by_channel(t, "Mul", &y);
            by_channel(t, "Add", &y)
        });
        assert_eq!(biased.kinds(), ["Convolution", "Mul", "Add"]);
    }
}
