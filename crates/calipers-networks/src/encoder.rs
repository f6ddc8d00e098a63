//! Encoders of tokens: BERT and those like it.

use calipers_ir::assembly::Setting;
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::blocks::{Attention, Context, FeedForward};
use crate::decoder::names_of;
use crate::families::NormKind;
use crate::graph::{BATCH, Built, Graph, SEQUENCE};
use crate::names::Role::*;
use crate::names::{Convention, Names, Role};
use crate::network::{Activation, Shape};
use crate::products::{Form, Linear};
use crate::weights::Stack;

/// What norms of encoders add to what they divide by.
const NORM: (NormKind, f32) = (NormKind::Layer, 1e-12);

/// How positions enter an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Places {
    /// A table, from its first row on.
    Table,
    /// A table, by the number of tokens that are not padding.
    Counted,
    /// Queries and keys are turned.
    Rotary,
}

/// A family of encoders.
#[derive(Debug)]
pub(crate) struct Encoder {
    pub(crate) names: &'static Names,
    positions: Places,
    /// Whether an input says which segment each token is in.
    takes_segments: bool,
    has_biases: bool,
    has_fused_qkv: bool,
    is_gated: bool,
    activation: Activation,
    /// The layer, the norm and the product of a head that fills in words.
    words: [&'static str; 3],
    /// The layer before the classifier.
    pooler: &'static str,
    /// The classifier.
    classifier: &'static str,
}

static BERT_NAMES: Names = Names {
    root: "bert.",
    layer: "encoder.layer.{}.",
    roles: &[
        (Embedding, "embeddings.word_embeddings"),
        (Positions, "embeddings.position_embeddings"),
        (Segments, "embeddings.token_type_embeddings"),
        (EmbeddingNorm, "embeddings.LayerNorm"),
        (Query, "attention.self.query"),
        (Key, "attention.self.key"),
        (Value, "attention.self.value"),
        (Output, "attention.output.dense"),
        (AfterAttention, "attention.output.LayerNorm"),
        (Up, "intermediate.dense"),
        (Down, "output.dense"),
        (AfterFfn, "output.LayerNorm"),
    ],
};

static ROBERTA_NAMES: Names = Names { root: "roberta.", ..BERT_NAMES };

static DISTILBERT_NAMES: Names = Names {
    root: "distilbert.",
    layer: "transformer.layer.{}.",
    roles: &[
        (Embedding, "embeddings.word_embeddings"),
        (Positions, "embeddings.position_embeddings"),
        (EmbeddingNorm, "embeddings.LayerNorm"),
        (Query, "attention.q_lin"),
        (Key, "attention.k_lin"),
        (Value, "attention.v_lin"),
        (Output, "attention.out_lin"),
        (AfterAttention, "sa_layer_norm"),
        (Up, "ffn.lin1"),
        (Down, "ffn.lin2"),
        (AfterFfn, "output_layer_norm"),
    ],
};

static NOMIC_NAMES: Names = Names {
    root: "",
    layer: "encoder.layers.{}.",
    roles: &[
        (Embedding, "embeddings.word_embeddings"),
        (Segments, "embeddings.token_type_embeddings"),
        (EmbeddingNorm, "emb_ln"),
        (Fused, "attn.Wqkv"),
        (Output, "attn.out_proj"),
        (AfterAttention, "norm1"),
        (Up, "mlp.fc11"),
        (Gate, "mlp.fc12"),
        (Down, "mlp.fc2"),
        (AfterFfn, "norm2"),
    ],
};

pub(crate) static BERT: Encoder = Encoder {
    names: &BERT_NAMES,
    positions: Places::Table,
    takes_segments: true,
    has_biases: true,
    has_fused_qkv: false,
    is_gated: false,
    activation: Activation::Gelu,
    words: [
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions.decoder",
    ],
    pooler: "pooler.dense",
    classifier: "classifier",
};

pub(crate) static ROBERTA: Encoder = Encoder {
    names: &ROBERTA_NAMES,
    positions: Places::Counted,
    takes_segments: false,
    words: ["lm_head.dense", "lm_head.layer_norm", "lm_head.decoder"],
    pooler: "classifier.dense",
    classifier: "classifier.out_proj",
    ..BERT
};

pub(crate) static DISTILBERT: Encoder = Encoder {
    names: &DISTILBERT_NAMES,
    takes_segments: false,
    words: ["vocab_transform", "vocab_layer_norm", "vocab_projector"],
    pooler: "pre_classifier",
    ..BERT
};

pub(crate) static NOMIC: Encoder = Encoder {
    names: &NOMIC_NAMES,
    positions: Places::Rotary,
    has_biases: false,
    has_fused_qkv: true,
    is_gated: true,
    activation: Activation::Silu,
    ..BERT
};

/// The parts of an encoder that its layers share.
struct Parts<'a> {
    network: &'a Network,
    style: &'a Encoder,
    stack: &'a Stack,
    shape: Shape,
    context: Context,
}

