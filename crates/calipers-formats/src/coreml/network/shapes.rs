//! Layers of the first versions that combine blobs and change their shape.

use super::lower::{FRAMEWORKS, Lowering, OWN};
use crate::error::Trace;

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    match lowering.layer.number {
        220 => unary(lowering),
        230 => combined(lowering, ["Add", "Sum", "AddChannels"]),
        231 => combined(lowering, ["Mul", "", "MultiplyChannels"]),
        240 => elementwise(lowering, "Mean"),
        260 => elementwise(lowering, "Max"),
        261 => elementwise(lowering, "Min"),
        280 => reduce(lowering),
        300 => reshape(lowering),
        301 => flatten(lowering),
        310 => permute(lowering),
        320 => concat(lowering),
        330 => {
            let axis = lowering.channel_axis();
            let count = lowering.settings().int(1)?;
            lowering.take_inputs().keeps_shape();
            lowering.call.is("Split").int("axis", axis).int("num_outputs", count);
            Ok(())
        }
        345 => reorganize(lowering),
        350 => slice(lowering),
        600 => {
            lowering.take_inputs().keeps_shape().call.is("Identity");
            Ok(())
        }
        _ => Ok(()),
    }
}

fn unary(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let (domain, op) = match settings.int(1)? {
        0 => ("", "Sqrt"),
        1 => (FRAMEWORKS, "Rsqrt"),
        2 => ("", "Reciprocal"),
        3 => ("", "Pow"),
        4 => ("", "Exp"),
        5 => ("", "Log"),
        6 => ("", "Abs"),
        7 => ("", "Max"),
        _ => return Ok(()),
    };
    lowering.take_inputs().keeps_shape().call.is_of(domain, op);
    match op {
        "Pow" | "Max" => lowering.take_float("alpha", settings.float(2)?),
        _ => Ok(()),
    }
}

/// Sums and products of two blobs, of one with a number, or of several.
fn combined(
    lowering: &mut Lowering<'_, '_, '_>,
    [pair, several, channels]: [&'static str; 3],
) -> Result<(), Trace> {
    lowering.take_inputs().keeps_shape();
    let ranks = [lowering.input_rank(0), lowering.input_rank(1)];
    match (lowering.call.inputs.len(), ranks) {
        (1, _) => {
            lowering.call.is(pair);
            let value = lowering.settings().float(1)?;
            return lowering.take_float("alpha", value);
        }
        // A vector is a number for each channel of the other blob.
        (2, [Some(1), Some(other)] | [Some(other), Some(1)]) if other > 1 && !lowering.is_exact => {
            lowering.call.is_of(OWN, channels);
            lowering.rank = Some(other);
        }
        (2, [one, other]) => {
            lowering.call.is(pair);
            lowering.rank = one.max(other);
        }
        _ => {
            lowering.call.is(several);
        }
    }
    Ok(())
}

fn elementwise(lowering: &mut Lowering<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    lowering.take_inputs().keeps_shape().call.is(op);
    Ok(())
}

/// The axes of a reduction, counted from the end.
fn reduce(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let is_vector = lowering.input_rank(0).is_some_and(|rank| rank < 3);
    let axes: &[i64] = match lowering.settings().int(3)? {
        0 | 2 if is_vector => &[-1],
        _ if is_vector => return Ok(()),
        0 => &[-3, -2, -1],
        1 => &[-2, -1],
        2 => &[-3],
        3 => &[-2],
        4 => &[-1],
        _ => return Ok(()),
    };
    lowering.take_inputs().keeps_shape().call.is_of(OWN, "ReduceChannels").ints("axes", axes);
    Ok(())
}

/// A target of four dimensions begins with the sequence.
fn reshape(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let mut target = lowering.settings().ints(1)?;
    if !lowering.is_exact && target.len() == 4 && target.first() == Some(&1) {
        target.remove(0);
    }
    lowering.take_inputs().rank = Some(target.len());
    lowering.call.is("Reshape");
    lowering.take_integers("shape", &target)
}

/// All elements of a blob become its channels.
fn flatten(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let mut target = vec![-1];
    if lowering.is_exact {
        let Some(front) = lowering.input_rank(0).and_then(|rank| rank.checked_sub(3)) else {
            return Ok(());
        };
        target = vec![0; front.min(16)];
        target.extend([-1, 1, 1]);
    }
    lowering.take_inputs().rank = Some(target.len());
    lowering.call.is("Reshape");
    lowering.take_integers("shape", &target)
}

/// The order of the sequence, the channels, the height and the width.
fn permute(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let axes = lowering.settings().ints(1)?;
    let [0, order @ ..] = &axes[..] else { return Ok(()) };
    if lowering.is_exact || lowering.input_rank(0) != Some(3) || order.len() != 3 {
        return Ok(());
    }
    let order: Vec<i64> = order.iter().map(|axis| axis.saturating_sub(1)).collect();
    lowering.take_inputs().keeps_shape().call.is("Transpose").ints("perm", &order);
    Ok(())
}

/// Along the channels. What is joined along the sequence has that dimension elsewhere.
fn concat(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let rank = lowering.input_rank(0);
    let count = lowering.layer.inputs.len();
    let agree = (0..count).all(|place| lowering.input_rank(place) == rank);
    if lowering.settings().flag(100)? || !agree {
        return Ok(());
    }
    let axis = lowering.channel_axis();
    lowering.take_inputs().keeps_shape().call.is("Concat").int("axis", axis);
    Ok(())
}

fn reorganize(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let block = settings.int(2)?;
    let is_deeper = settings.int(1)? == 0;
    lowering.take_inputs().keeps_shape();
    lowering.call.is_of(OWN, if is_deeper { "SpaceToDepth" } else { "DepthToSpace" });
    lowering.call.int("blocksize", block);
    Ok(())
}

/// An end that is counted from the back is not one that every version reads alike.
fn slice(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let (start, end) = (settings.int(1)?, settings.int(2)?);
    let stride = settings.int(3)?.max(1);
    let axis = match settings.int(4)? {
        0 => lowering.channel_axis(),
        1 => -2,
        2 => -1,
        _ => return Ok(()),
    };
    if end < 0 {
        return Ok(());
    }
    lowering.take_inputs().keeps_shape().call.is("Slice");
    for (hint, value) in [("starts", start), ("ends", end), ("axes", axis), ("steps", stride)] {
        lowering.take_integers(hint, &[value])?;
    }
    Ok(())
}
