//! Transformers: their style and their families.
//!
//! | style | structure |
//! |---|---|
//! | dual-encoder | an image encoder and a token encoder whose embeddings are compared |
//! | encoder-decoder | cross-attention to a sequence that the network encodes itself |
//! | decoder | causal attention, or cross-attention to an input |
//! | vision | images are the only input |
//! | encoder | everything else |
//!
//! | family | structure |
//! |---|---|
//! | clip | a dual encoder with L2-normalized embeddings, or one of its towers |
//! | detr | a convolutional backbone, an encoder, and a decoder whose queries predict boxes |
//! | mobilevit | inverted residuals alternating with attention |
//! | whisper | two convolutions over a spectrogram, then attention; the decoder has 448 positions or attends to 1,500 |
//! | wav2vec2 | strided convolutions over the waveform, then attention |
//! | conformer | over audio: attention, a gated depthwise convolution and two feed-forward networks in each layer |
//! | t5 | RMSNorm and a relative position bias |
//! | bart, marian, mbart, m2m100, pegasus | encoder and decoder with LayerNorm; post-norm and after the embeddings; post-norm only; pre-norm, after the embeddings and at the ends; pre-norm and at the ends, position ids computed from the non-padding tokens; the same with any positions, and a name that says so |
//! | swin | attention within windows |
//! | yolos, beit, deit, clip, dinov2, vit | image patches; detection tokens that predict boxes; a relative position bias, or keys without bias; the mean of a class head and a distillation head; LayerNorm before the first layer; layer scale and patches of 14×14; any other |
//! | albert, roberta, mpnet, deberta, distilbert, bert | post-norm token encoder; layers that share weights; position ids computed from the non-padding tokens; a position table and a relative position bias; scores indexed by relative position; no segment table, and a name that says so; any other |
//! | modernbert | an encoder with rotary position embedding and GeGLU |
//! | gemma, gemma2, gemma3 | pre-norm RMSNorm, rotary position embedding, GeGLU; RMSNorm after each sublayer as well; and on queries and keys |
//! | mixtral, qwen3, qwen2, phi3, llama | pre-norm RMSNorm, rotary position embedding; a mixture of experts; SwiGLU with query and key norms, with query, key and value biases, with fused projections, with none of these |
//! | falcon, gptj, phi, gpt-neox | LayerNorm and rotary position embedding; multi-query attention; one norm for attention and feed-forward, without and with attention biases; parallel attention and feed-forward with a norm each |
//! | bloom | pre-norm LayerNorm, LayerNorm after the embedding, no position table |
//! | gpt-bigcode, opt, gpt-neo, gpt2 | pre-norm LayerNorm, learned positions; multi-query attention; ReLU; queries, keys and values without biases; any other |

mod tokens;
mod vision_audio;

use calipers_ir::{Model, Producer, ValueId};
use calipers_report::Confidence::{High, Medium};
use calipers_report::{
    Activation, ArchitectureFacts, Family, ModelKind, NormKind, NormPosition, Style,
};
use hashbrown::HashMap;

use super::{Decision, FamilyRule, Recognition, Seen, counted, first_match};
use crate::network::{BlockKind, Origin, TableKind, Val};
use crate::stats::{Given, NetworkStats};

