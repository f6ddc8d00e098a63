//! T5: an encoder and a decoder with a relative position bias.

use calipers_ir::assembly::Setting;
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::blocks::{Attention, Context, FeedForward};
use crate::families::NormKind;
use crate::graph::{BATCH, Built, Graph, MICROSOFT, SEQUENCE, Size};
use crate::names::Role::*;
use crate::names::{Names, Role};
use crate::network::{Activation, Shape};
use crate::products::{Form, Linear};
use crate::weights::Stack;

const NORM: (NormKind, f32) = (NormKind::Rms, 1e-6);

/// Tokens of the encoder.
const READ: Size = Size::Named("encoder_sequence");

/// Buckets of the bias where nothing says how many.
const BUCKETS: i64 = 32;

static ENCODER: Names = Names {
    root: "",
    layer: "encoder.block.{}.",
    roles: &[
        (Embedding, "shared"),
        (Embedding, "encoder.embed_tokens"),
        (FinalNorm, "encoder.final_layer_norm"),
        (AttentionNorm, "layer.0.layer_norm"),
        (Query, "layer.0.SelfAttention.q"),
        (Key, "layer.0.SelfAttention.k"),
        (Value, "layer.0.SelfAttention.v"),
        (Output, "layer.0.SelfAttention.o"),
        (RelativeBias, "layer.0.SelfAttention.relative_attention_bias"),
        (FfnNorm, "layer.1.layer_norm"),
        (Gate, "layer.1.DenseReluDense.wi_0"),
        (Up, "layer.1.DenseReluDense.wi"),
        (Up, "layer.1.DenseReluDense.wi_1"),
        (Down, "layer.1.DenseReluDense.wo"),
    ],
};

/// The names of the decoder.
pub(crate) static DECODER: Names = Names {
    root: "",
    layer: "decoder.block.{}.",
    roles: &[
        (Head, "lm_head"),
        (FinalNorm, "decoder.final_layer_norm"),
        (AttentionNorm, "layer.0.layer_norm"),
        (Query, "layer.0.SelfAttention.q"),
        (Key, "layer.0.SelfAttention.k"),
        (Value, "layer.0.SelfAttention.v"),
        (Output, "layer.0.SelfAttention.o"),
        (RelativeBias, "layer.0.SelfAttention.relative_attention_bias"),
        (CrossNorm, "layer.1.layer_norm"),
        (CrossQuery, "layer.1.EncDecAttention.q"),
        (CrossKey, "layer.1.EncDecAttention.k"),
        (CrossValue, "layer.1.EncDecAttention.v"),
        (CrossOutput, "layer.1.EncDecAttention.o"),
        (FfnNorm, "layer.2.layer_norm"),
        (Gate, "layer.2.DenseReluDense.wi_0"),
        (Up, "layer.2.DenseReluDense.wi"),
        (Up, "layer.2.DenseReluDense.wi_1"),
        (Down, "layer.2.DenseReluDense.wo"),
    ],
};

/// One of the two stacks.
struct Side<'a> {
    network: &'a Network,
    stack: &'a Stack,
    scope: &'static str,
    shape: Shape,
    own: Context,
    /// What the other stack gives, and which of it is padding.
    cross: Option<Context>,
}

impl Side<'_> {
    fn path(&self, g: &Graph<'_, '_>, layer: i64, role: Role) -> Option<String> {
        g.weights.in_layer(self.stack, layer, role, None)
    }
}

/// Adds the graph of T5.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network) -> Built<bool> {
    let Some(mut read) = network.encoder.shape() else { return Ok(false) };
    // Encoders and decoders of T5 have as many layers, unless the decoder's are stated.
    let Some(written) = network.stack.shape() else { return Ok(false) };
    read.ffn = network.stack.ffn.unwrap_or(read.ffn);
    let encoder = g.weights.stack(&ENCODER);
    let decoder = g.weights.stack(&DECODER);
    let path = g.weights.path(&encoder, Embedding).unwrap_or_default();
    let Some(vocabulary) = g.rows(&path, network.stack.vocabulary) else { return Ok(false) };
    let hidden = read.hidden;
    let ids = g.input("input_ids", DType::Int64, &[BATCH, READ])?;
    let mask = g.input("attention_mask", DType::Int64, &[BATCH, READ])?;
    let written_ids = g.input("decoder_input_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let padding = g.whole("Cast", &[mask], &[("to", Setting::Int(6))])?;
    let table = g.module(&path, hidden, vocabulary, Form::PLAIN)?;

    let mut side = Side {
        network,
        stack: &encoder,
        scope: "encoder",
        shape: read,
        own: Context { padding: Some(padding), ..Context::default() },
        cross: None,
    };
    let memory = g.within("encoder", |g| stack(g, &mut side, &table, ids))?;
    let mut side = Side {
        network,
        stack: &decoder,
        scope: "decoder",
        shape: written,
        own: Context::default(),
        cross: Some(Context { memory: Some(memory), padding: Some(padding), ..Context::default() }),
    };
    let x = g.within("decoder", |g| stack(g, &mut side, &table, written_ids))?;

    let path = g.weights.path(&decoder, Head).unwrap_or_default();
    let is_stored = g.weights.has(&path);
    let is_tied = !is_stored && network.tied.unwrap_or(true);
    let form = Form { whole: true, ..Form::PLAIN };
    let head = if is_tied { table } else { g.module(&path, hidden, vocabulary, form)? };
    let dtype = g.dtype;
    g.output("logits", dtype, &[BATCH, SEQUENCE, vocabulary.into()])?;
    g.within("lm_head", |g| g.product(x, &head))?;
    Ok(true)
}

