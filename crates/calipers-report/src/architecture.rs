//! The architecture section: kind, blocks, task, quantization.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Activation, AttentionKind, BlockKind, BoxKind, Confidence, Family, Granularity, ModelKind,
    NormKind, NormPosition, PartKind, Scheme, SkipKind, Style, TaskKind, with_article,
};

/// The architecture of the network.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Architecture {
    /// The kind of model; `null` when it is not recognized.
    pub kind: Option<ModelKind>,
    /// The style of a network with attention, such as `encoder`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// The family; `null` when it is not recognized.
    pub family: Option<Family>,
    /// The variant, as people call it: `ResNet-50`; `null` when no public network matches.
    #[serde(default)]
    pub variant: Option<String>,
    /// Public networks with the same weight shapes, as `source:name`, the best first. Where
    /// `backbone` is given, the networks that are part of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<String>,
    /// The public network that this one is built on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backbone: Option<String>,
    /// Weight shapes that equal those of the references, out of those of the larger network, from
    /// 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    /// Confidence in the family, or in the kind where there is no family.
    pub confidence: Confidence,
    /// The evidence for kind, style and family, one statement each.
    pub evidence: Vec<String>,
    /// One sentence that describes the network.
    pub words: String,
    /// Figures of the network.
    pub facts: ArchitectureFacts,
    /// Recognized blocks, the most frequent first.
    pub blocks: Vec<BlockCount>,
    /// Parts that repeat, nested.
    pub repeats: Vec<Repeat>,
    /// Skip connections that are not residual additions.
    pub skips: Vec<Skip>,
    /// The network as a tree of blocks, in order of execution.
    pub tree: Vec<Block>,
    /// The architecture diagram as boxes and arrows.
    pub block_diagram: Diagram,
    /// The same as a Mermaid flowchart.
    pub diagram: String,
    /// The operator flow as boxes and arrows.
    pub flow_diagram: Diagram,
    /// The same as a Mermaid flowchart.
    pub flow: String,
}

/// Figures of the network. A figure that does not apply or is unknown is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ArchitectureFacts {
    /// Attention layers or recurrent layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<i64>,
    /// Attention heads per layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heads: Option<i64>,
    /// Key-value heads per layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_heads: Option<i64>,
    /// Dimension of a head.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<i64>,
    /// Hidden size: the width of the residual stream.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<i64>,
    /// Inner size of the feed-forward layers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ffn: Option<i64>,
    /// How heads share keys and values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attention: Option<AttentionKind>,
    /// Whether queries and keys have rotary position embedding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope: Option<bool>,
    /// Whether it has cross-attention.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_attention: Option<bool>,
    /// Vocabulary size: rows of the token embedding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocab: Option<i64>,
    /// Experts per mixture-of-experts layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts: Option<i64>,
    /// Experts that process each token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experts_per_token: Option<i64>,
    /// Normalization layers by kind, written as one node or as several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub norm: BTreeMap<NormKind, i64>,
    /// Whether layers are pre-norm or post-norm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub norm_position: Option<NormPosition>,
    /// The most frequent activation function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activation: Option<Activation>,
    /// Residual additions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub residuals: Option<i64>,
    /// Convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convs: Option<i64>,
    /// Depthwise convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depthwise: Option<i64>,
    /// Resolutions that convolutions reduce an image to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolutions: Option<i64>,
    /// Pixels of the image per step of the feature map with the lowest resolution.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_stride: Option<i64>,
    /// Squeeze-and-excitation blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub squeeze_excite: Option<i64>,
    /// SiLU activations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub silu: Option<i64>,
    /// Whether batch norms were folded into convolutions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batchnorm_folded: Option<bool>,
    /// Whether skip connections concatenate early features with late ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skip_concats: Option<bool>,
    /// Strides of the detection scales, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strides: Option<Vec<i64>>,
    /// Positions that the detection head scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<i64>,
    /// Output classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<i64>,
    /// Whether recurrence is bidirectional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bidirectional: Option<bool>,
    /// Trees of an ensemble.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trees: Option<i64>,
    /// Whether there is a KV cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<bool>,
    /// Bytes of the KV cache per token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_bytes_per_token: Option<i64>,
    /// Type that most weights are computed in: `fp32`, `fp16`, `bf16`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
}

