//! Mamba: layers of a selective state space in place of attention.

use calipers_ir::assembly::{Call, Setting};
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::families::NormKind;
use crate::graph::{BATCH, Built, FRAMEWORKS, Graph, MICROSOFT, SEQUENCE};
use crate::names::Role::*;
use crate::names::{Convention, Names};
use crate::network::Activation;
use crate::products::Form;
use crate::weights::Stack;

const NORM: (NormKind, f32) = (NormKind::Rms, 1e-5);

/// More layers than any network has.
const MAX_LAYERS: i64 = 1024;

/// The names of Transformers.
pub(crate) static NAMES: Names = Names {
    root: "backbone.",
    layer: "layers.{}.",
    roles: &[
        (Embedding, "embeddings"),
        (Embedding, "embedding"),
        (FinalNorm, "norm_f"),
        (Head, "lm_head"),
        (AttentionNorm, "norm"),
        (StateIn, "mixer.in_proj"),
        (StateConv, "mixer.conv1d"),
        (StateInputs, "mixer.x_proj"),
        (StateStep, "mixer.dt_proj"),
        (StateDecay, "mixer.A_log"),
        (StateSkip, "mixer.D"),
        (StateOut, "mixer.out_proj"),
    ],
};

/// The names of llama.cpp.
pub(crate) static GGUF: Names = Names {
    root: "",
    layer: "blk.{}.",
    roles: &[
        (Embedding, "token_embd"),
        (FinalNorm, "output_norm"),
        (Head, "output"),
        (AttentionNorm, "attn_norm"),
        (StateIn, "ssm_in"),
        (StateConv, "ssm_conv1d"),
        (StateInputs, "ssm_x"),
        (StateStep, "ssm_dt"),
        (StateDecay, "ssm_a"),
        (StateSkip, "ssm_d"),
        (StateOut, "ssm_out"),
    ],
};

/// The sizes of a layer.
#[derive(Clone, Copy)]
struct Sizes {
    hidden: i64,
    inner: i64,
    state: i64,
    rank: i64,
    kernel: i64,
}

/// Adds the graph of Mamba.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network) -> Built<bool> {
    let stack = &network.stack;
    let (Some(layers), Some(hidden)) = (stack.layers, stack.hidden) else { return Ok(false) };
    let is_gguf = network.convention == Convention::Gguf;
    let names = if is_gguf { &GGUF } else { &NAMES };
    let tensors = g.weights.stack(names);
    let path = g.weights.path(&tensors, Embedding).unwrap_or_default();
    let Some(vocabulary) = g.rows(&path, stack.vocabulary).filter(|_| layers <= MAX_LAYERS) else {
        return Ok(false);
    };
    let state = &network.state;
    let sizes = Sizes {
        hidden,
        inner: state.inner.unwrap_or(2 * hidden),
        state: state.size.unwrap_or(16),
        rank: state.rank.unwrap_or((hidden + 15) / 16),
        kernel: state.kernel.unwrap_or(4),
    };
    let ids = g.input("input_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let table = g.module(&path, hidden, vocabulary, Form::PLAIN)?;
    let mut x = g.within("backbone/embeddings", |g| g.lookup(&table, ids))?;
    for index in 0..layers {
        let scope = format!("backbone/layers.{index}");
        x = g.within(&scope, |g| layer(g, &tensors, index, sizes, x))?;
    }
    let path = g.weights.path(&tensors, FinalNorm);
    let x = g.norm(x, "backbone/norm_f", path, hidden, NORM)?;
    let path = g.weights.path(&tensors, Head).unwrap_or_default();
    let is_stored = g.weights.has(&path);
    let form = Form { whole: true, ..Form::PLAIN };
    let head = match is_stored || network.tied == Some(false) && g.weights.is_empty() {
        true => g.module(&path, hidden, vocabulary, form)?,
        false => table,
    };
    let dtype = g.dtype;
    g.output("logits", dtype, &[BATCH, SEQUENCE, vocabulary.into()])?;
    g.within("lm_head", |g| g.product(x, &head))?;
    Ok(true)
}

