//! CLIP: an encoder of images and one of text, whose embeddings are compared.

use calipers_ir::assembly::Setting;
use calipers_ir::{DType, NameId};

use crate::Network;
use crate::encoder::counted_off;
use crate::families::NormKind;
use crate::graph::{Built, Graph, SEQUENCE, Size};
use crate::names::Names;
use crate::names::Role::*;
use crate::network::{Activation, Image, Shape};
use crate::products::Form;
use crate::vision::{self, Patches};
use crate::weights::Stack;

const NORM: (NormKind, f32) = (NormKind::Layer, 1e-5);
const TEXTS: Size = Size::Named("text_batch");
const IMAGES: Size = Size::Named("image_batch");

/// Width of the embeddings where nothing says how wide they are.
const PROJECTION: i64 = 512;

/// The sizes that the configuration leaves out where they are these.
const PATCH: i64 = 32;
const CONTEXT: i64 = 77;
const TEXT: Shape =
    Shape { layers: 12, hidden: 512, ffn: 2048, heads: 8, kv_heads: 8, head_dim: 64 };
const VISION: Shape =
    Shape { layers: 12, hidden: 768, ffn: 3072, heads: 12, kv_heads: 12, head_dim: 64 };
const VOCABULARY: i64 = 49408;

const LAYER: &[(crate::names::Role, &str)] = &[
    (AttentionNorm, "layer_norm1"),
    (Query, "self_attn.q_proj"),
    (Key, "self_attn.k_proj"),
    (Value, "self_attn.v_proj"),
    (Output, "self_attn.out_proj"),
    (FfnNorm, "layer_norm2"),
    (Up, "mlp.fc1"),
    (Down, "mlp.fc2"),
];

/// The names of the encoder of text.
pub(crate) static TEXT_NAMES: Names =
    Names { root: "", layer: "text_model.encoder.layers.{}.", roles: LAYER };
static VISION_NAMES: Names =
    Names { root: "", layer: "vision_model.encoder.layers.{}.", roles: LAYER };

/// The sizes of a part, with those of the first CLIP for what is left out.
fn shape(stack: &crate::network::Stack, usual: Shape) -> Shape {
    let hidden = stack.hidden.unwrap_or(usual.hidden);
    let heads = stack.heads.unwrap_or(usual.heads);
    Shape {
        layers: stack.layers.unwrap_or(usual.layers).min(1024),
        hidden,
        ffn: stack.ffn.unwrap_or(usual.ffn),
        heads,
        kv_heads: heads,
        head_dim: (hidden / heads).max(1),
    }
}

/// Adds the graph of CLIP.
pub(crate) fn build(g: &mut Graph<'_, '_>, network: &Network) -> Built<bool> {
    let (text, images) = (shape(&network.stack, TEXT), shape(&network.encoder, VISION));
    let activation = network.activation.unwrap_or(Activation::QuickGelu);
    let width = network.projection.unwrap_or(PROJECTION);
    let text_stack = g.weights.stack(&TEXT_NAMES);
    let image_stack = g.weights.stack(&VISION_NAMES);
    let root = text_stack.root().to_owned();
    let ids = g.input("input_ids", DType::Int64, &[TEXTS, SEQUENCE])?;
    let read =
        g.within("text_model", |g| text_tower(g, network, &text_stack, (text, activation), ids))?;
    let image = network.image;
    let seen =
        g.within("vision_model", |g| image_tower(g, image, &image_stack, (images, activation)))?;
    let form = Form { whole: true, ..Form::PLAIN };
    let mut embed = |x, name: &str, wide, output: &str, batch| {
        let path = Some(format!("{root}{name}"));
        let embedded = g.linear(x, name, path, [wide, width], form)?;
        let dtype = g.dtype;
        g.output(output, dtype, &[batch, width.into()])?;
        g.op_with(
            "LpNormalization",
            &[embedded],
            &[("axis", Setting::Int(-1)), ("p", Setting::Int(2))],
        )
    };
    let text = embed(read, "text_projection", text.hidden, "text_embeds", TEXTS)?;
    let image = embed(seen, "visual_projection", images.hidden, "image_embeds", IMAGES)?;
    let (dtype, stored) = (g.dtype, g.stored_dtype);
    let scale = g.tensor(&format!("{root}logit_scale"), &[], stored)?;
    let scale = g.op("Exp", &[scale])?;
    let turned = g.transpose(image, &[1, 0])?;
    let alike = g.op("MatMul", &[text, turned])?;
    g.output("logits_per_text", dtype, &[TEXTS, IMAGES])?;
    let by_text = g.op("Mul", &[alike, scale])?;
    g.output("logits_per_image", dtype, &[IMAGES, TEXTS])?;
    g.transpose(by_text, &[1, 0])?;
    Ok(true)
}

