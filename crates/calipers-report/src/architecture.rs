//! What the model is: its kind, its blocks, its task, its quantization.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Activation, AttentionKind, BlockKind, BoxKind, Confidence, Family, Granularity, ModelKind,
    NormKind, NormPosition, PartKind, Scheme, SkipKind, Style, TaskKind,
};

/// How the network is built.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Architecture {
    /// The kind of model; `null` when it is none that is known.
    pub kind: Option<ModelKind>,
    /// How it is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// The family; `null` when unsure.
    pub family: Option<Family>,
    /// How sure the family is, or the kind where there is no family.
    pub confidence: Confidence,
    /// What the kind, style and family rest on, in words.
    pub evidence: Vec<String>,
    /// The network in one sentence.
    pub words: String,
    /// Figures of the network.
    pub facts: ArchitectureFacts,
    /// Blocks that were recognized, the commonest first.
    pub blocks: Vec<BlockCount>,
    /// Parts that repeat, as they are nested.
    pub repeats: Vec<Repeat>,
    /// Connections that go around computation by other ways than addition.
    pub skips: Vec<Skip>,
    /// The network as a tree of blocks, in order of execution.
    pub tree: Vec<Block>,
    /// The network as boxes and arrows.
    pub block_diagram: Diagram,
    /// The same as a Mermaid flowchart.
    pub diagram: String,
    /// Which operators feed which, as boxes and arrows.
    pub flow_diagram: Diagram,
    /// The same as a Mermaid flowchart.
    pub flow: String,
}

/// Figures of the network. What does not apply, or is not known, is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ArchitectureFacts {
    /// Layers: of attention, of recurrence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<i64>,
    /// Heads of each attention layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<i64>,
    /// Heads that keys and values have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_heads: Option<i64>,
    /// Width of a head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<i64>,
    /// Width of the residual stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<i64>,
    /// Inner width of the feed-forward layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ffn: Option<i64>,
    /// How heads share keys and values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<AttentionKind>,
    /// Whether positions are rotated into queries and keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope: Option<bool>,
    /// Whether it attends to another sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_attention: Option<bool>,
    /// Rows of the token table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocab: Option<i64>,
    /// Experts of each mixture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<i64>,
    /// Experts that each token goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts_per_token: Option<i64>,
    /// Norms by kind, in whatever form they are written.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub norm: BTreeMap<NormKind, i64>,
    /// Where the norms are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm_position: Option<NormPosition>,
    /// The activation between layers that is used most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// Additions that join a path with a shortcut around computation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residuals: Option<i64>,
    /// Convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convs: Option<i64>,
    /// Convolutions of each channel by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depthwise: Option<i64>,
    /// Squeeze-and-excite blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squeeze_excite: Option<i64>,
    /// Activations x·sigmoid(x).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silu: Option<i64>,
    /// Whether norms were folded into convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batchnorm_folded: Option<bool>,
    /// Whether concatenations join early features with late ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_concats: Option<bool>,
    /// Strides of the scales at which objects are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<i64>>,
    /// Places at which objects are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<i64>,
    /// Classes that are distinguished.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<i64>,
    /// Whether recurrence runs both ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bidirectional: Option<bool>,
    /// Trees of an ensemble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<i64>,
    /// Whether there is a key-value cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<bool>,
    /// Bytes that each token takes in the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_bytes_per_token: Option<i64>,
    /// Type that most weights are computed in: `fp32`, `fp16`, `bf16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
}

/// How often a kind of block was recognized.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockCount {
    /// Its kind.
    pub kind: BlockKind,
    /// What it is, in a sentence.
    pub what: String,
    /// How many there are.
    pub count: u64,
    /// Nodes where the first few end.
    pub nodes: Vec<String>,
}

/// A part of the network that repeats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Repeat {
    /// What repeats.
    pub name: String,
    /// How often in a row.
    pub times: u64,
    /// Nodes of one.
    pub nodes: u64,
    /// What differs between them.
    pub differs: Vec<String>,
    /// What repeats inside one.
    pub inside: Vec<Repeat>,
}

/// A connection around computation that is no addition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skip {
    /// How the paths join.
    pub kind: SkipKind,
    /// How many there are.
    pub count: u64,
    /// Nodes where the first few join.
    pub nodes: Vec<String>,
}

/// A block of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// Its kind.
    pub kind: PartKind,
    /// What to call it.
    pub name: String,
    /// How often it repeats in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
    /// Nodes inside, once.
    pub nodes: u64,
    /// Its figures, such as `heads`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Multiply-accumulates, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub macs: Option<u64>,
    /// What it is made of; of repeats, the first one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Block>,
}

fn once() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_once(times: &u64) -> bool {
    *times == 1
}

/// Boxes and arrows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diagram {
    /// The boxes, in order of execution.
    pub boxes: Vec<DiagramBox>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// A box of a diagram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiagramBox {
    /// What is in it.
    pub label: String,
    /// A second line: figures.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What it is.
    pub kind: BoxKind,
    /// How often it repeats in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
}

/// An arrow of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Arrow {
    /// Number of the box it starts at.
    pub from: usize,
    /// Number of the box it ends at.
    pub to: usize,
    /// What is on it: a shape, or how many.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// What the model does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    /// The task; `unknown` when nothing indicates one.
    pub kind: TaskKind,
    /// How sure that is.
    pub confidence: Confidence,
    /// What it rests on, in words.
    pub evidence: Vec<String>,
    /// Classes that are distinguished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<i64>,
}

/// How numbers are held in few bits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quantization {
    /// The scheme that the contractions share.
    pub scheme: Scheme,
    /// Contractions that run on, or hold their weights as, few bits.
    pub contractions_quantized: u64,
    /// All contractions with weights.
    pub contractions: u64,
    /// Share of the weights that are held in few bits, in percent of their elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_percent: Option<f64>,
    /// Bits of a quantized weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<i64>,
    /// Weights that share a scale, of block-wise schemes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<i64>,
    /// What shares a scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
    /// Whether zero points of weights are all zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<bool>,
    /// Operators with weights that stay in floats, with how many.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unquantized: BTreeMap<String, u64>,
    /// What it rests on, in words.
    pub evidence: Vec<String>,
}
