//! Layers that move a window over their input, and those that change its height and width.

use super::layer::Settings;
use super::lower::{Lowering, OWN};
use crate::error::Trace;

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    match lowering.layer.number {
        100 => convolution(lowering),
        120 => pooling(lowering),
        200 => padding(lowering),
        190 => crop(lowering),
        210 | 211 => resize(lowering),
        1465 => pooling3d(lowering),
        1466 => {
            lowering.take_inputs().keeps_shape();
            lowering.call.is_of(OWN, "Pooling").ints("kernel_shape", &[1, 1, 1]).int("global", 1);
            Ok(())
        }
        1471 => convolution3d(lowering),
        _ => Ok(()),
    }
}

/// `BorderAmounts`: all beginnings, then all ends.
fn borders(settings: Option<Settings<'_>>) -> Result<Vec<i64>, Trace> {
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for edge in settings.map(|it| it.messages(10)).transpose()?.unwrap_or_default() {
        starts.push(edge.int(1)?);
        ends.push(edge.int(2)?);
    }
    starts.extend(ends);
    Ok(starts)
}

/// Padding of a window: fields for borders that are given, and for as much as is needed.
fn pads(
    lowering: &mut Lowering<'_, '_, '_>,
    settings: Settings<'_>,
    [valid, same]: [u32; 2],
) -> Result<(), Trace> {
    if let Some(same) = settings.message(same)? {
        let mode = if same.int(1)? == 1 { "SAME_LOWER" } else { "SAME_UPPER" };
        lowering.call.text("auto_pad", mode);
    } else if let Some(valid) = settings.message(valid)? {
        let pads = borders(valid.message(1)?)?;
        if !pads.is_empty() {
            lowering.call.ints("pads", &pads);
        }
    }
    Ok(())
}

fn convolution(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let kernel = settings.ints_or(20, &[3, 3])?;
    let groups = settings.int(10)?.max(1);
    let (outputs, channels) = (settings.int(1)?, settings.int(2)?);
    let is_transposed = settings.flag(60)?;
    let mut dims = match is_transposed {
        true => vec![channels, outputs / groups],
        false => vec![outputs, channels],
    };
    dims.extend(&kernel);
    lowering.take_inputs().keeps_shape();
    // Weights may be another blob.
    if lowering.call.inputs.len() < 2 {
        lowering.take_weights(settings, (90, "weights"), &dims)?;
        if settings.flag(70)? {
            lowering.take_weights(settings, (91, "bias"), &[outputs])?;
        }
    }
    lowering.call.is_of(OWN, if is_transposed { "Deconvolution" } else { "Convolution" });
    lowering.call.ints("strides", &settings.ints_or(30, &[1, 1])?);
    lowering.call.ints("dilations", &settings.ints_or(40, &[1, 1])?);
    lowering.call.int("group", groups);
    let asked = settings.ints(100)?;
    if is_transposed && !asked.is_empty() {
        lowering.call.ints("output_shape", &asked);
    }
    pads(lowering, settings, [50, 51])
}

fn pooling(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let kernel = settings.ints_or(10, &[3, 3])?;
    lowering.take_inputs().keeps_shape();
    lowering.call.is_of(OWN, "Pooling").ints("kernel_shape", &kernel);
    lowering.call.ints("strides", &settings.ints_or(20, &[1, 1])?);
    lowering.call.int("global", i64::from(settings.flag(60)?));
    if let Some(last) = settings.message(32)? {
        // The last window may reach over the end.
        let amounts = last.ints_or(10, &[0, 0])?;
        lowering.call.ints("pads", &[&*amounts, &*amounts].concat()).int("ceil_mode", 1);
        return Ok(());
    }
    pads(lowering, settings, [30, 31])
}

/// Three whole numbers in fields that follow each other.
fn three(settings: Settings<'_>, first: u32, least: i64) -> Result<[i64; 3], Trace> {
    let mut values = [0; 3];
    for (value, number) in values.iter_mut().zip(first..) {
        *value = settings.int(number)?.max(least);
    }
    Ok(values)
}