fn layer(
    g: &mut Graph<'_, '_>,
    stack: &Stack,
    index: i64,
    sizes: Sizes,
    x: NameId,
) -> Built<NameId> {
    let Sizes { hidden, inner, state, rank, kernel } = sizes;
    let path = |g: &Graph<'_, '_>, role| g.weights.in_layer(stack, index, role, None);
    let norm = path(g, AttentionNorm);
    let normed = g.norm(x, "norm", norm, hidden, NORM)?;
    let mixed = g.within("mixer", |g| {
        let at = path(g, StateIn);
        let both = g.linear(normed, "in_proj", at, [hidden, 2 * inner], Form::PLAIN)?;
        let parts = g.split(both, &[inner, inner])?;
        let part = |at: usize| parts.get(at).copied().unwrap_or(both);
        let (stream, gate) = (part(0), part(1));
        let stream = convolve(g, stack, index, (inner, kernel), stream)?;
        let at = path(g, StateInputs);
        let widths = [inner, rank + 2 * state];
        let given = g.linear(stream, "x_proj", at, widths, Form::PLAIN)?;
        let parts = g.split(given, &[rank, state, state])?;
        let part = |at: usize| parts.get(at).copied().unwrap_or(given);
        let at = path(g, StateStep);
        let step = g.linear(part(0), "dt_proj", at, [rank, inner], Form::biased(true))?;
        let step = g.op("Softplus", &[step])?;
        let decay = parameter(g, path(g, StateDecay), &[inner, state])?;
        let skip = parameter(g, path(g, StateSkip), &[inner])?;
        let (dtype, cache) = (g.dtype, [BATCH, inner.into(), state.into()]);
        let before = g.input(&format!("past_ssm.{index}"), dtype, &cache)?;
        let after = g.declared_output(&format!("present_ssm.{index}"), dtype, &cache)?;
        let inputs = vec![stream, step, decay, part(1), part(2), skip, before];
        let mut call = Call { inputs, ..Call::default() };
        call.is_of(FRAMEWORKS, "SelectiveScan");
        let scanned = g.node_with(call, &[after])?;
        let gate = g.activate(gate, Activation::Silu)?;
        let gated = g.op("Mul", &[scanned, gate])?;
        let at = path(g, StateOut);
        g.linear(gated, "out_proj", at, [inner, hidden], Form::PLAIN)
    })?;
    g.op("Add", &[x, mixed])
}

/// A tensor without a module: its name ends with that of the parameter, or in `.weight`.
fn parameter(g: &mut Graph<'_, '_>, path: Option<String>, dims: &[i64]) -> Built<NameId> {
    let path = path.unwrap_or_default();
    let weight = format!("{path}.weight");
    let path = if g.weights.get(&weight).is_some() { weight } else { path };
    let dtype = g.stored_dtype;
    g.tensor(&path, dims, dtype)
}

/// The convolution of each channel with what came before.
fn convolve(
    g: &mut Graph<'_, '_>,
    stack: &Stack,
    index: i64,
    (inner, kernel): (i64, i64),
    x: NameId,
) -> Built<NameId> {
    let path = g.weights.in_layer(stack, index, StateConv, None).unwrap_or_default();
    let (dtype, stored) = (g.dtype, g.stored_dtype);
    let weight = format!("{path}.weight");
    let is_flat = g.weights.get(&weight).is_some_and(|it| it.dims.len() == 2);
    let mut filters = g.tensor(&weight, &[inner, 1, kernel], stored)?;
    let bias = g.tensor(&format!("{path}.bias"), &[inner], stored)?;
    let cache = [BATCH, inner.into(), (kernel - 1).into()];
    g.within("conv1d", |g| {
        if is_flat {
            filters = g.reshape(filters, &[inner, 1, kernel])?;
        }
        let turned = g.transpose(x, &[0, 2, 1])?;
        let before = g.input(&format!("past_conv.{index}"), dtype, &cache)?;
        let after = g.declared_output(&format!("present_conv.{index}"), dtype, &cache)?;
        let attributes = vec![("activation", Setting::Text("silu".to_owned()))];
        let inputs = vec![turned, filters, bias, before];
        let mut call = Call { inputs, attributes, ..Call::default() };
        call.is_of(MICROSOFT, "CausalConvWithState");
        let convolved = g.node_with(call, &[after])?;
        g.transpose(convolved, &[0, 2, 1])
    })
}