/// The rows, specific families before general ones.
pub(super) static FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::Clip, rule: clip },
    FamilyRule { family: Family::Detr, rule: vision_audio::detr },
    FamilyRule { family: Family::Mobilevit, rule: vision_audio::mobilevit },
    FamilyRule { family: Family::Whisper, rule: vision_audio::whisper },
    FamilyRule { family: Family::Wav2vec2, rule: vision_audio::wav2vec2 },
    FamilyRule { family: Family::Conformer, rule: vision_audio::conformer },
    FamilyRule { family: Family::T5, rule: tokens::t5 },
    FamilyRule { family: Family::Bart, rule: tokens::bart },
    FamilyRule { family: Family::Marian, rule: tokens::marian },
    FamilyRule { family: Family::Mbart, rule: tokens::mbart },
    FamilyRule { family: Family::M2m100, rule: tokens::m2m100 },
    FamilyRule { family: Family::Pegasus, rule: tokens::pegasus },
    FamilyRule { family: Family::Swin, rule: vision_audio::swin },
    FamilyRule { family: Family::Yolos, rule: vision_audio::yolos },
    FamilyRule { family: Family::Beit, rule: vision_audio::beit },
    FamilyRule { family: Family::Deit, rule: vision_audio::deit },
    FamilyRule { family: Family::Clip, rule: vision_audio::clip_vision },
    FamilyRule { family: Family::Dinov2, rule: vision_audio::dinov2 },
    FamilyRule { family: Family::Vit, rule: vision_audio::vit },
    FamilyRule { family: Family::Albert, rule: tokens::albert },
    FamilyRule { family: Family::Roberta, rule: tokens::roberta },
    FamilyRule { family: Family::Mpnet, rule: tokens::mpnet },
    FamilyRule { family: Family::Deberta, rule: tokens::deberta },
    FamilyRule { family: Family::Distilbert, rule: tokens::distilbert },
    FamilyRule { family: Family::Bert, rule: tokens::bert },
    FamilyRule { family: Family::Modernbert, rule: tokens::modernbert },
    FamilyRule { family: Family::Gemma3, rule: tokens::gemma3 },
    FamilyRule { family: Family::Gemma2, rule: tokens::gemma2 },
    FamilyRule { family: Family::Gemma, rule: tokens::gemma },
    FamilyRule { family: Family::Mixtral, rule: tokens::mixtral },
    FamilyRule { family: Family::Qwen3, rule: tokens::qwen3 },
    FamilyRule { family: Family::Qwen2, rule: tokens::qwen2 },
    FamilyRule { family: Family::Phi3, rule: tokens::phi3 },
    FamilyRule { family: Family::Llama, rule: tokens::llama },
    FamilyRule { family: Family::Falcon, rule: tokens::falcon },
    FamilyRule { family: Family::GptJ, rule: tokens::gptj },
    FamilyRule { family: Family::Phi, rule: tokens::phi },
    FamilyRule { family: Family::GptNeox, rule: tokens::gpt_neox },
    FamilyRule { family: Family::Bloom, rule: tokens::bloom },
    FamilyRule { family: Family::GptBigcode, rule: tokens::gpt_bigcode },
    FamilyRule { family: Family::Opt, rule: tokens::opt },
    FamilyRule { family: Family::GptNeo, rule: tokens::gpt_neo },
    FamilyRule { family: Family::Gpt2, rule: tokens::gpt2 },
];

/// Families that only a name distinguishes from one of the table.
pub(super) const BY_NAME: &[(Family, &str, Family)] = &[
    (Family::Llama, "mistral", Family::Mistral),
    (Family::Wav2vec2, "hubert", Family::Hubert),
    (Family::Vit, "deit", Family::Deit),
    (Family::Vit, "dinov2", Family::Dinov2),
    (Family::Bert, "electra", Family::Electra),
];

/// Decides what a network with attention is.
pub(super) fn decide(
    stats: &NetworkStats<'_, '_>,
    facts: &ArchitectureFacts,
    with_convolutions: bool,
) -> Decision {
    let style = style(stats);
    let kind = if with_convolutions { ModelKind::Hybrid } else { ModelKind::Transformer };
    let mut decision = Decision::new(kind, None, High, shape(stats, facts));
    decision.style = Some(style);
    if with_convolutions {
        decision.evidence.insert(0, super::convolutions_by_rank(stats));
    }
    let seen = Seen { stats, facts, style: Some(style) };
    // A token encoder in a convolutional network conditions it, and is not the network.
    let is_part = |row: &FamilyRule| with_convolutions && seen.text() && row.family != Family::Clip;
    let rows = FAMILIES.iter().filter(|row| !is_part(row));
    let Some((row, confidence, why)) = first_match(rows, &seen) else {
        decision.confidence = Medium;
        return decision;
    };
    let named = BY_NAME.iter().find(|(like, word, _)| *like == row.family && stats.mentions(word));
    decision.family = Some(named.map_or(row.family, |(_, _, family)| *family));
    decision.confidence = confidence;
    decision.evidence.push(why);
    if let Some((like, word, _)) = named {
        decision.evidence.push(format!(
            "same structure as {}; names in the file say {word}",
            like.display_name()
        ));
    }
    decision
}

pub(super) fn style(stats: &NetworkStats<'_, '_>) -> Style {
    let (own, cross) = stats.own_and_cross();
    let (image, tokens) = (stats.takes(Given::Image), stats.takes(Given::Tokens));
    if image && tokens && cross == 0 && compares(stats) {
        Style::DualEncoder
    } else if cross > 0 {
        if own > cross { Style::EncoderDecoder } else { Style::Decoder }
    } else if stats.cache || (tokens || !image) && stats.attends(|it| it.causal) {
        if pools_at_highest(stats) { Style::Encoder } else { Style::Decoder }
    } else if image && !tokens {
        Style::Vision
    } else {
        Style::Encoder
    }
}

/// Whether two embeddings are L2-normalized.
fn compares(stats: &NetworkStats<'_, '_>) -> bool {
    stats.count(BlockKind::L2Norm) >= 2
}

/// Whether the output is taken at the position of the highest token id.
fn pools_at_highest(stats: &NetworkStats<'_, '_>) -> bool {
    let net = stats.net;
    let tokens: Vec<Val> = stats
        .inputs
        .iter()
        .filter(|(_, given)| *given == Given::Tokens)
        .map(|(val, _)| *val)
        .collect();
    let highest = net.all().any(|unit| {
        unit.is("ArgMax")
            && unit.input(0).is_some_and(|val| tokens.contains(&net.back_through_layout(val)))
    });
    highest && stats.own_and_cross().1 == 0 && !stats.cache
}