impl Architecture {
    /// Returns the backbone with its article: `a ResNet-50 backbone`.
    pub fn backbone_text(&self) -> Option<String> {
        self.backbone.as_ref().map(|backbone| with_article(&format!("{backbone} backbone")))
    }

    /// Returns what describes a network without a name: its backbone, and up to three designs of its
    /// blocks, the most frequent first.
    pub fn design(&self) -> Vec<String> {
        /// Designs that are named.
        const MOST: usize = 3;
        /// What is built on a backbone; other blocks are its own.
        const ON_BACKBONE: &[BlockKind] =
            &[BlockKind::FeaturePyramid, BlockKind::Spp, BlockKind::UNetSkip];
        let has = |kind: BlockKind| self.blocks.iter().any(|block| block.kind == kind);
        let is_named = |kind: BlockKind| match kind {
            // The depthwise convolutions are parts of the inverted residuals.
            BlockKind::DepthwiseSeparable if has(BlockKind::InvertedResidual) => false,
            kind => self.backbone.is_none() || ON_BACKBONE.contains(&kind),
        };
        let backbone = self.backbone_text();
        let kinds = self.blocks.iter().map(|block| block.kind).filter(|kind| is_named(*kind));
        let designs = kinds.filter_map(BlockKind::design).map(str::to_owned);
        backbone.into_iter().chain(designs.take(MOST)).collect()
    }
}

/// The blocks of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BlockCount {
    /// Its kind.
    pub kind: BlockKind,
    /// A one-sentence explanation.
    pub what: String,
    /// How many there are.
    pub count: u64,
    /// The last nodes of the first few.
    pub nodes: Vec<String>,
}

/// A part of the network that repeats.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Repeat {
    /// The name of what repeats.
    pub name: String,
    /// How many times in a row.
    pub times: u64,
    /// Nodes of the file that belong to the first one, including constants and shape computations
    /// that only it needs.
    pub nodes: u64,
    /// Differences between them.
    pub differs: Vec<String>,
    /// Repeats inside one of them.
    pub inside: Vec<Repeat>,
}

/// Skip connections of one kind other than residual additions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Skip {
    /// How the paths join.
    pub kind: SkipKind,
    /// How many there are.
    pub count: u64,
    /// Nodes at which the first few join.
    pub nodes: Vec<String>,
}

/// A block of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Block {
    /// Its kind.
    pub kind: PartKind,
    /// Its display name.
    pub name: String,
    /// How many times it repeats in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
    /// Nodes of the file that belong to one of it, including constants and shape computations that
    /// only it needs.
    pub nodes: u64,
    /// Its figures, such as `heads`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Multiply-accumulates of one of it, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub macs: Option<u64>,
    /// Its parts; of repeats, those of the first one.
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

/// A diagram of boxes and arrows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Diagram {
    /// The boxes, in order of execution.
    pub boxes: Vec<DiagramBox>,
    /// The arrows.
    pub arrows: Vec<Arrow>,
}

/// A box of a diagram.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DiagramBox {
    /// Its first line.
    pub label: String,
    /// A second line: figures.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// What it is.
    pub kind: BoxKind,
    /// How many times it repeats in a row.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub times: u64,
}

/// An arrow of a diagram.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Arrow {
    /// Index of the box it starts at.
    pub from: usize,
    /// Index of the box it ends at.
    pub to: usize,
    /// Its label: a shape or a count.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// The task of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Task {
    /// The task; `unknown` when the graph does not show one.
    pub kind: TaskKind,
    /// Confidence in the task.
    pub confidence: Confidence,
    /// The evidence for it, one statement each.
    pub evidence: Vec<String>,
    /// Output classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<i64>,
}

/// How the model is quantized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Quantization {
    /// The scheme that the operators with weights share.
    pub scheme: Scheme,
    /// Contractions (matrix products and convolutions with weights) that are quantized, or whose
    /// weights are.
    pub contractions_quantized: u64,
    /// All contractions with weights.
    pub contractions: u64,
    /// Share of the weights that are quantized, in percent of their elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights_percent: Option<f64>,
    /// Bits per quantized weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bits: Option<i64>,
    /// Block size: weights that share a scale in block-wise schemes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<i64>,
    /// The granularity of the scales.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Granularity>,
    /// Whether all zero points of weights are zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symmetric: Option<bool>,
    /// Operators with weights in floating point, and how many of each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unquantized: BTreeMap<String, u64>,
    /// The evidence for the scheme, one statement each.
    pub evidence: Vec<String>,
}
