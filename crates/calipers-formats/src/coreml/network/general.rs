//! Layers of the newer versions, on arrays of any rank.

use super::lower::{FRAMEWORKS, Lowering, OWN};
use crate::error::Trace;

/// Layers with one counterpart, whose inputs are its inputs.
const SAME: &[(u32, &str, &str)] = &[
    (665, "", "Ceil"),
    (670, "", "Floor"),
    (680, "", "Sign"),
    (685, "", "Round"),
    (700, OWN, "Exp2"),
    (710, "", "Sin"),
    (715, "", "Cos"),
    (720, "", "Tan"),
    (730, "", "Asin"),
    (735, "", "Acos"),
    (740, "", "Atan"),
    (750, "", "Sinh"),
    (755, "", "Cosh"),
    (760, "", "Tanh"),
    (770, "", "Asinh"),
    (775, "", "Acosh"),
    (780, "", "Atanh"),
    (790, "", "Erf"),
    (795, "", "Gelu"),
    (840, "", "Or"),
    (845, "", "Xor"),
    (850, "", "Not"),
    (855, "", "And"),
    (865, FRAMEWORKS, "FloorMod"),
    (870, "", "Min"),
    (875, "", "Max"),
    (880, "", "Add"),
    (885, "", "Pow"),
    (890, "", "Div"),
    (895, FRAMEWORKS, "FloorDiv"),
    (900, "", "Mul"),
    (905, "", "Sub"),
    (960, OWN, "Reverse"),
    (1065, "", "Shape"),
    (1080, OWN, "FillLike"),
    (1135, OWN, "ReshapeLike"),
    (1145, "", "Reshape"),
    (1110, FRAMEWORKS, "BroadcastTo"),
    (1315, OWN, "BandPart"),
    (1320, OWN, "BandPart"),
    (1325, OWN, "BandPart"),
    (1330, "", "Where"),
    (1460, OWN, "ClampedRelu"),
    (1461, OWN, "ArgSort"),
    (935, OWN, "Scatter"),
    (945, OWN, "Scatter"),
    (954, OWN, "Scatter"),
    (1005, OWN, "SlidingWindows"),
    (1170, OWN, "RandomLike"),
    (1190, OWN, "RandomLike"),
    (1210, OWN, "RandomLike"),
];

/// Comparisons, with another array or with a number in a field.
const COMPARISONS: &[(u32, &str, &str, u32)] = &[
    (815, "", "Equal", 1),
    (820, OWN, "NotEqual", 1),
    (825, "", "Less", 2),
    (827, "", "LessOrEqual", 2),
    (830, "", "Greater", 2),
    (832, "", "GreaterOrEqual", 2),
];

/// Reductions over axes.
const REDUCTIONS: &[(u32, &str)] = &[
    (1250, "ReduceL1"),
    (1255, "ReduceL2"),
    (1260, "ReduceMax"),
    (1265, "ReduceMin"),
    (1270, "ReduceSum"),
    (1275, "ReduceProd"),
    (1280, "ReduceMean"),
    (1285, "ReduceLogSum"),
    (1290, "ReduceSumSquare"),
    (1295, "ReduceLogSumExp"),
];

/// Layers whose only setting that counts is an axis, in this field.
const WITH_AXIS: &[(u32, &str, &str, u32)] = &[
    (925, FRAMEWORKS, "Stack", 1),
    (930, "", "Gather", 1),
    (952, "", "GatherElements", 1),
    (980, "", "Concat", 1),
    (1130, "", "Flatten", 1),
];

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let number = lowering.layer.number;
    let settings = lowering.settings();
    lowering.take_inputs();
    if let Some((_, domain, op)) = SAME.iter().find(|row| row.0 == number) {
        let ranks = (0..lowering.layer.inputs.len()).map(|place| lowering.input_rank(place));
        let all: Option<Vec<usize>> = ranks.collect();
        let is_reshaped = matches!(number, 1065 | 1110 | 1135 | 1145 | 1005);
        lowering.rank = all.and_then(|ranks| ranks.into_iter().max()).filter(|_| !is_reshaped);
        lowering.call.is_of(domain, op);
        return Ok(());
    }
    if let Some((_, domain, op, alpha)) = COMPARISONS.iter().find(|row| row.0 == number) {
        lowering.keeps_shape().call.is_of(domain, op);
        if lowering.call.inputs.len() == 1 {
            lowering.take_float("alpha", settings.float(*alpha)?)?;
        }
        return Ok(());
    }
    if let Some((_, op)) = REDUCTIONS.iter().find(|row| row.0 == number) {
        let keeps = settings.int(2)?;
        let axes = settings.ints_or(1, &[-1])?;
        let removed = if keeps == 0 { axes.len() } else { 0 };
        lowering.changes_rank(-removed.try_into().unwrap_or(isize::MAX));
        lowering.call.is(op).int("keepdims", keeps);
        if settings.flag(3)? {
            lowering.rank = lowering.rank.filter(|_| keeps != 0);
            return Ok(());
        }
        return lowering.take_integers("axes", &axes);
    }
    if let Some((_, domain, op, axis)) = WITH_AXIS.iter().find(|row| row.0 == number) {
        let axis = settings.int(*axis)?;
        match number {
            925 => lowering.changes_rank(1),
            980 => lowering.keeps_shape(),
            _ => lowering,
        };
        lowering.call.is_of(domain, op).int("axis", axis);
        return Ok(());
    }
    other(lowering)
}

