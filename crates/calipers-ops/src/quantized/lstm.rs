//! Recurrent layers with quantised weights or with attention inside.

use calipers_sym::Expr;

use crate::call::{Call, Fail, Outcome};
use crate::contrib::told::{dim, first_dtype, ranked};
use crate::fact::Fact;

/// The states of all steps, and the last of both kinds.
fn states(call: &mut Call<'_>, hidden_axis: usize) -> Outcome {
    let input = ranked(call, 0, 3, "the input sequence")?;
    let directions = match call.text_or("direction", "forward") {
        "forward" | "reverse" => 1,
        "bidirectional" => 2,
        other => {
            return Err(Fail::contradiction(format!("{} has \"direction\" {other:?}", call.op)));
        }
    };
    let hidden = match call.int("hidden_size") {
        Some(size) if size > 0 => Some(Expr::from(size)),
        _ => dim(call, 2, hidden_axis),
    };
    let hidden = hidden.unwrap_or_else(|| call.fresh("the width of the state"));
    let dtype = first_dtype(call, &[0, 3]);
    let last = [Expr::from(directions), input[1].clone(), hidden];
    let all = [input[0].clone()].into_iter().chain(last.clone());
    let last = Fact::tensor(dtype, last);
    Ok(vec![Fact::tensor(dtype, all), last.clone(), last])
}

/// `DynamicQuantizeLSTM`: as the standard's `LSTM`, with its weights turned over.
pub(super) fn dynamic_quantize_lstm(call: &mut Call<'_>) -> Outcome {
    states(call, 1)
}

/// `AttnLSTM`: as the standard's `LSTM`, with attention over a memory.
pub(crate) fn attention_lstm(call: &mut Call<'_>) -> Outcome {
    states(call, 2)
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, text, told};

    #[test]
    fn states_of_all_steps_and_the_last() {
        let inputs = ["float32[S, B, 16]", "int8[2, 16, 128]", "int8[2, 32, 128]"];
        let both = [("direction", text("bidirectional")), ("hidden_size", int(32))];
        let wanted = ["float32[S, 2, B, 32]", "float32[2, B, 32]", "float32[2, B, 32]"];
        assert_eq!(told("com.microsoft", "DynamicQuantizeLSTM", &inputs, &both, 3), wanted);
        assert_eq!(told("com.microsoft", "DynamicQuantizeLSTM", &inputs, &both[..1], 3), wanted);
    }
}