/// Adds the graph of an encoder.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network, style: &Encoder) -> Built<bool> {
    let Some(shape) = network.stack.shape() else { return Ok(false) };
    let stack = g.weights.stack(names_of(network.convention, style.names));
    let path = g.weights.path(&stack, Embedding).unwrap_or_default();
    let Some(vocabulary) = g.rows(&path, network.stack.vocabulary) else { return Ok(false) };
    let ids = g.input("input_ids", DType::Int64, &[BATCH, SEQUENCE])?;
    let mask = g.input("attention_mask", DType::Int64, &[BATCH, SEQUENCE])?;
    let table = g.module(&path, shape.hidden, vocabulary, Form::PLAIN)?;
    let mut parts = Parts { network, style, stack: &stack, shape, context: Context::default() };
    let mut x = g.within("embeddings", |g| {
        let x = g.within("word_embeddings", |g| g.lookup(&table, ids))?;
        let x = add_segments(g, &parts, x)?;
        let x = add_positions(g, &parts, ids, x)?;
        let path = g.weights.path(&stack, EmbeddingNorm);
        g.norm(x, "LayerNorm", path, shape.hidden, NORM)
    })?;
    parts.context.padding = Some(g.whole("Cast", &[mask], &[("to", Setting::Int(6))])?);
    if style.positions == Places::Rotary {
        let positions = g.within("positions", |g| counted_off(g, ids))?;
        let axis = g.integers(&[0])?;
        parts.context.positions = Some(g.whole("Unsqueeze", &[positions, axis], &[])?);
    }
    for index in 0..shape.layers {
        x = g.within(&format!("encoder/layer.{index}"), |g| layer(g, &parts, index, x))?;
    }
    finish(g, &parts, x, (&table, vocabulary))?;
    Ok(true)
}

/// The numbers of the places of a sequence.
pub(crate) fn counted_off(g: &mut Graph<'_, '_>, ids: NameId) -> Built<NameId> {
    let length = g.length(ids, 1, true)?;
    let (from, step) = (g.integer(0)?, g.integer(1)?);
    g.whole("Range", &[from, length, step], &[])
}

fn add_segments(g: &mut Graph<'_, '_>, parts: &Parts<'_>, x: NameId) -> Built<NameId> {
    let described = parts.network.segments.unwrap_or(2);
    let Some(path) = g.weights.path(parts.stack, Segments) else { return Ok(x) };
    let is_stored = g.weights.has(&path);
    let is_described = g.weights.is_empty() && parts.style.takes_segments;
    if !is_stored && !is_described {
        return Ok(x);
    }
    let rows = g.rows(&path, Some(described)).unwrap_or(described);
    let form = Form { whole: true, ..Form::PLAIN };
    let table = g.module(&path, parts.shape.hidden, rows, form)?;
    // llama.cpp and RoBERTa have all tokens in the first segment.
    let is_given =
        parts.style.takes_segments && parts.network.convention == Convention::HuggingFace;
    let ids = match is_given && rows > 1 {
        true => g.input("token_type_ids", DType::Int64, &[BATCH, SEQUENCE])?,
        false => g.integers(&[0])?,
    };
    let rows = g.within("token_type_embeddings", |g| g.lookup(&table, ids))?;
    g.op("Add", &[x, rows])
}

fn add_positions(
    g: &mut Graph<'_, '_>,
    parts: &Parts<'_>,
    ids: NameId,
    x: NameId,
) -> Built<NameId> {
    if parts.style.positions == Places::Rotary {
        return Ok(x);
    }
    let Some(path) = g.weights.path(parts.stack, Role::Positions) else { return Ok(x) };
    let described = parts.network.stack.context.unwrap_or(512);
    let rows = g.rows(&path, Some(described)).unwrap_or(described);
    let form = Form { whole: true, ..Form::PLAIN };
    let table = g.module(&path, parts.shape.hidden, rows, form)?;
    let rows = g.within("position_embeddings", |g| {
        let places = match parts.style.positions {
            Places::Counted => counted(g, ids)?,
            _ => counted_off(g, ids)?,
        };
        g.lookup(&table, places)
    })?;
    g.op("Add", &[x, rows])
}

/// The number of each token among those that are not padding.
fn counted(g: &mut Graph<'_, '_>, ids: NameId) -> Built<NameId> {
    let (padding, axis) = (g.integer(1)?, g.integer(1)?);
    let is_padding = g.whole("Equal", &[ids, padding], &[])?;
    let is_token = g.whole("Not", &[is_padding], &[])?;
    let tokens = g.whole("Cast", &[is_token], &[("to", Setting::Int(7))])?;
    let sums = g.whole("CumSum", &[tokens, axis], &[])?;
    let counted = g.whole("Mul", &[sums, tokens], &[])?;
    g.whole("Add", &[counted, padding], &[])
}

