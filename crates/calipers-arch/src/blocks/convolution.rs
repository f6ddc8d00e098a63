//! Convolutions with their bias.
//!
//! | form | written by |
//! |---|---|
//! | `Conv`, `ConvTranspose` with a bias or none | most exporters |
//! | `Conv`, then `Add` of a constant for each channel | CNTK, TensorFlow, dynamic quantization |
//! | `ConvInteger`, `QLinearConv`, `FusedConv`, `NhwcConv`, … | quantizers, ONNX Runtime; lowered to the above |
//!
//! Extracts `in` and `out` channels, `kernel`, `stride` and `dilation` (the longest side), `groups`,
//! `rank` (spatial dimensions), and whether it is `depthwise` (each channel by itself), `pointwise`
//! (each place by itself), `transposed`, and has a `bias`.

use super::Pattern;
use crate::network::{BlockKind, Convolution, Found, Network, NetworkOp, OpId, Ops, Origin, Val};

pub(super) const CONVOLUTION: Pattern = Pattern {
    kind: BlockKind::Convolution,
    description: "Convolution with its bias.",
    anchors: Ops::operators(&["Conv", "ConvTranspose"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let unit = net.unit(start);
    let x = unit.input(0)?;
    if !net.is_data(x) {
        return None;
    }
    let mut convolution = Convolution::of_operator(net, unit)?;
    let mut units = vec![start];
    if !convolution.bias
        && let Some(add) = net.only_use(unit.output()).filter(|add| net.unit(*add).is("Add"))
        && let Some((_, vector)) = net.data_and_constant(net.unit(add))
        && is_for_channels(net, vector, unit, convolution.out_channels)
    {
        units.push(add);
        convolution.bias = true;
    }
    Some(Found::new(units).with(convolution).taking([x]))
}

/// Whether a constant has one number for each channel, which lie on the second axis.
fn is_for_channels(net: &Network<'_>, val: Val, conv: &NetworkOp, channels: Option<i64>) -> bool {
    let Some(channels) = channels else { return false };
    let elements = net.elements(val).and_then(|count| i64::try_from(count).ok());
    net.origin(val) == Origin::Constant
        && elements == Some(channels)
        && net.rank(conv.output()).is_some_and(|rank| {
            // Counted from the end, as operands are aligned.
            let place = 1 - isize::try_from(rank).unwrap_or(isize::MAX);
            channels == 1 || net.dim(val, place) == Some(channels)
        })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType};

    use super::super::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;
    use crate::network::Convolution;

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["batch", "8", "16", "16"], build)
    }

    fn found(seen: &Seen) -> Convolution {
        seen.first(BlockKind::Convolution, |_, unit| unit.convolution().unwrap().clone()).unwrap()
    }

    #[test]
    fn an_operator_with_its_figures() {
        let conv = built(|t, x| {
            let (w, b) = (t.weight(&[4, 8, 3, 3]), t.weight(&[4]));
            t.op_with("Conv", &[x, &w, &b], &[Attribute::ints("strides", &[2, 2])])
        });
        let wanted = Convolution {
            in_channels: Some(8),
            out_channels: Some(4),
            kernel: Some(vec![3, 3]),
            stride: 2,
            dilation: 1,
            groups: 1,
            transposed: false,
            bias: true,
        };
        assert_eq!(found(&conv), wanted);
        assert!(!wanted.is_depthwise() && !wanted.is_pointwise());
    }

    #[test]
    fn a_bias_that_is_added() {
        let conv = built(|t, x| {
            let (w, b) = (t.weight(&[4, 8, 1, 1]), t.weight(&[4, 1, 1]));
            let y = t.op("Conv", &[x, &w]);
            t.op("Add", &[&y, &b])
        });
        assert_eq!(conv.kinds(), ["Convolution"]);
        assert!(found(&conv).bias && found(&conv).is_pointwise());
    }

    #[test]
    fn channels_by_themselves_and_upwards() {
        let depthwise = built(|t, x| {
            let w = t.weight(&[8, 1, 3, 3]);
            t.op_with("Conv", &[x, &w], &[Attribute::int("group", 8)])
        });
        assert!(found(&depthwise).is_depthwise() && !found(&depthwise).bias);
        let grouped = built(|t, x| {
            let w = t.weight(&[8, 4, 3, 3]);
            t.op_with("Conv", &[x, &w], &[Attribute::int("group", 2)])
        });
        assert!(!found(&grouped).is_depthwise());
        let up = built(|t, x| {
            let w = t.weight(&[8, 4, 2, 2]);
            t.op_with("ConvTranspose", &[x, &w], &[Attribute::ints("strides", &[2, 2])])
        });
        assert!(found(&up).transposed);
        assert_eq!((found(&up).in_channels, found(&up).out_channels), (Some(8), Some(4)));
    }

    #[test]
    fn quantized() {
        let stored = built(|t, x| {
            let x = t.quantized(x);
            let w = t.raw(DataType::U8, &[4, 8, 3, 3], &[1; 288]);
            let scale = t.scalar(0.1);
            let w = t.op("DequantizeLinear", &[&w, &scale]);
            let y = t.op("Conv", &[&x, &w]);
            t.quantized(&y)
        });
        assert_eq!(stored.kinds(), ["Convolution"]);
        assert_eq!((found(&stored).in_channels, found(&stored).out_channels), (Some(8), Some(4)));
    }

    #[test]
    fn near_misses() {
        // Not one number for each channel.
        let table = built(|t, x| {
            let (w, b) = (t.weight(&[4, 8, 1, 1]), t.weight(&[4, 16, 16]));
            let y = t.op("Conv", &[x, &w]);
            t.op("Add", &[&y, &b])
        });
        assert_eq!(table.kinds(), ["Convolution", "Add"]);
        // Along the width, which is as long as there are channels.
        let along = built(|t, x| {
            let (w, b) = (t.weight(&[16, 8, 1, 1]), t.weight(&[16]));
            let y = t.op("Conv", &[x, &w]);
            t.op("Add", &[&y, &b])
        });
        assert_eq!(along.kinds(), ["Convolution", "Add"]);
    }
}
