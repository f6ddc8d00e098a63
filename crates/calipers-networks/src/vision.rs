//! Encoders of images: patches, layers and a head.

use calipers_ir::NameId;
use calipers_ir::assembly::{Call, Setting};

use crate::Network;
use crate::blocks::{Attention, Context, FeedForward};
use crate::families::NormKind;
use crate::graph::{BATCH, Built, Graph, Size};
use crate::names::Names;
use crate::names::Role::*;
use crate::network::{Activation, Image, Shape};
use crate::products::Form;
use crate::weights::Stack;

const NORM: (NormKind, f32) = (NormKind::Layer, 1e-12);

/// Sides and channels where nothing says how many.
const SIDE: i64 = 224;
const PATCH: i64 = 16;
const CHANNELS: i64 = 3;

/// A family of encoders of images.
#[derive(Debug)]
pub(crate) struct Vision {
    pub(crate) names: &'static Names,
    /// The tokens before the patches.
    tokens: &'static [&'static str],
    /// The heads whose mean are the logits.
    heads: &'static [&'static str],
}

const ROLES: &[(crate::names::Role, &str)] = &[
    (FinalNorm, "layernorm"),
    (AttentionNorm, "layernorm_before"),
    (Query, "attention.attention.query"),
    (Key, "attention.attention.key"),
    (Value, "attention.attention.value"),
    (Output, "attention.output.dense"),
    (FfnNorm, "layernorm_after"),
    (Up, "intermediate.dense"),
    (Down, "output.dense"),
];

static VIT_NAMES: Names = Names { root: "vit.", layer: "encoder.layer.{}.", roles: ROLES };
static DEIT_NAMES: Names = Names { root: "deit.", layer: "encoder.layer.{}.", roles: ROLES };

pub(crate) static VIT: Vision =
    Vision { names: &VIT_NAMES, tokens: &["embeddings.cls_token"], heads: &["classifier"] };

pub(crate) static DEIT: Vision = Vision {
    names: &DEIT_NAMES,
    tokens: &["embeddings.cls_token", "embeddings.distillation_token"],
    heads: &["cls_classifier", "distillation_classifier"],
};

/// Images as rows of patches.
pub(crate) struct Patches<'a> {
    pub(crate) image: Image,
    pub(crate) hidden: i64,
    pub(crate) batch: Size,
    /// The convolution that cuts and projects the patches, and whether it has a bias.
    pub(crate) projection: (String, bool),
    /// The tokens before the patches, and their dimensions.
    pub(crate) tokens: &'a [(String, Vec<i64>)],
    /// The table of positions, and whether it has a dimension for the batch.
    pub(crate) positions: (String, bool),
}

/// Adds images as an input, and their patches as a sequence with positions.
pub(crate) fn embed(g: &mut Graph<'_, '_>, patches: &Patches<'_>) -> Built<NameId> {
    let hidden = patches.hidden;
    let side = patches.image.side.unwrap_or(SIDE);
    let patch = patches.image.patch.unwrap_or(PATCH);
    let channels = patches.image.channels.unwrap_or(CHANNELS);
    let (dtype, stored) = (g.dtype, g.stored_dtype);
    let dims = [patches.batch, channels.into(), side.into(), side.into()];
    let images = g.input("pixel_values", dtype, &dims)?;
    let (path, is_biased) = &patches.projection;
    let kernel = g.tensor(&format!("{path}.weight"), &[hidden, channels, patch, patch], stored)?;
    let mut inputs = vec![images, kernel];
    if *is_biased {
        inputs.push(g.tensor(&format!("{path}.bias"), &[hidden], stored)?);
    }
    let attributes = vec![
        ("kernel_shape", Setting::Ints(vec![patch; 2])),
        ("strides", Setting::Ints(vec![patch; 2])),
    ];
    let x = g.within("patch_embeddings", |g| {
        let cut = g.numbers(Call { op: "Conv", inputs, attributes, ..Call::default() })?;
        let flat = g.reshape(cut, &[0, 0, -1])?;
        g.transpose(flat, &[0, 2, 1])
    })?;
    let mut parts = Vec::new();
    for (path, dims) in patches.tokens {
        let token = g.tensor(path, dims, stored)?;
        let batch = g.length(images, 0, false)?;
        let rest = g.integers(&[1, hidden])?;
        let shape = g.whole("Concat", &[batch, rest], &[("axis", Setting::Int(0))])?;
        parts.push(g.op("Expand", &[token, shape])?);
    }
    let count = i64::try_from(parts.len()).unwrap_or(0);
    parts.push(x);
    let x = g.op_with("Concat", &parts, &[("axis", Setting::Int(1))])?;
    let across = side / patch.max(1);
    let places = across.saturating_mul(across).saturating_add(count);
    let (path, has_batch) = &patches.positions;
    let dims = if *has_batch { vec![1, places, hidden] } else { vec![places, hidden] };
    let positions = g.tensor(path, &dims, stored)?;
    g.op("Add", &[x, positions])
}

