//! Convolutions with their bias.
//!
//! | form | written by |
//! |---|---|
//! | `Conv`, `ConvTranspose` with a bias or none | most exporters |
//! | `Conv`, then `Add` of a constant for each channel | CNTK, TensorFlow, dynamic quantisation |
//! | `ConvInteger`, `QLinearConv`, `FusedConv`, `NhwcConv`, … | quantisers, ONNX Runtime; lowered to the above |
//!
//! Extracts `in` and `out` channels, `kernel`, `stride` and `dilation` (the longest side), `groups`,
//! `rank` (spatial dimensions), and whether it is `depthwise` (each channel by itself), `pointwise`
//! (each place by itself), `transposed`, and has a `bias`.

use super::Recogniser;
use crate::net::{Found, Net, Origin, Unit, UnitId, Val};

pub(super) const CONVOLUTION: Recogniser = Recogniser {
    kind: "Convolution",
    what: "Convolution with its bias.",
    ends: &["Conv", "ConvTranspose"],
    find,
};

fn find(net: &Net<'_>, start: UnitId) -> Option<Found> {
    let unit = net.unit(start);
    let (x, weight) = (unit.input(0)?, unit.input(1)?);
    if !net.is_data(x) {
        return None;
    }
    let transposed = unit.is("ConvTranspose");
    let groups = net.int(unit, "group").unwrap_or(1);
    let (first, second) = (net.dim(weight, 0), net.dim(weight, 1));
    let in_all_groups = second.and_then(|channels| channels.checked_mul(groups));
    let (channels, out) = if transposed { (first, in_all_groups) } else { (in_all_groups, first) };
    let kernel: Option<Vec<i64>> = match net.ints(unit, "kernel_shape") {
        Some(sides) => Some(sides.to_vec()),
        None => net
            .shape(weight)
            .and_then(|dims| dims.get(2..)?.iter().map(calipers_sym::Expr::as_const).collect()),
    };
    let longest = kernel.as_ref().and_then(|sides| sides.iter().copied().max());
    let most = |name| Some(net.ints(unit, name).and_then(|s| s.iter().copied().max()).unwrap_or(1));
    let rank = kernel.as_ref().and_then(|sides| i64::try_from(sides.len()).ok());

    let mut found = Found::of([start]);
    let mut bias = unit.input(2).is_some();
    if !bias
        && let Some(add) = net.only_use(unit.output()).filter(|add| net.unit(*add).is("Add"))
        && let Some((_, vector)) = net.data_and_constant(net.unit(add))
        && is_for_channels(net, vector, unit, out)
    {
        found.units.push(add);
        bias = true;
    }
    let depthwise = groups > 1 && channels == Some(groups) && !transposed;
    let pointwise = groups == 1 && longest == Some(1) && !transposed;
    let found = found.number("in", channels).number("out", out).number("kernel", longest);
    let found = found.number("stride", most("strides")).number("dilation", most("dilations"));
    let found = found.number("groups", Some(groups)).number("rank", rank);
    let found = found.says("depthwise", depthwise).says("pointwise", pointwise);
    Some(found.says("transposed", transposed).says("bias", bias).taking([x]))
}

/// Whether a constant has one number for each channel, which lie on the second axis.
fn is_for_channels(net: &Net<'_>, val: Val, conv: &Unit, channels: Option<i64>) -> bool {
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
    use super::super::testing::{Look as _, Seen, Tiny};
    use calipers_samples::{Attribute, DataType};

    fn built(build: impl FnOnce(&mut Tiny, &str) -> String) -> Seen {
        Tiny::new().over(&["batch", "8", "16", "16"], build)
    }

    fn numbers(seen: &Seen, names: &[&str]) -> Option<Vec<Option<i64>>> {
        seen.first("Convolution", |_, unit| names.iter().map(|name| unit.number(name)).collect())
    }

    fn says(seen: &Seen, name: &str) -> bool {
        seen.first("Convolution", |_, unit| unit.says(name)) == Some(true)
    }

    #[test]
    fn an_operator_with_its_figures() {
        let conv = built(|t, x| {
            let (w, b) = (t.weight(&[4, 8, 3, 3]), t.weight(&[4]));
            t.op_with("Conv", &[x, &w, &b], &[Attribute::ints("strides", &[2, 2])])
        });
        let names = ["in", "out", "kernel", "stride", "dilation", "groups", "rank"];
        let wanted = [8, 4, 3, 2, 1, 1, 2].map(Some).to_vec();
        assert_eq!(numbers(&conv, &names), Some(wanted));
        assert!(says(&conv, "bias") && !says(&conv, "depthwise") && !says(&conv, "pointwise"));
    }

    #[test]
    fn a_bias_that_is_added() {
        let conv = built(|t, x| {
            let (w, b) = (t.weight(&[4, 8, 1, 1]), t.weight(&[4, 1, 1]));
            let y = t.op("Conv", &[x, &w]);
            t.op("Add", &[&y, &b])
        });
        assert_eq!(conv.kinds(), ["Convolution"]);
        assert!(says(&conv, "bias") && says(&conv, "pointwise"));
    }

    #[test]
    fn channels_by_themselves_and_upwards() {
        let depthwise = built(|t, x| {
            let w = t.weight(&[8, 1, 3, 3]);
            t.op_with("Conv", &[x, &w], &[Attribute::int("group", 8)])
        });
        assert!(says(&depthwise, "depthwise") && !says(&depthwise, "bias"));
        let grouped = built(|t, x| {
            let w = t.weight(&[8, 4, 3, 3]);
            t.op_with("Conv", &[x, &w], &[Attribute::int("group", 2)])
        });
        assert!(!says(&grouped, "depthwise"));
        let up = built(|t, x| {
            let w = t.weight(&[8, 4, 2, 2]);
            t.op_with("ConvTranspose", &[x, &w], &[Attribute::ints("strides", &[2, 2])])
        });
        assert!(says(&up, "transposed"));
        assert_eq!(numbers(&up, &["in", "out"]), Some(vec![Some(8), Some(4)]));
    }

    #[test]
    fn quantised() {
        let stored = built(|t, x| {
            let x = t.quantised(x);
            let w = t.raw(DataType::U8, &[4, 8, 3, 3], &[1; 288]);
            let scale = t.scalar(0.1);
            let w = t.op("DequantizeLinear", &[&w, &scale]);
            let y = t.op("Conv", &[&x, &w]);
            t.quantised(&y)
        });
        assert_eq!(stored.kinds(), ["Convolution"]);
        assert_eq!(numbers(&stored, &["in", "out"]), Some(vec![Some(8), Some(4)]));
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
