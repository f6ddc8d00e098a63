//! Matrix products, convolutions, attention and recurrent layers.

use super::{ATEN, FRAMEWORKS, Mapped, Op, narrow};
use crate::pytorch::export::schema::Argument;

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.base {
        "linear" => {
            op.take(&["input", "weight", "bias"]);
            // The weights have a row for each output.
            op.call.is_of(FRAMEWORKS, "Linear").input_order(1, &[1, 0]);
        }
        "mm" | "bmm" | "matmul" | "mv" | "dot" => _ = op.call.is("MatMul"),
        "addmm" => {
            op.take(&["mat1", "mat2", "self"]);
            let (alpha, beta) = (op.float_or("alpha", 1.0), op.float_or("beta", 1.0));
            op.call.is("Gemm").float("alpha", narrow(alpha)).float("beta", narrow(beta));
        }
        "baddbmm" => {
            op.take(&["self", "batch1", "batch2"]);
            op.call.is_of(ATEN, "baddbmm");
        }
        "einsum" => {
            let Some(equation) = op.text("equation").map(str::to_owned) else { return Ok(()) };
            op.call.is("Einsum").text("equation", &equation);
        }
        "conv1d" => return convolution(op, 1, false),
        "conv2d" => return convolution(op, 2, false),
        "conv3d" => return convolution(op, 3, false),
        "conv_transpose1d" => return convolution(op, 1, true),
        "conv_transpose2d" => return convolution(op, 2, true),
        "conv_transpose3d" => return convolution(op, 3, true),
        "convolution" | "_convolution" => {
            let Some(axes) = op.rank("weight").and_then(|rank| rank.checked_sub(2)) else {
                return Ok(());
            };
            return convolution(op, axes, op.flag("transposed"));
        }
        "scaled_dot_product_attention"
        | "_scaled_dot_product_attention_math"
        | "_scaled_dot_product_cudnn_attention"
        | "_scaled_dot_product_efficient_attention"
        | "_scaled_dot_product_flash_attention"
        | "_scaled_dot_product_flash_attention_for_cpu"
        | "_scaled_dot_product_fused_attention_overrideable" => attention(op),
        "lstm" | "gru" | "rnn_tanh" | "rnn_relu" => recurrent(op, &["params", "hx"]),
        "lstm_cell" | "gru_cell" | "rnn_tanh_cell" | "rnn_relu_cell" => {
            recurrent(op, &["w_ih", "w_hh", "b_ih", "b_hh", "hx"]);
        }
        _ => {}
    }
    Ok(())
}

fn convolution(op: &mut Op<'_, '_, '_>, axes: usize, is_transposed: bool) -> Mapped {
    // Without a batch the input has a dimension less than ONNX convolves.
    let ranks = (op.rank("input"), op.rank("weight"));
    if ranks.0 != Some(axes + 2) || ranks.1 != Some(axes + 2) {
        return Ok(());
    }
    let stride = op.spatial("stride", axes, 1);
    let dilation = op.spatial("dilation", axes, 1);
    let (Some(stride), Some(dilation)) = (stride, dilation) else { return Ok(()) };
    let padding = match op.text("padding") {
        Some(_) => None,
        None => op.spatial("padding", axes, 0),
    };
    let groups = op.int_or("groups", 1);
    op.take(&["input", "weight", "bias"]);
    match (padding, op.text("padding")) {
        (Some(padding), _) => {
            let pads = [padding.as_slice(), padding.as_slice()].concat();
            op.call.ints("pads", &pads);
        }
        (None, Some("same")) => _ = op.call.text("auto_pad", "SAME_UPPER"),
        (None, Some("valid")) => {}
        _ => return Ok(()),
    }
    op.call.ints("strides", &stride).ints("dilations", &dilation).int("group", groups);
    if is_transposed {
        let Some(extra) = op.spatial("output_padding", axes, 0) else { return Ok(()) };
        op.call.is("ConvTranspose").ints("output_padding", &extra);
    } else {
        op.call.is("Conv");
    }
    Ok(())
}

fn attention(op: &mut Op<'_, '_, '_>) {
    let mask = if op.has("attn_bias") { "attn_bias" } else { "attn_mask" };
    let rank = op.rank("query");
    op.take(&["query", "key", "value", mask]);
    match rank {
        Some(4) => {}
        // One head, whose dimension of heads is left out.
        Some(3) => _ = op.call.int("q_num_heads", 1).int("kv_num_heads", 1),
        _ => return,
    }
    let is_causal = i64::from(op.flag("is_causal"));
    op.call.is("Attention").int("is_causal", is_causal);
    if op.has("scale") {
        let scale = narrow(op.float_or("scale", 1.0));
        op.call.float("scale", scale);
    }
    op.keep_outputs(1);
}

/// Layers or cells: the input, then the weights, then the states.
fn recurrent(op: &mut Op<'_, '_, '_>, others: &[&str]) {
    let mut inputs = vec![op.tensor("input")];
    let mut states = 0;
    for name in others {
        let before = inputs.len();
        match op.argument(name) {
            Some(Argument::Tensor(name)) => inputs.push(op.value(name)),
            Some(Argument::Tensors(names)) => {
                for name in names.iter().flatten() {
                    inputs.push(op.value(name));
                }
            }
            _ => {}
        }
        if *name == "hx" {
            states = inputs.len() - before;
        }
    }
    op.call.inputs = inputs;
    let states = i64::try_from(states).unwrap_or(i64::MAX);
    op.call.is_of(ATEN, "rnn").int("states", states);
}
