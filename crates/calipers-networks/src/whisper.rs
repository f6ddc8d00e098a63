//! Whisper: convolutions over a spectrogram, an encoder and a decoder.

use calipers_ir::assembly::{Call, Setting};
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::blocks::{Attention, Context, FeedForward};
use crate::encoder::counted_off;
use crate::families::NormKind;
use crate::graph::{BATCH, Built, Graph, SEQUENCE, Size};
use crate::names::Role::*;
use crate::names::{Names, Role};
use crate::network::{Activation, Shape};
use crate::products::Form;
use crate::weights::Stack;

const NORM: (NormKind, f32) = (NormKind::Layer, 1e-5);

/// Bands and positions where nothing says how many.
const BANDS: i64 = 80;
const HEARD: i64 = 1500;
const WRITTEN: i64 = 448;

static ENCODER: Names = Names {
    root: "model.",
    layer: "encoder.layers.{}.",
    roles: &[
        (Positions, "encoder.embed_positions"),
        (FinalNorm, "encoder.layer_norm"),
        (AttentionNorm, "self_attn_layer_norm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.out_proj"),
        (FfnNorm, "final_layer_norm"),
        (Up, "fc1"),
        (Down, "fc2"),
    ],
};

/// The names of the decoder.
pub(crate) static DECODER: Names = Names {
    root: "model.",
    layer: "decoder.layers.{}.",
    roles: &[
        (Embedding, "decoder.embed_tokens"),
        (Positions, "decoder.embed_positions"),
        (FinalNorm, "decoder.layer_norm"),
        (Head, "proj_out"),
        (AttentionNorm, "self_attn_layer_norm"),
        (Query, "self_attn.q_proj"),
        (Key, "self_attn.k_proj"),
        (Value, "self_attn.v_proj"),
        (Output, "self_attn.out_proj"),
        (CrossNorm, "encoder_attn_layer_norm"),
        (CrossQuery, "encoder_attn.q_proj"),
        (CrossKey, "encoder_attn.k_proj"),
        (CrossValue, "encoder_attn.v_proj"),
        (CrossOutput, "encoder_attn.out_proj"),
        (FfnNorm, "final_layer_norm"),
        (Up, "fc1"),
        (Down, "fc2"),
    ],
};

/// Adds the graph of Whisper.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network) -> Built<bool> {
    let (Some(heard), Some(mut written)) = (network.encoder.shape(), network.stack.shape()) else {
        return Ok(false);
    };
    let encoder = g.weights.stack(&ENCODER);
    let decoder = g.weights.stack(&DECODER);
    let path = g.weights.path(&decoder, Embedding).unwrap_or_default();
    let Some(vocabulary) = g.rows(&path, network.stack.vocabulary) else { return Ok(false) };
    written.hidden = heard.hidden;
    let hidden = heard.hidden;
    let bands = network.bands.unwrap_or(BANDS);
    let places = network.encoder.context.unwrap_or(HEARD);
    let frames = Size::Fixed(places.saturating_mul(2));
    let dtype = g.dtype;
    let features = g.input("input_features", dtype, &[BATCH, bands.into(), frames])?;
    let ids = g.input("decoder_input_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let memory = g.within("encoder", |g| {
        let root = encoder.root().to_owned();
        let x = conv(g, &root, features, "conv1", [bands, hidden, 1])?;
        let x = conv(g, &root, x, "conv2", [hidden, hidden, 2])?;
        let x = g.transpose(x, &[0, 2, 1])?;
        let path = g.weights.path(&encoder, Positions).unwrap_or_default();
        let stored = g.stored_dtype;
        let positions = g.tensor(&format!("{path}.weight"), &[places, hidden], stored)?;
        let mut x = g.op("Add", &[x, positions])?;
        for index in 0..heard.layers {
            let scope = format!("layers.{index}");
            x = g.within(&scope, |g| layer(g, (&encoder, index), heard, x, None))?;
        }
        let path = g.weights.path(&encoder, FinalNorm);
        g.norm(x, "layer_norm", path, hidden, NORM)
    })?;
    let table = g.module(&path, hidden, vocabulary, Form::PLAIN)?;
    let x = g.within("decoder", |g| {
        let x = g.within("embed_tokens", |g| g.lookup(&table, ids))?;
        let path = g.weights.path(&decoder, Positions).unwrap_or_default();
        let described = network.stack.context.unwrap_or(WRITTEN);
        let rows = g.rows(&path, Some(described)).unwrap_or(described);
        let positions = g.module(&path, hidden, rows, Form { whole: true, ..Form::PLAIN })?;
        let placed = g.within("embed_positions", |g| {
            let places = counted_off(g, ids)?;
            g.lookup(&positions, places)
        })?;
        let mut x = g.op("Add", &[x, placed])?;
        for index in 0..written.layers {
            let scope = format!("layers.{index}");
            x = g.within(&scope, |g| layer(g, (&decoder, index), written, x, Some(memory)))?;
        }
        let path = g.weights.path(&decoder, FinalNorm);
        g.norm(x, "layer_norm", path, hidden, NORM)
    })?;
    let path = g.weights.path(&decoder, Head).unwrap_or_default();
    let is_stored = g.weights.has(&path);
    let form = Form { whole: true, ..Form::PLAIN };
    let head = if is_stored { g.module(&path, hidden, vocabulary, form)? } else { table };
    g.output("logits", dtype, &[BATCH, SEQUENCE, vocabulary.into()])?;
    g.within("proj_out", |g| g.product(x, &head))?;
    Ok(true)
}

