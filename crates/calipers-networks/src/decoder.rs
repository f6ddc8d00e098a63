//! Decoders: one graph for all families, by what is particular to each.

use calipers_ir::assembly::{Call, Setting};
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::blocks::FeedForward;
use crate::experts;
use crate::families::{Decoder, Layout, NormKind, Positions, QueryNorms};
use crate::graph::{BATCH, Built, Graph, MICROSOFT, PAST, SEQUENCE, Size, TOTAL};
use crate::names::{self, Convention, Names, Role};
use crate::network::Shape;
use crate::products::{Form, Linear};
use crate::weights::Stack;

/// Tasks that a model ends in a layer of its own for.
const CLASSIFIES: [&str; 2] = ["ForSequenceClassification", "ForTokenClassification"];

/// A layer, and all that its parts need.
pub(crate) struct Layer<'a> {
    pub(crate) network: &'a Network,
    pub(crate) style: &'a Decoder,
    pub(crate) stack: &'a Stack,
    pub(crate) index: i64,
    pub(crate) shape: Shape,
    /// How many positions have been seen before the last, and how many there are.
    steps: [NameId; 2],
}

impl Layer<'_> {
    /// The module of a role.
    pub(crate) fn path(&self, g: &Graph<'_, '_>, role: Role) -> Option<String> {
        g.weights.in_layer(self.stack, self.index, role, None)
    }

    /// The module of a role of one expert.
    pub(crate) fn expert(&self, g: &Graph<'_, '_>, role: Role, expert: i64) -> Option<String> {
        g.weights.in_layer(self.stack, self.index, role, Some(expert))
    }

    /// Whether the module of a role is stored.
    pub(crate) fn has(&self, g: &Graph<'_, '_>, role: Role) -> bool {
        self.path(g, role).is_some_and(|path| g.weights.has(&path))
    }

    fn norm_kind(&self) -> (NormKind, f32) {
        (self.style.norm, EPSILON)
    }

    /// How a matrix is stored where the file does not show it.
    pub(crate) fn form(&self, g: &Graph<'_, '_>, bias: bool) -> Form {
        let is_gguf = g.weights.convention() == Convention::Gguf;
        Form { bias, inputs_first: self.style.has_inputs_first && !is_gguf, whole: false }
    }
}

/// What norms add to what they divide by, as most have it.
pub(crate) const EPSILON: f32 = 1e-5;