fn stack(g: &mut Graph<'_, '_>, side: &mut Side<'_>, table: &Linear, ids: NameId) -> Built<NameId> {
    let mut x = g.within("embed_tokens", |g| g.lookup(table, ids))?;
    side.own.bias = Some(g.within("block.0/layer.0/SelfAttention", |g| bias(g, side, ids))?);
    for index in 0..side.shape.layers {
        x = g.within(&format!("block.{index}"), |g| layer(g, side, index, x))?;
    }
    let path = g.weights.path(side.stack, FinalNorm);
    g.norm(x, "final_layer_norm", path, side.shape.hidden, NORM)
}

/// The bias of every layer, from the table of the first.
fn bias(g: &mut Graph<'_, '_>, side: &Side<'_>, ids: NameId) -> Built<NameId> {
    let path = side.path(g, 0, RelativeBias).unwrap_or_default();
    let buckets = g.rows(&path, side.network.buckets).unwrap_or(BUCKETS);
    let dtype = g.stored_dtype;
    let table = g.tensor(&format!("{path}.weight"), &[buckets, side.shape.heads], dtype)?;
    let length = g.length(ids, 1, false)?;
    let is_two_sided = i64::from(side.cross.is_none());
    let attributes =
        [("max_distance", Setting::Int(128)), ("is_bidirectional", Setting::Int(is_two_sided))];
    g.op_of(MICROSOFT, "RelativePositionBias", &[table, length, length], &attributes)
}

fn layer(g: &mut Graph<'_, '_>, side: &Side<'_>, index: i64, x: NameId) -> Built<NameId> {
    let Shape { hidden, ffn, heads, head_dim, .. } = side.shape;
    let attention = |g: &Graph<'_, '_>, roles: [Role; 4], is_causal| {
        let [query, key, value, output] = roles.map(|role| side.path(g, index, role));
        Attention {
            query,
            key,
            value,
            fused: None,
            output,
            heads,
            head_dim,
            widths: [hidden; 2],
            biases: [false; 4],
            is_causal,
            is_rotary: false,
        }
    };
    let normed = |g: &mut Graph<'_, '_>, x, scope: &str, role| {
        let path = side.path(g, index, role);
        g.norm(x, &format!("{scope}/layer_norm"), path, hidden, NORM)
    };
    let input = normed(g, x, "layer.0", AttentionNorm)?;
    let own = attention(g, [Query, Key, Value, Output], side.scope == "decoder");
    let attended = g.within("layer.0/SelfAttention", |g| own.add(g, input, side.own))?;
    let mut x = g.op("Add", &[x, attended])?;
    let mut feeds = "layer.1";
    if let Some(cross) = side.cross {
        let input = normed(g, x, "layer.1", CrossNorm)?;
        let roles = [CrossQuery, CrossKey, CrossValue, CrossOutput];
        let attend = attention(g, roles, false);
        let attended = g.within("layer.1/EncDecAttention", |g| attend.add(g, input, cross))?;
        x = g.op("Add", &[x, attended])?;
        feeds = "layer.2";
    }
    let input = normed(g, x, feeds, FfnNorm)?;
    let gate = side.path(g, index, Gate);
    let is_stored = gate.as_ref().is_some_and(|gate| g.weights.has(gate));
    let is_gated = is_stored || g.weights.is_empty() && side.network.gated == Some(true);
    let feed = FeedForward {
        up: match is_gated {
            // The layer that gates are given has another name.
            true => gate.as_ref().map(|gate| gate.replace("wi_0", "wi_1")),
            false => side.path(g, index, Up),
        },
        gate,
        down: side.path(g, index, Down),
        is_gated,
        is_fused: false,
        widths: [hidden, ffn],
        activation: match side.network.activation {
            // Gated layers are configured as "gelu", and approximate it.
            Some(Activation::Gelu) if is_gated => Activation::GeluTanh,
            Some(activation) => activation,
            None => Activation::Relu,
        },
        form: Form::PLAIN,
    };
    let fed = g.within(&format!("{feeds}/DenseReluDense"), |g| feed.add(g, input))?;
    g.op("Add", &[x, fed])
}
