//! Recurrent layers: at every step, for every sequence, the weights of all gates once.
//!
//! Sequences count at their full length. Next to the products, each element of a gate is a sum and a
//! activation, and a bias where it is given; then come the updates of the state: 5 for `LSTM`, 5 for
//! `GRU`. Peepholes are a product and a sum for 3 gates.

use calipers_sym::Expr;

use super::{Cost, Work, dims, given, last, ranked};
use crate::context::{Fail, OpContext};
use crate::fact::{Fact, product};

struct Cell {
    gates: i64,
    update: i64,
    peepholes: bool,
}

/// Sequences by steps.
fn steps(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    let input = ranked(ctx, 0, 3)?;
    Ok(&input[0] * &input[1])
}

/// Elements of a stored tensor.
fn stored(ctx: &OpContext<'_>, index: usize) -> Result<Expr, Fail> {
    Ok(product(dims(ctx, ctx.optional(index))?))
}

fn recurrence(ctx: &OpContext<'_>, cell: &Cell, hidden: &Expr) -> Cost {
    let steps = steps(ctx)?;
    let weights = stored(ctx, 1)? + stored(ctx, 2)?;
    let directions = if ctx.text_or("direction", "forward") == "bidirectional" { 2 } else { 1 };
    let mut each = cell.gates * (2 + given(ctx, &[3])) + cell.update;
    if cell.peepholes {
        each += 6 * given(ctx, &[7]);
    }
    let states = &steps * hidden * directions;
    Ok(Work { macs: steps * weights, other_flops: states * each })
}

/// <https://onnx.ai/onnx/operators/onnx__LSTM.html>, `onnx__GRU`, `onnx__RNN`.
pub(crate) fn recurrent(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let cell = match ctx.op {
        "LSTM" => Cell { gates: 4, update: 5, peepholes: true },
        "GRU" => Cell { gates: 3, update: 5, peepholes: false },
        _ => Cell { gates: 1, update: 0, peepholes: false },
    };
    recurrence(ctx, &cell, &ranked(ctx, 2, 3)?[2])
}

/// `DynamicQuantizeLSTM`: the weights are the other way round.
pub(crate) fn quantized_lstm(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let cell = Cell { gates: 4, update: 5, peepholes: true };
    recurrence(ctx, &cell, &ranked(ctx, 2, 3)?[1])
}

/// `AttnLSTM`: the memory is projected once; every step projects its state, scores the memory,
/// adds it up, and projects what it found.
pub(crate) fn attention_lstm(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let cell = Cell { gates: 4, update: 5, peepholes: true };
    let mut work = recurrence(ctx, &cell, &ranked(ctx, 2, 3)?[2])?;
    let steps = steps(ctx)?;
    let memory = ranked(ctx, 11, 3)?;
    let (projected, places) = (last(ctx, 8)?, &memory[0] * &memory[1]);
    work.macs += &steps * stored(ctx, 8)? + &places * stored(ctx, 9)?;
    if ctx.has(13) {
        work.macs += &steps * stored(ctx, 13)?;
    }
    let directions = if ctx.text_or("direction", "forward") == "bidirectional" { 2 } else { 1 };
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
        // 4 gates of 32 from 16 inputs and 32 states: 4 · 32 · 48 = 6,144, twice. Next to: 32 · 2
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
    fn quantized_weights_are_the_other_way_round() {
        let inputs = ["float32[T, B, 16]", "int8[1, 16, 128]", "int8[1, 32, 128]"];
        let (ms, op) = ("com.microsoft", "DynamicQuantizeLSTM");
        assert_eq!(work(ms, op, &inputs, &[]), both("6144*B*T", "416*B*T")); // 32 · 13
    }
}