/// A convolution of three frames, and its activation.
fn conv(
    g: &mut Graph<'_, '_>,
    root: &str,
    x: NameId,
    module: &str,
    [from, to, stride]: [i64; 3],
) -> Built<NameId> {
    let dtype = g.stored_dtype;
    let kernel = g.tensor(&format!("{root}encoder.{module}.weight"), &[to, from, 3], dtype)?;
    let bias = g.tensor(&format!("{root}encoder.{module}.bias"), &[to], dtype)?;
    let attributes = [
        ("kernel_shape", Setting::Ints(vec![3])),
        ("pads", Setting::Ints(vec![1, 1])),
        ("strides", Setting::Ints(vec![stride])),
    ];
    g.within(module, |g| {
        let inputs = vec![x, kernel, bias];
        let call = Call { op: "Conv", inputs, attributes: attributes.to_vec(), ..Call::default() };
        g.numbers(call)
    })
    .and_then(|x| g.activate(x, Activation::Gelu))
}

fn layer(
    g: &mut Graph<'_, '_>,
    (stack, index): (&Stack, i64),
    shape: Shape,
    x: NameId,
    memory: Option<NameId>,
) -> Built<NameId> {
    let Shape { hidden, ffn, heads, head_dim, .. } = shape;
    let path = |g: &Graph<'_, '_>, role| g.weights.in_layer(stack, index, role, None);
    let attention = |g: &Graph<'_, '_>, roles: [Role; 4], is_causal| {
        let [query, key, value, output] = roles.map(|role| path(g, role));
        Attention {
            query,
            key,
            value,
            fused: None,
            output,
            heads,
            head_dim,
            widths: [hidden; 2],
            biases: [true, false, true, true],
            is_causal,
            is_rotary: false,
        }
    };
    let normed = |g: &mut Graph<'_, '_>, x, scope: &str, role| {
        let path = path(g, role);
        g.norm(x, scope, path, hidden, NORM)
    };
    let input = normed(g, x, "self_attn_layer_norm", AttentionNorm)?;
    let own = attention(g, [Query, Key, Value, Output], memory.is_some());
    let attended = g.within("self_attn", |g| own.add(g, input, Context::default()))?;
    let mut x = g.op("Add", &[x, attended])?;
    if let Some(memory) = memory {
        let input = normed(g, x, "encoder_attn_layer_norm", CrossNorm)?;
        let cross = attention(g, [CrossQuery, CrossKey, CrossValue, CrossOutput], false);
        let context = Context { memory: Some(memory), ..Context::default() };
        let attended = g.within("encoder_attn", |g| cross.add(g, input, context))?;
        x = g.op("Add", &[x, attended])?;
    }
    let input = normed(g, x, "final_layer_norm", FfnNorm)?;
    let feed = FeedForward {
        gate: None,
        up: path(g, Up),
        down: path(g, Down),
        is_gated: false,
        is_fused: false,
        widths: [hidden, ffn],
        activation: Activation::Gelu,
        form: Form::biased(true),
    };
    let fed = g.within("mlp", |g| feed.add(g, input))?;
    g.op("Add", &[x, fed])
}
