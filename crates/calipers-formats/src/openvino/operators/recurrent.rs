//! Recurrent layers. Sequences have the batch first in every operand.

use calipers_ir::assembly::{Assembly, Call};

use super::{Found, arrange, own};
use crate::openvino::graph::Site;

pub(super) fn translate(site: Site<'_>, assembly: &mut Assembly<'_>, call: &mut Call) -> Found {
    let layer = site.layer;
    let empty = assembly.none();
    // Here: the input, the states, the lengths, and the weights.
    match layer.kind.as_str() {
        "LSTMSequence" => {
            call.is("LSTM");
            let order = [0, 4, 5, 6, 3, 1, 2].map(Some);
            arrange(call, &order, empty);
            call.input_order(6, &[1, 0, 2]).output_order(2, &[1, 0, 2]);
        }
        "GRUSequence" | "RNNSequence" => {
            call.is(if layer.kind == "GRUSequence" { "GRU" } else { "RNN" });
            let order = [0, 3, 4, 5, 2, 1].map(Some);
            arrange(call, &order, empty);
            if layer.flag("linear_before_reset").unwrap_or(false) {
                call.int("linear_before_reset", 1);
            }
        }
        "LSTMCell" => own(call, "LSTMCell"),
        "GRUCell" => own(call, "GRUCell"),
        "RNNCell" => own(call, "RNNCell"),
        _ => return Ok(false),
    }
    if layer.kind.ends_with("Sequence") {
        let direction = match layer.text("direction") {
            Some("reverse") => "reverse",
            Some("bidirectional") => "bidirectional",
            _ => "forward",
        };
        call.text("direction", direction);
        if let Some(hidden) = layer.int("hidden_size") {
            call.int("hidden_size", hidden);
        }
        call.input_order(0, &[1, 0, 2]).input_order(5, &[1, 0, 2]);
        // All states: steps, directions, batch, width in the row; the batch first here.
        call.output_order(0, &[2, 1, 0, 3]).output_order(1, &[1, 0, 2]);
    }
    Ok(true)
}