fn other(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    match lowering.layer.number {
        660 => {
            lowering.keeps_shape().call.is("Clip");
            lowering.take_float("min", settings.float(1)?)?;
            lowering.take_float("max", settings.float(2)?)
        }
        920 => {
            let repeats = settings.ints(1)?;
            lowering.keeps_shape().call.is("Tile");
            if repeats.is_empty() { Ok(()) } else { lowering.take_integers("repeats", &repeats) }
        }
        940 => {
            lowering.call.is("GatherND");
            Ok(())
        }
        975 => {
            let (axis, sizes) = (settings.int(1)?, settings.ints(3)?);
            lowering.keeps_shape().call.is("Split").int("axis", axis);
            if !sizes.is_empty() {
                return lowering.take_integers("split", &sizes);
            }
            let count = settings.int(2)?;
            lowering.call.int("num_outputs", count);
            Ok(())
        }
        985 => {
            let order = settings.ints(1)?;
            lowering.keeps_shape().call.is("Transpose").ints("perm", &order);
            Ok(())
        }
        995 => slice(lowering),
        1015 => {
            let (axis, count, smallest) = (settings.int(1)?, settings.int(2)?, settings.int(3)?);
            lowering.keeps_shape().call.is("TopK").int("axis", axis);
            lowering.call.int("largest", i64::from(smallest == 0));
            match lowering.call.inputs.len() {
                1 => lowering.take_integers("k", &[count]),
                _ => Ok(()),
            }
        }
        1020 => arg(lowering, "ArgMin"),
        1025 => arg(lowering, "ArgMax"),
        1085 => shaped(lowering, "Fill", &settings.ints(2)?, Some(settings.float(1)?)),
        1105 => shaped(lowering, "BroadcastTo", &settings.ints(1)?, None),
        1120 => {
            lowering.call.is("Squeeze");
            match settings.flag(2)? {
                true => Ok(()),
                false => with_axes(lowering, -1),
            }
        }
        1125 => {
            lowering.call.is("Unsqueeze");
            with_axes(lowering, 1)
        }
        1140 => {
            let target = settings.ints(1)?;
            lowering.rank = Some(target.len());
            lowering.call.is("Reshape");
            lowering.take_integers("shape", &target)
        }
        1150 => {
            let target = settings.ints(1)?;
            lowering.keeps_shape().call.is("Reshape");
            lowering.take_integers("shape", &target)
        }
        1155 => pad(lowering),
        1313 => {
            lowering.call.is("NonZero").output_order(0, &[1, 0]);
            Ok(())
        }
        1455 => {
            let axis = settings.int(1)?;
            lowering.keeps_shape().call.is("CumSum");
            let axis = lowering.assembly.integer("axis", axis)?;
            lowering.call.inputs.truncate(1);
            lowering.call.inputs.push(axis);
            Ok(())
        }
        _ => Ok(()),
    }
}

/// An operator that takes a shape as its first or second input.
fn shaped(
    lowering: &mut Lowering<'_, '_, '_>,
    op: &'static str,
    shape: &[i64],
    value: Option<f32>,
) -> Result<(), Trace> {
    lowering.call.is_of(FRAMEWORKS, op);
    lowering.rank = Some(shape.len());
    lowering.take_integers("shape", shape)?;
    value.map_or(Ok(()), |value| lowering.take_float("value", value))
}

/// Axes that are removed, or added.
fn with_axes(lowering: &mut Lowering<'_, '_, '_>, by: isize) -> Result<(), Trace> {
    let axes = lowering.settings().ints(1)?;
    let count = isize::try_from(axes.len()).unwrap_or(isize::MAX);
    lowering.changes_rank(count.saturating_mul(by));
    lowering.take_integers("axes", &axes)
}

fn arg(lowering: &mut Lowering<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    let settings = lowering.settings();
    let (axis, removes) = (settings.int(1)?, settings.flag(2)?);
    lowering.call.is(op).int("axis", axis).int("keepdims", i64::from(!removes));
    lowering.changes_rank(if removes { -1 } else { 0 });
    Ok(())
}

/// The truth values of a mask as the bits of a number.
fn mask(flags: &[i64]) -> i64 {
    let set = flags.iter().take(32).enumerate().filter(|(_, flag)| **flag != 0);
    set.fold(0, |mask, (place, _)| mask | 1 << place)
}

fn slice(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let squeezed = mask(&settings.ints(6)?);
    if squeezed == 0 {
        lowering.keeps_shape();
    }
    lowering.call.is_of(FRAMEWORKS, "StridedSlice");
    for (attribute, number) in [("begin_mask", 2), ("end_mask", 4)] {
        let mask = mask(&settings.ints(number)?);
        lowering.call.int(attribute, mask);
    }
    lowering.call.int("shrink_axis_mask", squeezed);
    lowering.take_integers("begin", &settings.ints(1)?)?;
    lowering.take_integers("end", &settings.ints(3)?)?;
    lowering.take_integers("strides", &settings.ints(5)?)
}

/// Pairs of amounts for every dimension. Where these are the size that is wanted, or come from
/// another value, the layer keeps its name.
fn pad(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let amounts = settings.ints(2)?;
    let (pairs, rest) = amounts.as_chunks::<2>();
    if settings.flag(3)? || pairs.is_empty() || !rest.is_empty() {
        return Ok(());
    }
    let starts = pairs.iter().map(|pair| pair[0]);
    let pads: Vec<i64> = starts.chain(pairs.iter().map(|pair| pair[1])).collect();
    lowering.keeps_shape().call.is("Pad");
    lowering.take_integers("pads", &pads)
}