/// The names that a decoder's tensors have.
pub(crate) fn names_of(convention: Convention, names: &'static Names) -> &'static Names {
    match convention {
        Convention::HuggingFace => names,
        Convention::Gguf => &names::GGUF,
    }
}

/// Adds the graph of a decoder.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network, style: &Decoder) -> Built<bool> {
    let Some(shape) = network.stack.shape() else { return Ok(false) };
    let stack = g.weights.stack(names_of(network.convention, style.names));
    let path = g.weights.path(&stack, Role::Embedding).unwrap_or_default();
    let Some(vocabulary) = g.rows(&path, network.stack.vocabulary) else { return Ok(false) };
    let hidden = shape.hidden;
    let ids = g.input("input_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let mask = g.input("attention_mask", DType::Int64, &[BATCH, TOTAL])?;
    let table = g.module(&path, hidden, vocabulary, Form::PLAIN)?;
    let embedded = g.within("model", |g| {
        let embedded = g.within("embed_tokens", |g| g.lookup(&table, ids))?;
        embed(g, network, style, &stack, hidden, embedded)
    })?;
    let steps = g.within("model/attn_mask", |g| steps(g, mask))?;
    let mut x = embedded;
    for index in 0..shape.layers {
        let shape = network.stack.of_layer(&shape, index);
        let layer = Layer { network, style, stack: &stack, index, shape, steps };
        x = g.within(&format!("model/layers.{index}"), |g| add_layer(g, &layer, x))?;
    }
    let path = g.weights.path(&stack, Role::FinalNorm);
    let kind = (style.norm, EPSILON);
    let normed = g.within("model", |g| g.norm(x, "norm", path, hidden, kind));
    finish(g, network, style, &stack, normed?, (&table, vocabulary, hidden))?;
    Ok(true)
}

/// Scales the embeddings, or adds those of positions.
fn embed(
    g: &mut Graph<'_, '_>,
    network: &Network,
    style: &Decoder,
    stack: &Stack,
    hidden: i64,
    embedded: NameId,
) -> Built<NameId> {
    if style.scales_embeddings {
        // The root of a width fits a float.
        #[allow(clippy::cast_possible_truncation)]
        let root = f64::from(i32::try_from(hidden).unwrap_or(i32::MAX)).sqrt() as f32;
        let root = g.number(root)?;
        return g.op("Mul", &[embedded, root]);
    }
    let Positions::Learned(more) = style.positions else { return Ok(embedded) };
    let path = g.weights.path(stack, Role::Positions).unwrap_or_default();
    let described = network.stack.context.unwrap_or(1024).saturating_add(more);
    let rows = g.rows(&path, Some(described)).unwrap_or(described);
    let positions = g.input("position_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let form = Form { whole: true, ..Form::PLAIN };
    let table = g.module(&path, hidden, rows, form)?;
    let placed = g.within("embed_positions", |g| g.lookup(&table, positions))?;
    g.op("Add", &[embedded, placed])
}

/// How many positions each sequence has before its last, and how many the longest has.
fn steps(g: &mut Graph<'_, '_>, mask: NameId) -> Built<[NameId; 2]> {
    let to_int32 = [("to", Setting::Int(6))];
    let axis = g.integers(&[1])?;
    let one = g.integer(1)?;
    let count = g.whole("ReduceSum", &[mask, axis], &[("keepdims", Setting::Int(0))])?;
    let before = g.whole("Sub", &[count, one], &[])?;
    let before = g.whole("Cast", &[before], &to_int32)?;
    let total = g.length(mask, 1, true)?;
    let total = g.whole("Cast", &[total], &to_int32)?;
    Ok([before, total])
}

fn add_layer(g: &mut Graph<'_, '_>, layer: &Layer<'_>, x: NameId) -> Built<NameId> {
    let kind = layer.norm_kind();
    let norm = |g: &mut Graph<'_, '_>, x, scope: &str, role| {
        let path = layer.path(g, role);
        g.norm(x, scope, path, layer.shape.hidden, kind)
    };
    let attend = |g: &mut Graph<'_, '_>, x| g.within("self_attn", |g| attention(g, layer, x));
    let feed = |g: &mut Graph<'_, '_>, x| g.within("mlp", |g| feed_forward(g, layer, x));
    // Where the description says that the sublayers of a family are not parallel, they are not.
    let layout = match (layer.style.layout, layer.network.is_parallel) {
        (Layout::ParallelNorms, Some(false)) => Layout::Sequential,
        (layout, _) => layout,
    };
    match layout {
        Layout::Sequential => {
            let normed = norm(g, x, "input_layernorm", Role::AttentionNorm)?;
            let attended = attend(g, normed)?;
            let x = g.op("Add", &[x, attended])?;
            let normed = norm(g, x, "post_attention_layernorm", Role::FfnNorm)?;
            let fed = feed(g, normed)?;
            g.op("Add", &[x, fed])
        }
        Layout::Sandwich => {
            let normed = norm(g, x, "input_layernorm", Role::AttentionNorm)?;
            let attended = attend(g, normed)?;
            let normed = norm(g, attended, "post_attention_layernorm", Role::AfterAttention)?;
            let x = g.op("Add", &[x, normed])?;
            let normed = norm(g, x, "pre_feedforward_layernorm", Role::FfnNorm)?;
            let fed = feed(g, normed)?;
            let normed = norm(g, fed, "post_feedforward_layernorm", Role::AfterFfn)?;
            g.op("Add", &[x, normed])
        }
        Layout::After => {
            let attended = attend(g, x)?;
            let normed = norm(g, attended, "post_attention_layernorm", Role::AfterAttention)?;
            let x = g.op("Add", &[x, normed])?;
            let fed = feed(g, x)?;
            let normed = norm(g, fed, "post_feedforward_layernorm", Role::AfterFfn)?;
            g.op("Add", &[x, normed])
        }
        Layout::Parallel | Layout::ParallelNorms => {
            let normed = norm(g, x, "input_layernorm", Role::AttentionNorm)?;
            let attended = attend(g, normed)?;
            let normed = match layout {
                Layout::Parallel => normed,
                _ => norm(g, x, "post_attention_layernorm", Role::FfnNorm)?,
            };
            let fed = feed(g, normed)?;
            let both = g.op("Add", &[attended, fed])?;
            g.op("Add", &[both, x])
        }
    }
}

/// Attention over the cache and what is new.
fn attention(g: &mut Graph<'_, '_>, layer: &Layer<'_>, x: NameId) -> Built<NameId> {
    let Shape { hidden, heads, kv_heads, head_dim, .. } = layer.shape;
    let (wide, narrow) = (heads * head_dim, kv_heads * head_dim);
    let biases = layer.style.biases;
    let biased = layer.network.attention_bias.unwrap_or(biases.query_key_value);
    let form = layer.form(g, biased);
    let is_fused =
        layer.has(g, Role::Fused) || layer.style.has_fused_qkv && !layer.has(g, Role::Query);
    let norms = layer.style.query_norms != QueryNorms::None || layer.has(g, Role::QueryNorm);
    let none = g.none();
    let [query, key, value] = if is_fused {
        let path = layer.path(g, Role::Fused);
        let fused = g.linear(x, "qkv_proj", path, [hidden, wide + 2 * narrow], form)?;
        if norms {
            let parts = g.split(fused, &[wide, narrow, narrow])?;
            [0, 1, 2].map(|part| parts.get(part).copied().unwrap_or(none))
        } else {
            [fused, none, none]
        }
    } else {
        let mut project = |scope: &str, role, width| {
            let path = layer.path(g, role);
            g.linear(x, scope, path, [hidden, width], form)
        };
        [
            project("q_proj", Role::Query, wide)?,
            project("k_proj", Role::Key, narrow)?,
            project("v_proj", Role::Value, narrow)?,
        ]
    };
    let (query, key) = if norms {
        (
            head_norm(g, layer, query, ("q_norm", Role::QueryNorm), heads)?,
            head_norm(g, layer, key, ("k_norm", Role::KeyNorm), kv_heads)?,
        )
    } else {
        (query, key)
    };
    let attended = attend_cached(g, layer, [query, key, value])?;
    let form = layer.form(g, layer.network.output_bias.unwrap_or(biases.output));
    let path = layer.path(g, Role::Output);
    g.linear(attended, "o_proj", path, [wide, hidden], form)
}

/// The norm on queries or keys: of each head, or of all together.
fn head_norm(
    g: &mut Graph<'_, '_>,
    layer: &Layer<'_>,
    x: NameId,
    (scope, role): (&str, Role),
    heads: i64,
) -> Built<NameId> {
    let width = heads * layer.shape.head_dim;
    let path = layer.path(g, role);
    let stored = path.as_ref().and_then(|path| g.weights.get(&format!("{path}.weight")));
    let is_whole = match stored.map(|it| it.dims.as_slice()) {
        Some([stored]) => *stored == width,
        _ => layer.style.query_norms == QueryNorms::Whole,
    };
    let kind = layer.norm_kind();
    if is_whole {
        return g.norm(x, scope, path, width, kind);
    }
    let by_head = g.reshape(x, &[0, 0, heads, layer.shape.head_dim])?;
    let normed = g.norm(by_head, scope, path, layer.shape.head_dim, kind)?;
    g.reshape(normed, &[0, 0, width])
}

fn attend_cached(
    g: &mut Graph<'_, '_>,
    layer: &Layer<'_>,
    [query, key, value]: [NameId; 3],
) -> Built<NameId> {
    let Shape { heads, kv_heads, head_dim, .. } = layer.shape;
    let (index, none) = (layer.index, g.none());
    let cache = |length: Size| [BATCH, Size::Fixed(kv_heads), length, Size::Fixed(head_dim)];
    let dtype = g.cache_dtype;
    let mut inputs = vec![query, key, value];
    let mut presents = Vec::new();
    for part in ["key", "value"] {
        inputs.push(g.input(&format!("past_key_values.{index}.{part}"), dtype, &cache(PAST))?);
        let present = format!("present.{index}.{part}");
        presents.push(g.declared_output(&present, dtype, &cache(TOTAL))?);
    }
    inputs.extend(layer.steps);
    if layer.style.has_sinks || layer.has(g, Role::Sinks) {
        let path = layer.path(g, Role::Sinks).unwrap_or_default();
        let stored = format!("{path}.weight");
        let path = if g.weights.get(&path).is_some()
            || layer.network.convention == Convention::HuggingFace
        {
            path
        } else {
            stored
        };
        let sinks = g.tensor(&path, &[heads], g.stored_dtype)?;
        inputs.extend([none, none, none, none, sinks]);
    }
    let mut call = Call { inputs, ..Call::default() };
    call.is_of(MICROSOFT, "GroupQueryAttention");
    call.int("num_heads", heads).int("kv_num_heads", kv_heads);
    if layer.style.positions == Positions::Rotary {
        call.int("do_rotary", 1);
    }
    if let Some(window) = layer.network.windows.of_layer(index, layer.style.period) {
        call.int("local_window_size", window);
    }
    g.node_with(call, &presents)
}

fn feed_forward(g: &mut Graph<'_, '_>, layer: &Layer<'_>, x: NameId) -> Built<NameId> {
    if experts::are_in(g, layer) {
        return experts::mixture(g, layer, x);
    }
    let style = layer.style;
    let is_fused = style.has_fused_gate && !layer.has(g, Role::Gate);
    let form = layer.form(g, style.biases.ffn);
    let paths = FeedForward {
        gate: if is_fused { layer.path(g, Role::FusedGate) } else { layer.path(g, Role::Gate) },
        up: layer.path(g, Role::Up),
        down: layer.path(g, Role::Down),
        is_gated: style.is_gated,
        is_fused,
        widths: [layer.shape.hidden, layer.shape.ffn],
        activation: layer.network.activation.unwrap_or(style.activation),
        form,
    };
    paths.add(g, x)
}

/// Adds the layer that gives what the model is for.
fn finish(
    g: &mut Graph<'_, '_>,
    network: &Network,
    style: &Decoder,
    stack: &Stack,
    x: NameId,
    (table, vocabulary, hidden): (&Linear, i64, i64),
) -> Built<()> {
    let dtype = g.dtype;
    let architecture = network.architecture.as_str();
    if CLASSIFIES.iter().any(|task| architecture.ends_with(task)) {
        let classes = g.rows("score", network.classes).unwrap_or(2);
        let score = g.module("score", hidden, classes, Form { whole: true, ..Form::PLAIN })?;
        g.output("logits", dtype, &[BATCH, SEQUENCE, classes.into()])?;
        g.within("score", |g| g.product(x, &score))?;
        return Ok(());
    }
    let path = g.weights.path(stack, Role::Head).unwrap_or_default();
    let is_stored = g.weights.has(&path);
    let is_base = architecture.ends_with("Model") && !architecture.ends_with("LMHeadModel");
    if is_base && !is_stored && network.convention == Convention::HuggingFace {
        g.output("last_hidden_state", dtype, &[BATCH, SEQUENCE, hidden.into()])?;
        g.op("Identity", &[x])?;
        return Ok(());
    }
    let is_gguf = network.convention == Convention::Gguf;
    let is_tied = !is_stored && network.tied.unwrap_or(style.is_tied || is_gguf);
    // Files without a head share the table, whatever the description leaves out.
    let is_tied = is_tied || !is_stored && !g.weights.is_empty() && network.tied.is_none();
    let form = Form { bias: style.biases.head, inputs_first: false, whole: true };
    let head = if is_tied { table.clone() } else { g.module(&path, hidden, vocabulary, form)? };
    g.output("logits", dtype, &[BATCH, SEQUENCE, vocabulary.into()])?;
    g.within("lm_head", |g| g.product(x, &head))?;
    Ok(())
}