fn layer(g: &mut Graph<'_, '_>, parts: &Parts<'_>, index: i64, x: NameId) -> Built<NameId> {
    let Parts { style, stack, shape, context, .. } = *parts;
    let path = |g: &Graph<'_, '_>, role| g.weights.in_layer(stack, index, role, None);
    let has = |g: &Graph<'_, '_>, role| path(g, role).is_some_and(|path| g.weights.has(&path));
    let is_fused = has(g, Fused) || style.has_fused_qkv && !has(g, Query);
    let attention = Attention {
        query: path(g, Query),
        key: path(g, Key),
        value: path(g, Value),
        fused: path(g, Fused).filter(|_| is_fused),
        output: path(g, Output),
        heads: shape.heads,
        head_dim: shape.head_dim,
        widths: [shape.hidden; 2],
        biases: [style.has_biases; 4],
        is_causal: false,
        is_rotary: style.positions == Places::Rotary,
    };
    let attended = g.within("attention", |g| attention.add(g, x, context))?;
    let sum = g.op("Add", &[attended, x])?;
    let norm = path(g, AfterAttention);
    let x = g.norm(sum, "attention/LayerNorm", norm, shape.hidden, NORM)?;
    let feed = FeedForward {
        gate: path(g, Gate),
        up: path(g, Up),
        down: path(g, Down),
        is_gated: style.is_gated,
        is_fused: false,
        widths: [shape.hidden, shape.ffn],
        // Gated layers of nomic-bert are configured by the gate's activation.
        activation: parts
            .network
            .activation
            .filter(|_| !style.is_gated)
            .unwrap_or(style.activation),
        form: Form::biased(style.has_biases),
    };
    let fed = g.within("feed_forward", |g| feed.add(g, x))?;
    let sum = g.op("Add", &[fed, x])?;
    let norm = path(g, AfterFfn);
    g.norm(sum, "LayerNorm", norm, shape.hidden, NORM)
}

/// Adds the layers that give what the model is for.
fn finish(
    g: &mut Graph<'_, '_>,
    parts: &Parts<'_>,
    x: NameId,
    (table, vocabulary): (&Linear, i64),
) -> Built<()> {
    let Parts { network, style, shape, .. } = *parts;
    let (hidden, dtype) = (shape.hidden, g.dtype);
    let task = network.architecture.as_str();
    let form = Form { bias: true, inputs_first: false, whole: true };
    if task.ends_with("ForMaskedLM") {
        let [dense, norm, head] = style.words;
        let x = g.linear(x, "predictions/dense", Some(dense.to_owned()), [hidden; 2], form)?;
        let x = g.within("predictions", |g| g.activate(x, style.activation))?;
        let x = g.norm(x, "predictions/norm", Some(norm.to_owned()), hidden, NORM)?;
        let head = if g.weights.has(head) {
            g.module(head, hidden, vocabulary, form)?
        } else {
            table.clone()
        };
        g.output("logits", dtype, &[BATCH, SEQUENCE, vocabulary.into()])?;
        g.within("predictions/decoder", |g| g.product(x, &head))?;
        return Ok(());
    }
    let heads = [("ForTokenClassification", "classifier"), ("ForQuestionAnswering", "qa_outputs")];
    if let Some((_, head)) = heads.iter().find(|(end, _)| task.ends_with(end)) {
        let classes = g.rows(head, network.classes).unwrap_or(2);
        let classifier = g.module(head, hidden, classes, form)?;
        g.output("logits", dtype, &[BATCH, SEQUENCE, classes.into()])?;
        g.within(head, |g| g.product(x, &classifier))?;
        return Ok(());
    }
    let pooler = pooler(g, parts);
    if task.ends_with("ForSequenceClassification") {
        let pooled = pool(g, parts, x, &pooler)?;
        let classes = g.rows(style.classifier, network.classes).unwrap_or(2);
        let classifier = g.module(style.classifier, hidden, classes, form)?;
        g.output("logits", dtype, &[BATCH, classes.into()])?;
        g.within("classifier", |g| g.product(pooled, &classifier))?;
        return Ok(());
    }
    g.output("last_hidden_state", dtype, &[BATCH, SEQUENCE, hidden.into()])?;
    g.op("Identity", &[x])?;
    if g.weights.has(&pooler) || g.weights.is_empty() && task == "BertModel" {
        let pooled = pool(g, parts, x, &pooler)?;
        g.output("pooler_output", dtype, &[BATCH, hidden.into()])?;
        g.op("Identity", &[pooled])?;
    }
    Ok(())
}

/// The module of the pooler: with the stack's name before it, or without.
fn pooler(g: &Graph<'_, '_>, parts: &Parts<'_>) -> String {
    let inside = format!("{}{}", parts.stack.root(), parts.style.pooler);
    if g.weights.has(&inside) || !g.weights.has(parts.style.pooler) && parts.style.takes_segments {
        inside
    } else {
        parts.style.pooler.to_owned()
    }
}

/// A layer on the first token.
fn pool(g: &mut Graph<'_, '_>, parts: &Parts<'_>, x: NameId, path: &str) -> Built<NameId> {
    let form = Form { bias: true, inputs_first: false, whole: true };
    let activation =
        if parts.style.pooler == "pre_classifier" { Activation::Relu } else { Activation::Tanh };
    g.within("pooler", |g| {
        let at = g.integer(0)?;
        let first = g.op_with("Gather", &[x, at], &[("axis", Setting::Int(1))])?;
        let pooled =
            g.linear(first, "dense", Some(path.to_owned()), [parts.shape.hidden; 2], form)?;
        g.activate(pooled, activation)
    })
}
