//! Recurrent layers.

use calipers_sym::Expr;

use crate::InputRole::{Data, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::Fact;
use crate::known;
use crate::row::Operator;
use crate::traits::{Class, KernelClass, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Recurrent,
    [
        Operator::onnx("GRU", &[Data, Weight, Weight, Weight])
            .contracts(KernelClass::Recurrent, &[1])
            .since(&[1, 3, 7, 14, 22])
            .infer(recurrent)
            .costs(cost::recurrent::recurrent),
        Operator::onnx("LSTM", &[Data, Weight, Weight, Weight, Data, Data, Data, Weight])
            .contracts(KernelClass::Recurrent, &[1])
            .since(&[1, 7, 14, 22])
            .infer(recurrent)
            .costs(cost::recurrent::recurrent),
        Operator::onnx("RNN", &[Data, Weight, Weight, Weight])
            .contracts(KernelClass::Recurrent, &[1])
            .since(&[1, 7, 14, 22])
            .infer(recurrent)
            .costs(cost::recurrent::recurrent),
    ],
);

/// The hidden state of every step, and the last of it; `LSTM` gives the last cell state too:
/// <https://onnx.ai/onnx/operators/onnx__LSTM.html>, `onnx__GRU`, `onnx__RNN`.
fn recurrent(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2, 3, 5]);
    for required in 0..3 {
        ctx.input(required)?;
    }
    let batch_first = ctx.version >= 14 && ctx.int_or("layout", 0) != 0;
    let (step_axis, batch_axis) = if batch_first { (1, 0) } else { (0, 1) };
    let input = known::ranked(ctx, 0, 3)?;
    let first = known::ranked(ctx, 5, 3)?;
    let lengths = known::ranked(ctx, 4, 1)?;
    let batch = known::agree(
        ctx,
        "the batch",
        &[
            input.map(|dims| &dims[batch_axis]),
            first.map(|dims| &dims[batch_axis]),
            lengths.map(|dims| &dims[0]),
        ],
    )?;
    let directions = directions(ctx)?;
    let hidden = hidden_size(ctx)?;
    let steps = input.map(|dims| dims[step_axis].clone());
    let steps = known::or_fresh(ctx, steps, "the length of the sequence");
    let batch = known::or_fresh(ctx, batch, "the batch of sequences");
    let hidden = known::or_fresh(ctx, hidden, "the size of the hidden state");
    let (all, last) = if batch_first {
        ([batch.clone(), steps, directions.clone(), hidden.clone()], [batch, directions, hidden])
    } else {
        ([steps, directions.clone(), batch.clone(), hidden.clone()], [directions, batch, hidden])
    };
    let last = Fact::tensor(dtype, last);
    let mut outputs = vec![Fact::tensor(dtype, all), last.clone()];
    if ctx.op == "LSTM" {
        outputs.push(last);
    }
    Ok(outputs)
}

fn directions(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    let count = match ctx.text_or("direction", "forward") {
        // The first version of GRU is written so.
        "forward" | "reverse" | "foward" => Expr::from(1),
        "bidirectional" => Expr::from(2),
        other => return Err(Fail::contradiction(format!("{} has direction {other:?}", ctx.op))),
    };
    for weights in [1, 2] {
        let stored = known::ranked(ctx, weights, 3)?.map(|dims| &dims[0]);
        known::agree(ctx, "directions", &[Some(&count), stored])?;
    }
    Ok(count)
}

/// Size of the hidden state: as the attribute says, or as the recurrence weights have it.
fn hidden_size(ctx: &OpContext<'_>) -> Result<Option<Expr>, Fail> {
    let gates = match ctx.op {
        "LSTM" => 4,
        "GRU" => 3,
        _ => 1,
    };
    let given = ctx.int("hidden_size").map(Expr::from);
    let recurrence = known::ranked(ctx, 2, 3)?;
    let rows = |dims: &[Expr]| dims[1].exact_div(&Expr::from(gates));
    let by_recurrence = recurrence.and_then(rows);
    let by_weights = known::ranked(ctx, 1, 3)?.and_then(rows);
    known::agree(
        ctx,
        "the hidden size",
        &[
            given.as_ref(),
            recurrence.map(|dims| &dims[2]),
            by_recurrence.as_ref(),
            by_weights.as_ref(),
        ],
    )
}

#[cfg(test)]
mod tests {
    use crate::context::{Attr, Fail};
    use crate::contraction::testing::{floats, reported};

    #[test]
    fn states_are_as_the_layout_says() {
        let inputs = [floats("T B 16"), floats("2 128 16"), floats("2 128 32")];
        let both = ("direction", Attr::Text(b"bidirectional"));
        let shapes = reported("LSTM", 14, &inputs, std::slice::from_ref(&both)).unwrap();
        assert_eq!(shapes, ["float32[T, 2, B, 32]", "float32[2, B, 32]", "float32[2, B, 32]"]);
        let inputs = [floats("B T 16"), floats("2 96 16"), floats("2 96 32")];
        let batch_first = [both, ("layout", Attr::Int(1)), ("hidden_size", Attr::Int(32))];
        let shapes = reported("GRU", 22, &inputs, &batch_first).unwrap();
        assert_eq!(shapes, ["float32[B, T, 2, 32]", "float32[B, 2, 32]"]);
    }

    #[test]
    fn sizes_come_from_wherever_they_are_known() {
        let unknown = Some(crate::Fact::unknown("no reason"));
        let inputs = [unknown.clone(), floats("1 96 16"), unknown, None, None, floats("1 B 24")];
        let shapes = reported("LSTM", 7, &inputs, &[]).unwrap();
        assert_eq!(shapes[0], "float32[new1, 1, B, 24]");
        let size = [("hidden_size", Attr::Int(5))];
        assert!(matches!(reported("LSTM", 7, &inputs, &size), Err(Fail::Contradiction(_))));
        let both = [("direction", Attr::Text(b"bidirectional"))];
        assert!(matches!(reported("LSTM", 7, &inputs, &both), Err(Fail::Contradiction(_))));
    }
}