fn text_tower(
    g: &mut Graph<'_, '_>,
    network: &Network,
    stack: &Stack,
    (shape, activation): (Shape, Activation),
    ids: NameId,
) -> Built<NameId> {
    let named = |name: &str| format!("{}text_model.{name}", stack.root());
    let hidden = shape.hidden;
    let form = Form { whole: true, ..Form::PLAIN };
    let path = named("embeddings.token_embedding");
    let vocabulary = network.stack.vocabulary.unwrap_or(VOCABULARY);
    let rows = g.rows(&path, Some(vocabulary)).unwrap_or(vocabulary);
    let table = g.module(&path, hidden, rows, form)?;
    let path = named("embeddings.position_embedding");
    let context = network.stack.context.unwrap_or(CONTEXT);
    let rows = g.rows(&path, Some(context)).unwrap_or(context);
    let positions = g.module(&path, hidden, rows, form)?;
    let mut x = g.within("embeddings", |g| {
        let x = g.within("token_embedding", |g| g.lookup(&table, ids))?;
        let placed = g.within("position_embedding", |g| {
            let places = counted_off(g, ids)?;
            g.lookup(&positions, places)
        })?;
        g.op("Add", &[x, placed])
    })?;
    for index in 0..shape.layers {
        let (at, how) = ((stack, index), (activation, NORM));
        let scope = format!("encoder/layers.{index}");
        x = g.within(&scope, |g| vision::layer(g, at, shape, how, true, x))?;
    }
    let x = g.norm(x, "final_layer_norm", Some(named("final_layer_norm")), hidden, NORM)?;
    // The end of a text has the highest number of all tokens.
    let end =
        g.whole("ArgMax", &[ids], &[("axis", Setting::Int(-1)), ("keepdims", Setting::Int(1))])?;
    g.op_with("GatherND", &[x, end], &[("batch_dims", Setting::Int(1))])
}

fn image_tower(
    g: &mut Graph<'_, '_>,
    image: Image,
    stack: &Stack,
    (shape, activation): (Shape, Activation),
) -> Built<NameId> {
    let named = |name: &str| format!("{}vision_model.{name}", stack.root());
    let hidden = shape.hidden;
    let tokens = [(named("embeddings.class_embedding"), vec![hidden])];
    let patches = Patches {
        image: Image { patch: image.patch.or(Some(PATCH)), ..image },
        hidden,
        batch: IMAGES,
        projection: (named("embeddings.patch_embedding"), false),
        tokens: &tokens,
        positions: (named("embeddings.position_embedding.weight"), false),
    };
    let x = g.within("embeddings", |g| vision::embed(g, &patches))?;
    // The weights that were published have this name.
    let mut x = g.norm(x, "pre_layrnorm", Some(named("pre_layrnorm")), hidden, NORM)?;
    for index in 0..shape.layers {
        let (at, how) = ((stack, index), (activation, NORM));
        let scope = format!("encoder/layers.{index}");
        x = g.within(&scope, |g| vision::layer(g, at, shape, how, false, x))?;
    }
    let at = g.integer(0)?;
    let first = g.op_with("Gather", &[x, at], &[("axis", Setting::Int(1))])?;
    g.norm(first, "post_layernorm", Some(named("post_layernorm")), hidden, NORM)
}