/// Describes the layers, the norms and the embedding tables.
fn shape(stats: &NetworkStats<'_, '_>, facts: &ArchitectureFacts) -> String {
    let (own, cross) = stats.own_and_cross();
    let mut words = counted(own, "self-attention layer", "self-attention layers");
    if let (Some(heads), Some(width)) = (facts.heads, facts.head_dim) {
        words += &format!(" with {} of {width}", counted(heads, "head", "heads"));
    } else if let Some(heads) = facts.heads {
        words += &format!(" with {}", counted(heads, "head", "heads"));
    }
    if cross > 0 {
        words += &format!(", {cross} with cross-attention");
    }
    if let Some(position) = stats.norm_position() {
        words += &format!("; {}", position.display_name());
    }
    let tables: Vec<&str> = [TableKind::Token, TableKind::Position, TableKind::Type]
        .into_iter()
        .filter(|of| stats.tables(*of).next().is_some())
        .map(TableKind::id)
        .collect();
    if !tables.is_empty() {
        let all = tables.join(", ");
        words += &format!("; {all} {}", if tables.len() == 1 { "table" } else { "tables" });
    }
    words
}

impl Seen<'_, '_> {
    fn styled(&self, style: Style) -> bool {
        self.style == Some(style)
    }

    fn norms(&self, kind: NormKind) -> i64 {
        self.facts.norm.get(&kind).copied().unwrap_or(0)
    }

    /// Whether most norms are of this kind.
    fn normalizes(&self, kind: NormKind) -> bool {
        self.norms(kind) > 0 && self.norms(kind) * 2 >= self.facts.norm.values().sum::<i64>()
    }

    fn normed(&self, position: NormPosition) -> bool {
        self.stats.norm_position() == Some(position)
    }

    fn activates(&self, with: Activation) -> bool {
        self.facts.activation == Some(with)
    }

    fn rotates(&self) -> bool {
        self.facts.rope == Some(true) || self.stats.attends(|it| it.rotary)
    }

    fn text(&self) -> bool {
        self.stats.takes(Given::Tokens) || self.stats.tables(TableKind::Token).next().is_some()
    }

    /// Whether the last dimension of an output has this size.
    fn outputs_width(&self, width: i64) -> bool {
        let net = self.stats.net;
        net.outputs.iter().any(|output| net.dim(*output, -1) == Some(width))
    }

    /// Whether all layers share their weights.
    fn shares(&self) -> bool {
        let net = self.stats.net;
        let mut uses: HashMap<ValueId, usize> = HashMap::new();
        for unit in net.all().filter(|unit| unit.is(["MatMul", "Gemm"])) {
            for val in unit.inputs.iter().take(2).flatten() {
                if net.origin(*val) == Origin::Constant
                    && net.rank(*val) == Some(2)
                    && let Some(stored) = net.value(*val)
                {
                    *uses.entry(stored_once(net.model, stored)).or_default() += 1;
                }
            }
        }
        let layers = self.stats.attention.len();
        layers >= 2 && uses.values().filter(|count| **count >= layers).count() >= 4
    }

    /// Whether all query heads share one key and value head: multi-query attention.
    fn has_one_key(&self) -> bool {
        self.facts.kv_heads == Some(1) && self.facts.heads.is_some_and(|heads| heads > 1)
    }

    /// The number of attention layers.
    fn layers(&self) -> i64 {
        i64::try_from(self.stats.attention.len()).unwrap_or(i64::MAX)
    }

    /// Whether positions are looked up in a table.
    fn has_positions(&self) -> bool {
        self.stats.tables(TableKind::Position).next().is_some()
    }
}

/// The value behind `Identity` nodes: exporters store equal weights once.
fn stored_once(model: &Model, value: ValueId) -> ValueId {
    const MAX_STEPS: usize = 8;
    let mut value = value;
    for _ in 0..MAX_STEPS {
        let Producer::Node { node, .. } = model.value(value).producer else { break };
        let input = model.inputs(node).first().copied().flatten();
        match input {
            Some(input) if model.name(model.node(node).op) == "Identity" => value = input,
            _ => break,
        }
    }
    value
}

fn clip(seen: &Seen<'_, '_>) -> Recognition {
    // The text tower takes its embedding at the end-of-text token, which has the highest id.
    if seen.text() && pools_at_highest(seen.stats) {
        let words = "the text embedding is taken at the token with the highest id";
        return Some((Medium, words.to_owned()));
    }
    seen.styled(Style::DualEncoder).then(|| {
        let words = "an image encoder and a token encoder with L2-normalized embeddings";
        (High, words.to_owned())
    })
}

#[cfg(test)]
mod tests;
