//! Recurrent layers: at every step, for every sequence, the weights of all gates once.
//!
//! Sequences count at their full length. Beside the products, each element of a gate is a sum and a
//! curve, and a bias where it is given; then come the updates of the state: 5 for `LSTM`, 5 for
//! `GRU`. Peepholes are a product and a sum for 3 gates.

use calipers_sym::Expr;

use super::{Cost, Work, dims, given, last, ranked};
use crate::call::{Call, Fail};
use crate::fact::{Fact, product};

struct Cell {
    gates: i64,
    update: i64,
    peepholes: bool,
}

/// Sequences by steps.
fn steps(call: &Call<'_>) -> Result<Expr, Fail> {
    let input = ranked(call, 0, 3)?;
    Ok(&input[0] * &input[1])
}

/// Elements of a stored tensor.
fn stored(call: &Call<'_>, index: usize) -> Result<Expr, Fail> {
    Ok(product(dims(call, call.optional(index))?))
}

fn recurrence(call: &Call<'_>, cell: &Cell, hidden: &Expr) -> Cost {
    let steps = steps(call)?;
    let weights = stored(call, 1)? + stored(call, 2)?;
    let directions = if call.text_or("direction", "forward") == "bidirectional" { 2 } else { 1 };
    let mut each = cell.gates * (2 + given(call, &[3])) + cell.update;
    if cell.peepholes {
        each += 6 * given(call, &[7]);
    }
    let states = &steps * hidden * directions;
    Ok(Work { macs: steps * weights, other_flops: states * each })
}

/// <https://onnx.ai/onnx/operators/onnx__LSTM.html>, `onnx__GRU`, `onnx__RNN`.
pub(crate) fn recurrent(call: &Call<'_>, _: &[Fact]) -> Cost {
    let cell = match call.op {
        "LSTM" => Cell { gates: 4, update: 5, peepholes: true },
        "GRU" => Cell { gates: 3, update: 5, peepholes: false },
        _ => Cell { gates: 1, update: 0, peepholes: false },
    };
    recurrence(call, &cell, &ranked(call, 2, 3)?[2])
}

/// `DynamicQuantizeLSTM`: the weights stand the other way round.
pub(crate) fn quantized_lstm(call: &Call<'_>, _: &[Fact]) -> Cost {
    let cell = Cell { gates: 4, update: 5, peepholes: true };
    recurrence(call, &cell, &ranked(call, 2, 3)?[1])
}

/// `AttnLSTM`: the memory is projected once; every step projects its state, scores the memory,
/// adds it up, and projects what it found.
pub(crate) fn attention_lstm(call: &Call<'_>, _: &[Fact]) -> Cost {
    let cell = Cell { gates: 4, update: 5, peepholes: true };
    let mut work = recurrence(call, &cell, &ranked(call, 2, 3)?[2])?;
    let steps = steps(call)?;
    let memory = ranked(call, 11, 3)?;
    let (projected, places) = (last(call, 8)?, &memory[0] * &memory[1]);
    work.macs += &steps * stored(call, 8)? + &places * stored(call, 9)?;
    if call.has(13) {
        work.macs += &steps * stored(call, 13)?;
    }
    let directions = if call.text_or("direction", "forward") == "bidirectional" { 2 } else { 1 };
    let scores = steps * &memory[1] * directions;
    work.macs += &scores * (projected + &memory[2]);
    work.other_flops += &scores * projected * 2 + scores * 5;
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, work};
    use crate::contrib::testing::{int, text};

    #[test]
    fn gates_by_steps_by_directions() {
        // 4 gates of 32 from 16 inputs and 32 states: 4 · 32 · 48 = 6,144, twice. Beside: 32 · 2
        // states of 4 · 3 + 5 = 17.
        let inputs =
            ["float32[T, B, 16]", "float32[2, 128, 16]", "float32[2, 128, 32]", "float32[2, 256]"];
        let two = [("direction", text("bidirectional")), ("hidden_size", int(32))];
        assert_eq!(work("", "LSTM", &inputs, &two), both("12288*B*T", "1088*B*T"));
        // 3 · 32 · 48 = 4,608; 32 states of 3 · 2 + 5 = 11.
        let inputs = ["float32[T, B, 16]", "float32[1, 96, 16]", "float32[1, 96, 32]"];
        assert_eq!(work("", "GRU", &inputs, &[]), both("4608*B*T", "352*B*T"));
        let inputs = ["float32[T, B, 16]", "float32[1, 32, 16]", "float32[1, 32, 32]"];
        assert_eq!(work("", "RNN", &inputs, &[]), both("1536*B*T", "64*B*T"));
    }

    #[test]
    fn quantised_weights_stand_the_other_way_round() {
        let inputs = ["float32[T, B, 16]", "int8[1, 16, 128]", "int8[1, 32, 128]"];
        let (ms, op) = ("com.microsoft", "DynamicQuantizeLSTM");
        assert_eq!(work(ms, op, &inputs, &[]), both("6144*B*T", "416*B*T")); // 32 · 13
    }
}