/// A layer with a norm before each sublayer, by names of its own.
pub(crate) fn layer(
    g: &mut Graph<'_, '_>,
    (stack, index): (&Stack, i64),
    shape: Shape,
    (activation, norm): (Activation, (NormKind, f32)),
    is_causal: bool,
    x: NameId,
) -> Built<NameId> {
    let Shape { hidden, ffn, heads, head_dim, .. } = shape;
    let path = |g: &Graph<'_, '_>, role| g.weights.in_layer(stack, index, role, None);
    let normed = |g: &mut Graph<'_, '_>, x, scope: &str, role| {
        let path = path(g, role);
        g.norm(x, scope, path, hidden, norm)
    };
    let input = normed(g, x, "layernorm_before", AttentionNorm)?;
    let attention = Attention {
        query: path(g, Query),
        key: path(g, Key),
        value: path(g, Value),
        fused: None,
        output: path(g, Output),
        heads,
        head_dim,
        widths: [hidden; 2],
        biases: [true; 4],
        is_causal,
        is_rotary: false,
    };
    let attended = g.within("attention", |g| attention.add(g, input, Context::default()))?;
    let x = g.op("Add", &[x, attended])?;
    let input = normed(g, x, "layernorm_after", FfnNorm)?;
    let feed = FeedForward {
        gate: None,
        up: path(g, Up),
        down: path(g, Down),
        is_gated: false,
        is_fused: false,
        widths: [hidden, ffn],
        activation,
        form: Form::biased(true),
    };
    let fed = g.within("mlp", |g| feed.add(g, input))?;
    g.op("Add", &[x, fed])
}

/// Adds the graph of an encoder of images.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network, style: &Vision) -> Built<bool> {
    let Some(shape) = network.stack.shape() else { return Ok(false) };
    let stack = g.weights.stack(style.names);
    let hidden = shape.hidden;
    let named = |name: &str| format!("{}{name}", stack.root());
    let tokens: Vec<_> =
        style.tokens.iter().map(|name| (named(name), vec![1, 1, hidden])).collect();
    let patches = Patches {
        image: network.image,
        hidden,
        batch: BATCH,
        projection: (named("embeddings.patch_embeddings.projection"), true),
        tokens: &tokens,
        positions: (named("embeddings.position_embeddings"), true),
    };
    let mut x = g.within("embeddings", |g| embed(g, &patches))?;
    let activation = network.activation.unwrap_or(Activation::Gelu);
    for index in 0..shape.layers {
        let at = (&stack, index);
        let how = (activation, NORM);
        let scope = format!("encoder/layer.{index}");
        x = g.within(&scope, |g| layer(g, at, shape, how, false, x))?;
    }
    let path = g.weights.path(&stack, FinalNorm);
    let x = g.norm(x, "layernorm", path, hidden, NORM)?;
    let dtype = g.dtype;
    let is_stored = |g: &Graph<'_, '_>| style.heads.iter().any(|head| g.weights.has(head));
    let classifies = network.architecture.contains("ForImageClassification");
    if !classifies && !is_stored(g) {
        let across =
            patches.image.side.unwrap_or(SIDE) / patches.image.patch.unwrap_or(PATCH).max(1);
        let count = i64::try_from(tokens.len()).unwrap_or(0);
        let places = across.saturating_mul(across).saturating_add(count);
        g.output("last_hidden_state", dtype, &[BATCH, places.into(), hidden.into()])?;
        g.op("Identity", &[x])?;
        return Ok(true);
    }
    let form = Form { bias: true, inputs_first: false, whole: true };
    // A model without a teacher's token has one head, on the first token.
    let own = ["classifier"];
    let heads = if g.weights.has(own[0]) { &own[..] } else { style.heads };
    let mut logits = Vec::new();
    for (place, head) in heads.iter().enumerate() {
        let classes = g.rows(head, network.classes).unwrap_or(1000);
        let classifier = g.module(head, hidden, classes, form)?;
        let at = g.integer(i64::try_from(place).unwrap_or(0))?;
        let token = g.op_with("Gather", &[x, at], &[("axis", Setting::Int(1))])?;
        if heads.len() == 1 {
            g.output("logits", dtype, &[BATCH, classes.into()])?;
        }
        logits.push((g.within(head, |g| g.product(token, &classifier))?, classes));
    }
    if let [(first, classes), (second, _)] = logits[..] {
        let sum = g.op("Add", &[first, second])?;
        let two = g.number(2.0)?;
        g.output("logits", dtype, &[BATCH, classes.into()])?;
        g.op("Div", &[sum, two])?;
    }
    Ok(true)
}