/// Padding in three dimensions: its kind, and pairs of numbers from a field on.
fn pads3d(
    lowering: &mut Lowering<'_, '_, '_>,
    settings: Settings<'_>,
    kind: u32,
    first: u32,
) -> Result<(), Trace> {
    match settings.int(kind)? {
        2 => {
            lowering.call.text("auto_pad", "SAME_UPPER");
        }
        0 => {
            let mut pads = [0; 6];
            for axis in 0..3_u32 {
                let at = first + 2 * axis;
                let (start, end) = (settings.int(at)?, settings.int(at + 1)?);
                let place = axis as usize;
                (pads[place], pads[place + 3]) = (start, end);
            }
            lowering.call.ints("pads", &pads);
        }
        _ => {}
    }
    Ok(())
}

fn convolution3d(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let (outputs, channels) = (settings.int(1)?, settings.int(2)?);
    let groups = settings.int(10)?.max(1);
    let is_transposed = settings.flag(86)?;
    let mut dims = match is_transposed {
        true => vec![channels, outputs / groups],
        false => vec![outputs, channels / groups],
    };
    dims.extend(three(settings, 20, 1)?);
    lowering.take_inputs().keeps_shape();
    lowering.take_weights(settings, (60, "weights"), &dims)?;
    if settings.flag(50)? {
        lowering.take_weights(settings, (61, "bias"), &[outputs])?;
    }
    lowering.call.is_of(OWN, if is_transposed { "Deconvolution" } else { "Convolution" });
    lowering.call.ints("strides", &three(settings, 31, 1)?);
    lowering.call.ints("dilations", &three(settings, 40, 1)?).int("group", groups);
    pads3d(lowering, settings, 70, 80)
}

fn pooling3d(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    lowering.take_inputs().keeps_shape();
    lowering.call.is_of(OWN, "Pooling").ints("kernel_shape", &three(settings, 2, 1)?);
    lowering.call.ints("strides", &three(settings, 5, 1)?);
    pads3d(lowering, settings, 15, 8)
}

fn padding(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let pads = borders(settings.message(10)?)?;
    let mode = match settings.which(&[1, 2, 3])? {
        Some((2, _)) => "reflect",
        Some((3, _)) => "edge",
        _ => "constant",
    };
    if pads.len() != 4 {
        return Ok(());
    }
    lowering.take_inputs().keeps_shape();
    lowering.call.is("Pad").text("mode", mode);
    lowering.take_integers("pads", &pads)?;
    let none = lowering.assembly.none();
    lowering.call.inputs.push(none);
    lowering.take_integers("axes", &[-2, -1])
}

/// With two inputs, the second has the size that is wanted.
fn crop(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let amounts = borders(lowering.settings().message(1)?)?;
    let [top, left, bottom, right] = amounts[..] else { return Ok(()) };
    if lowering.layer.inputs.len() != 1 {
        return Ok(());
    }
    let taken = |one: i64, other: i64| one.saturating_add(other).saturating_neg();
    let added = [taken(top, bottom), taken(left, right)];
    lowering.take_inputs().keeps_shape();
    lowering.call.is_of(OWN, "Resized").ints("added", &added);
    Ok(())
}

fn resize(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let none = lowering.assembly.none();
    lowering.take_inputs().keeps_shape();
    lowering.call.inputs.push(none);
    lowering.call.is("Resize").ints("axes", &[-2, -1]);
    if lowering.layer.number == 211 {
        lowering.call.inputs.push(none);
        let sizes = settings.ints_or(1, &[1, 1])?;
        lowering.call.text("mode", "linear");
        return lowering.take_integers("sizes", &sizes);
    }
    let mut scales = settings.floats(7)?;
    if scales.is_empty() {
        let whole = settings.ints_or(1, &[1, 1])?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a factor by which an image grows is small"
        )]
        scales.extend(whole.iter().map(|factor| *factor as f32));
    }
    lowering.call.text("mode", if settings.int(5)? == 1 { "linear" } else { "nearest" });
    let scales = lowering.assembly.floats("scales", &scales)?;
    lowering.call.inputs.push(scales);
    Ok(())
}
