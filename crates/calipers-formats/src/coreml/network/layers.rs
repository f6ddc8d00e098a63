//! Layers with weights, activations and normalizations.

use super::layer::Settings;
use super::lower::{FRAMEWORKS, Lowering, OWN};
use crate::error::Trace;

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    match lowering.layer.number {
        130 => activation(lowering),
        140 => inner_product(lowering),
        150 => embedding(lowering, settings.int(2)?, settings.int(1)?),
        1040 => embedding(lowering, settings.int(2)?, settings.int(1)?),
        160 => batch_norm(lowering),
        165 => like(lowering, "", "MeanVarianceNormalization"),
        170 => like(lowering, OWN, "L2Norm"),
        175 => {
            let axis = lowering.channel_axis();
            lowering.take_inputs().keeps_shape().call.is("Softmax").int("axis", axis);
            Ok(())
        }
        950 => {
            let axis = settings.int(1)?;
            lowering.take_inputs().keeps_shape().call.is("Softmax").int("axis", axis);
            Ok(())
        }
        180 => {
            let size = settings.int(3)?;
            lowering.take_inputs().keeps_shape().call.is("LRN").int("size", size);
            for (attribute, number) in [("alpha", 1), ("beta", 2), ("bias", 4)] {
                let value = settings.float(number)?;
                lowering.call.float(attribute, value);
            }
            Ok(())
        }
        245 => {
            lowering.take_inputs().keeps_shape().call.is_of(OWN, "ScaleShift");
            lowering.take_weights(settings, (2, "scale"), &settings.ints(1)?)?;
            if settings.flag(3)? {
                lowering.take_weights(settings, (5, "bias"), &settings.ints(4)?)?;
            }
            Ok(())
        }
        250 => {
            let none = lowering.assembly.none();
            lowering.take_inputs().keeps_shape().call.is_of(OWN, "ScaleShift");
            lowering.call.inputs.push(none);
            lowering.take_weights(settings, (2, "bias"), &settings.ints(1)?)
        }
        290 | 1070 => constant(lowering),
        1045 => matmul(lowering),
        1350 => layer_norm(lowering),
        _ => Ok(()),
    }
}

fn like(
    lowering: &mut Lowering<'_, '_, '_>,
    domain: &'static str,
    op: &'static str,
) -> Result<(), Trace> {
    lowering.take_inputs().keeps_shape().call.is_of(domain, op);
    Ok(())
}

/// The operator of an activation, and its numbers.
fn activation(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    const KINDS: [u32; 13] = [5, 10, 15, 20, 25, 30, 31, 40, 41, 50, 60, 70, 71];
    let Some((kind, numbers)) = lowering.settings().which(&KINDS)? else { return Ok(()) };
    lowering.take_inputs().keeps_shape();
    let (domain, op) = operator(kind);
    lowering.call.is_of(domain, op);
    match kind {
        15 | 20 | 50 => {
            lowering.call.float("alpha", numbers.float(1)?);
        }
        41 => {
            lowering.call.float("alpha", numbers.float(1)?).float("beta", numbers.float(2)?);
        }
        25 => lowering.take_weights(numbers, (1, "alpha"), &[])?,
        71 => {
            lowering.take_weights(numbers, (1, "alpha"), &[])?;
            lowering.take_weights(numbers, (2, "beta"), &[])?;
        }
        _ => {}
    }
    Ok(())
}

/// The operator of an activation by the field that holds its numbers.
fn operator(kind: u32) -> (&'static str, &'static str) {
    match kind {
        5 => (OWN, "LinearActivation"),
        10 => ("", "Relu"),
        15 => ("", "LeakyRelu"),
        20 => ("", "ThresholdedRelu"),
        25 => (OWN, "PRelu"),
        30 => ("", "Tanh"),
        31 => (OWN, "ScaledTanh"),
        40 => ("", "Sigmoid"),
        41 => ("", "HardSigmoid"),
        50 => ("", "Elu"),
        60 => ("", "Softsign"),
        70 => ("", "Softplus"),
        _ => (OWN, "ParametricSoftplus"),
    }
}

/// The weights have a row for each output. A blob with height and width is one vector.
fn inner_product(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let (inputs, outputs) = (settings.int(1)?, settings.int(2)?);
    let is_vector = !lowering.is_exact && lowering.input_rank(0) == Some(3);
    lowering.take_inputs();
    lowering.take_weights(settings, (20, "weights"), &[outputs, inputs])?;
    if settings.flag(10)? {
        lowering.take_weights(settings, (21, "bias"), &[outputs])?;
    }
    if is_vector {
        lowering.call.is_of(OWN, "InnerProduct");
        lowering.rank = Some(1);
    } else {
        lowering.call.is_of(FRAMEWORKS, "Linear").input_order(1, &[1, 0]);
        lowering.keeps_shape();
    }
    Ok(())
}

/// An index is replaced by the vector of it.
fn embedding(
    lowering: &mut Lowering<'_, '_, '_>,
    width: i64,
    vocabulary: i64,
) -> Result<(), Trace> {
    let settings = lowering.settings();
    let has_bias = settings.flag(if lowering.layer.number == 150 { 10 } else { 3 })?;
    let is_blob = lowering.layer.number == 150;
    let axis = if is_blob { lowering.channel_axis() } else { -1 };
    lowering.take_inputs().keeps_shape().call.is_of(OWN, "Embedding").int("axis", axis);
    lowering.take_weights(settings, (20, "weights"), &[width, vocabulary])?;
    if has_bias {
        lowering.take_weights(settings, (21, "bias"), &[width])?;
    }
    Ok(())
}

fn batch_norm(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let channels = settings.int(1)?;
    lowering.take_inputs().keeps_shape().call.is_of(OWN, "NormalizedChannels");
    for field in [(15, "gamma"), (16, "beta"), (17, "mean"), (18, "variance")] {
        lowering.take_weights(settings, field, &[channels])?;
    }
    Ok(())
}

fn layer_norm(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let shape = settings.ints(1)?;
    let Ok(count) = i64::try_from(shape.len()) else { return Ok(()) };
    lowering.take_inputs().keeps_shape();
    lowering.take_weights(settings, (3, "gamma"), &shape)?;
    lowering.take_weights(settings, (4, "beta"), &shape)?;
    let epsilon = settings.float(2)?;
    lowering.call.is("LayerNormalization").int("axis", -count).float("epsilon", epsilon);
    Ok(())
}

/// With one input, the other factor is held by the layer.
fn matmul(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let [left, right] = [settings.int(1)?, settings.int(2)?];
    lowering.take_inputs().keeps_shape();
    if lowering.call.inputs.len() == 1 {
        let dims = [settings.int(5)?, settings.int(6)?];
        lowering.take_weights(settings, (8, "weights"), &dims)?;
        if settings.flag(7)? {
            lowering.take_weights(settings, (9, "bias"), &dims[1..])?;
        }
        lowering.call.is_of(FRAMEWORKS, "Linear");
    } else if left == 0 && right == 0 {
        lowering.call.is("MatMul");
    } else {
        lowering
            .call
            .is_of("com.microsoft", "FusedMatMul")
            .int("transA", left)
            .int("transB", right);
    }
    Ok(())
}

/// A layer that only holds a value is a stored tensor of its output's name.
fn constant(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings: Settings<'_> = lowering.settings();
    let shape = settings.ints(1)?;
    let Some(name) = lowering.layer.outputs.first().copied() else { return Ok(()) };
    lowering.is_stored = lowering.layer.held(lowering.assembly, settings, 2, name, &shape)?;
    lowering.rank = Some(shape.len());
    Ok(())
}
