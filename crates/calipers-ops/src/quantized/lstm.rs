//! Recurrent layers with quantized weights or with attention inside.

use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::{dim, first_dtype, ranked};
use crate::fact::Fact;

/// The states of all steps, and the last of both kinds.
fn states(ctx: &mut OpContext<'_>, hidden_axis: usize) -> Outcome {
    let input = ranked(ctx, 0, 3, "the input sequence")?;
    let directions = match ctx.text_or("direction", "forward") {
        "forward" | "reverse" => 1,
        "bidirectional" => 2,
        other => {
            return Err(Fail::contradiction(format!("{} has \"direction\" {other:?}", ctx.op)));
        }
    };
    let hidden = match ctx.int("hidden_size") {
        Some(size) if size > 0 => Some(Expr::from(size)),
        _ => dim(ctx, 2, hidden_axis),
    };
    let hidden = hidden.unwrap_or_else(|| ctx.fresh("the width of the state"));
    let dtype = first_dtype(ctx, &[0, 3]);
    let last = [Expr::from(directions), input[1].clone(), hidden];
    let all = [input[0].clone()].into_iter().chain(last.clone());
    let last = Fact::tensor(dtype, last);
    Ok(vec![Fact::tensor(dtype, all), last.clone(), last])
}

/// `DynamicQuantizeLSTM`: as the standard's `LSTM`, with its weights turned over.
pub(super) fn dynamic_quantize_lstm(ctx: &mut OpContext<'_>) -> Outcome {
    states(ctx, 1)
}

/// `AttnLSTM`: as the standard's `LSTM`, with attention over a memory.
pub(crate) fn attention_lstm(ctx: &mut OpContext<'_>) -> Outcome {
    states(ctx, 2)
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported, text};

    #[test]
    fn states_of_all_steps_and_the_last() {
        let inputs = ["float32[S, B, 16]", "int8[2, 16, 128]", "int8[2, 32, 128]"];
        let both = [("direction", text("bidirectional")), ("hidden_size", int(32))];
        let wanted = ["float32[S, 2, B, 32]", "float32[2, B, 32]", "float32[2, B, 32]"];
        assert_eq!(reported("com.microsoft", "DynamicQuantizeLSTM", &inputs, &both, 3), wanted);
        assert_eq!(
            reported("com.microsoft", "DynamicQuantizeLSTM", &inputs, &both[..1], 3),
            wanted
        );
    }
}
