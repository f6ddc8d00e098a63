//! Recurrent layers: a matrix for each gate.

use super::layer::Settings;
use super::lower::{Lowering, OWN};
use crate::error::Trace;

/// Matrices and vectors of a layer: the field, what it is, and how many dimensions: a matrix of
/// the input, of the state, or a vector.
type Weights = &'static [(u32, &'static str, Of)];

#[derive(Clone, Copy)]
enum Of {
    Input,
    State,
    Vector,
}

use Of::{Input, State, Vector};

const SIMPLE: Weights =
    &[(30, "weightMatrix", Input), (31, "recursionMatrix", State), (32, "biasVector", Vector)];

const GATED: Weights = &[
    (30, "updateGateWeightMatrix", Input),
    (31, "resetGateWeightMatrix", Input),
    (32, "outputGateWeightMatrix", Input),
    (50, "updateGateRecursionMatrix", State),
    (51, "resetGateRecursionMatrix", State),
    (52, "outputGateRecursionMatrix", State),
    (70, "updateGateBiasVector", Vector),
    (71, "resetGateBiasVector", Vector),
    (72, "outputGateBiasVector", Vector),
];

const LSTM: Weights = &[
    (1, "inputGateWeightMatrix", Input),
    (2, "forgetGateWeightMatrix", Input),
    (3, "blockInputWeightMatrix", Input),
    (4, "outputGateWeightMatrix", Input),
    (20, "inputGateRecursionMatrix", State),
    (21, "forgetGateRecursionMatrix", State),
    (22, "blockInputRecursionMatrix", State),
    (23, "outputGateRecursionMatrix", State),
    (40, "inputGateBiasVector", Vector),
    (41, "forgetGateBiasVector", Vector),
    (42, "blockInputBiasVector", Vector),
    (43, "outputGateBiasVector", Vector),
    (60, "inputGatePeepholeVector", Vector),
    (61, "forgetGatePeepholeVector", Vector),
    (62, "outputGatePeepholeVector", Vector),
];

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    let settings = lowering.settings();
    let sizes = [settings.int(1)?, settings.int(2)?];
    match lowering.layer.number {
        400 => {
            start(lowering, "Rnn", sizes, 1);
            weights(lowering, settings, SIMPLE, sizes, "")
        }
        410 => {
            start(lowering, "Gru", sizes, 1);
            weights(lowering, settings, GATED, sizes, "")
        }
        420 | 430 => {
            let directions = settings.messages(20)?;
            let count = if lowering.layer.number == 430 { 2 } else { 1 };
            start(lowering, "Lstm", sizes, count);
            for (place, one) in directions.into_iter().take(2).enumerate() {
                let of = if place == 0 { "" } else { "backward." };
                weights(lowering, one, LSTM, sizes, of)?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The input and two states; those that are left out have no name.
fn start(
    lowering: &mut Lowering<'_, '_, '_>,
    op: &'static str,
    [_, outputs]: [i64; 2],
    directions: i64,
) {
    let none = lowering.assembly.none();
    let axis = match lowering.input_rank(0) {
        Some(5) | Some(3) => -3,
        _ => -1,
    };
    lowering.take_inputs().keeps_shape();
    lowering.call.inputs.resize(3, none);
    lowering.call.is_of(OWN, op).int("hidden_size", outputs).int("axis", axis);
    lowering.call.int("directions", directions);
}

fn weights(
    lowering: &mut Lowering<'_, '_, '_>,
    settings: Settings<'_>,
    weights: Weights,
    [inputs, outputs]: [i64; 2],
    of: &str,
) -> Result<(), Trace> {
    let none = lowering.assembly.none();
    for (number, role, kind) in weights {
        let dims = match kind {
            Input => vec![outputs, inputs],
            State => vec![outputs, outputs],
            Vector => vec![outputs],
        };
        let role = format!("{of}{role}");
        lowering.take_weights(settings, (*number, &role), &dims)?;
        if lowering.call.inputs.last() == Some(&none) {
            lowering.call.inputs.pop();
        }
    }
    Ok(())
}
