//! Rules for token encoders and decoders.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Activation, NormKind, NormPosition, Style};

use super::{Recognition, Seen};
use crate::network::{BlockKind, NetworkOp, TableKind};
use crate::stats::Given;

pub(super) fn t5(seen: &Seen<'_, '_>) -> Recognition {
    let fits = seen.text() && seen.normalizes(NormKind::RmsNorm) && !seen.rotates();
    let relative = seen.stats.attends(|it| it.relative);
    (fits && (relative || seen.styled(Style::EncoderDecoder))).then(|| {
        let sure = if relative { High } else { Medium };
        (sure, "RMSNorm and a relative position bias instead of a position table".to_owned())
    })
}

/// Returns the number of LayerNorms outside of the layers of a token encoder and decoder. A layer has
/// one for its self-attention, one for its feed-forward network and one for its cross-attention.
fn norms_outside_layers(seen: &Seen<'_, '_>) -> Option<i64> {
    let fits =
        seen.text() && seen.styled(Style::EncoderDecoder) && seen.normalizes(NormKind::LayerNorm);
    let (own, cross) = seen.stats.own_and_cross();
    let layers = i64::try_from(own.saturating_mul(2).saturating_add(cross)).ok()?;
    (fits && !seen.rotates()).then(|| seen.norms(NormKind::LayerNorm) - layers)
}

pub(super) fn bart(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_outside_layers(seen)? == 2
        && seen.normed(NormPosition::Post)
        && seen.activates(Activation::Gelu);
    let words =
        "token encoder and decoder, post-norm LayerNorm, and LayerNorm after the embeddings";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn marian(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_outside_layers(seen)? == 0 && seen.normed(NormPosition::Post);
    let words = "token encoder and decoder, post-norm LayerNorm only";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn mbart(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_outside_layers(seen)? == 4 && seen.normed(NormPosition::Pre);
    let words = "token encoder and decoder, pre-norm LayerNorm, and LayerNorm after the embeddings \
                 and after the last layers";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn m2m100(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_outside_layers(seen)? == 2 && seen.normed(NormPosition::Pre);
    let words = "token encoder and decoder, pre-norm LayerNorm with final norms; \
                 position ids are computed from the non-padding tokens";
    (fits && seen.stats.count("CumSum") > 0).then(|| (Medium, words.to_owned()))
}

/// Other families have the same structure: only a name identifies it.
pub(super) fn pegasus(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_outside_layers(seen)? == 2 && seen.normed(NormPosition::Pre);
    let words = "token encoder and decoder, pre-norm LayerNorm with final norms";
    (fits && seen.stats.mentions("pegasus")).then(|| (Medium, words.to_owned()))
}

/// A post-norm token encoder with LayerNorm, however it encodes positions.
fn post_norm_layers(seen: &Seen<'_, '_>) -> bool {
    seen.styled(Style::Encoder)
        && seen.text()
        && seen.normalizes(NormKind::LayerNorm)
        && seen.normed(NormPosition::Post)
        && !seen.rotates()
}

/// A post-norm token encoder with LayerNorm and no relative position bias.
fn post_norm_encoder(seen: &Seen<'_, '_>) -> bool {
    post_norm_layers(seen) && !seen.stats.attends(|it| it.relative)
}

pub(super) fn albert(seen: &Seen<'_, '_>) -> Recognition {
    (post_norm_encoder(seen) && seen.shares())
        .then(|| (High, "all layers share the same weights".to_owned()))
}

pub(super) fn roberta(seen: &Seen<'_, '_>) -> Recognition {
    (post_norm_encoder(seen) && seen.stats.count("CumSum") > 0)
        .then(|| (High, "position ids are computed from the non-padding tokens".to_owned()))
}

/// BERT with a relative position bias in addition to its position table.
pub(super) fn mpnet(seen: &Seen<'_, '_>) -> Recognition {
    let both = seen.stats.attends(|it| it.relative) && seen.has_positions();
    (post_norm_layers(seen) && both)
        .then(|| (Medium, "a position table and a relative position bias".to_owned()))
}

/// An encoder with rotary position embedding and GeGLU.
pub(super) fn modernbert(seen: &Seen<'_, '_>) -> Recognition {
    let fits = seen.styled(Style::Encoder) && seen.text() && seen.normalizes(NormKind::LayerNorm);
    (fits && seen.rotates() && seen.activates(Activation::Geglu))
        .then(|| (Medium, "encoder with LayerNorm, rotary position embedding and GeGLU".to_owned()))
}

pub(super) fn deberta(seen: &Seen<'_, '_>) -> Recognition {
    let picked = seen.stats.count("GatherElements") >= seen.layers();
    (post_norm_layers(seen) && picked && !seen.has_positions())
        .then(|| (Medium, "attention scores are indexed by relative position".to_owned()))
}

pub(super) fn distilbert(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let segments = stats.tables(TableKind::Type).next().is_some();
    let positions = stats.tables(TableKind::Position).next().is_some();
    (post_norm_encoder(seen) && positions && !segments && stats.mentions("distil"))
        .then(|| (Medium, "token and position embeddings without segment embeddings".to_owned()))
}

pub(super) fn bert(seen: &Seen<'_, '_>) -> Recognition {
    let segments = seen.stats.tables(TableKind::Type).next().is_some();
    // The encoder of the first Transformer has the same layers, and sinusoids instead of a table.
    let learned = seen.has_positions() || segments;
    // A number for each pair of tokens is a relation that BERT does not read.
    let net = seen.stats.net;
    let pairs = seen
        .stats
        .inputs
        .iter()
        .any(|(val, given)| *given == Given::Tokens && net.rank(*val) == Some(3));
    (post_norm_encoder(seen) && learned && !pairs).then(|| {
        // A token table narrower than the layers is typical of ALBERT, whose sharing may not be found.
        let mut tables = seen.stats.tables(TableKind::Token);
        let wide = tables.all(|table| table.width == seen.facts.hidden);
        let sure = if segments && wide { High } else { Medium };
        (sure, "token encoder with post-norm LayerNorm".to_owned())
    })
}

/// Returns the number of RMSNorms per layer, without the final one.
fn norms_per_layer(seen: &Seen<'_, '_>) -> Option<i64> {
    let inside = seen.norms(NormKind::RmsNorm).checked_sub(1)?;
    let layers = seen.layers();
    (layers > 0 && inside % layers == 0).then(|| inside / layers)
}

/// A token decoder with RMSNorm and rotary position embedding.
fn rotary_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled(Style::Decoder)
        && seen.text()
        && seen.normalizes(NormKind::RmsNorm)
        && seen.rotates()
}

/// A decoder with RMSNorm, rotary positions and GeGLU, and this number of norms per layer.
fn gemma_of(seen: &Seen<'_, '_>, norms: i64) -> bool {
    rotary_decoder(seen)
        && seen.activates(Activation::Geglu)
        && norms_per_layer(seen) == Some(norms)
}

pub(super) fn gemma3(seen: &Seen<'_, '_>) -> Recognition {
    gemma_of(seen, 6).then(|| {
        let words = "decoder with RMSNorm before and after each sublayer and on queries and keys, \
                     rotary position embedding and GeGLU";
        (Medium, words.to_owned())
    })
}

pub(super) fn gemma2(seen: &Seen<'_, '_>) -> Recognition {
    gemma_of(seen, 4).then(|| {
        let words =
            "decoder with RMSNorm before and after each sublayer, rotary position embedding and GeGLU";
        (Medium, words.to_owned())
    })
}

pub(super) fn gemma(seen: &Seen<'_, '_>) -> Recognition {
    gemma_of(seen, 2)
        .then(|| (High, "decoder with RMSNorm, rotary position embedding and GeGLU".to_owned()))
}

pub(super) fn mixtral(seen: &Seen<'_, '_>) -> Recognition {
    (rotary_decoder(seen) && seen.facts.experts.is_some()).then(|| {
        (
            Medium,
            "decoder with RMSNorm, rotary position embedding and a mixture of experts".to_owned(),
        )
    })
}

/// A decoder with RMSNorm, rotary position embedding and SwiGLU.
fn gated_decoder(seen: &Seen<'_, '_>) -> bool {
    rotary_decoder(seen) && (seen.activates(Activation::Swiglu) || seen.activates(Activation::Silu))
}

/// Returns the number of linear layers with a bias, and of all linear layers, in an attention.
fn biased(unit: &NetworkOp) -> (usize, usize) {
    let linears = || unit.walk().filter(|part| part.is(BlockKind::Linear));
    (
        linears().filter(|part| part.linear().is_some_and(|linear| linear.bias)).count(),
        linears().count(),
    )
}

/// Whether every attention has one of these numbers of linear layers with a bias, of all.
fn all_biased(seen: &Seen<'_, '_>, wanted: &[(usize, usize)]) -> bool {
    seen.stats.attention.iter().all(|unit| wanted.contains(&biased(unit)))
}

pub(super) fn qwen3(seen: &Seen<'_, '_>) -> Recognition {
    // Two norms in the layer, one on the queries and one on the keys.
    let inside = seen
        .stats
        .attention
        .iter()
        .all(|unit| unit.walk().filter(|part| part.is(BlockKind::RmsNorm)).count() == 2);
    let many = norms_per_layer(seen) == Some(4);
    (gated_decoder(seen) && (inside || many))
        .then(|| (Medium, "Llama architecture with query and key norms".to_owned()))
}

pub(super) fn qwen2(seen: &Seen<'_, '_>) -> Recognition {
    // Queries, keys and values have a bias, the output projection has none.
    (gated_decoder(seen) && all_biased(seen, &[(3, 4), (1, 2)]))
        .then(|| (Medium, "Llama architecture with query, key and value biases".to_owned()))
}

/// As Llama, with one projection for queries, keys and values, and one for gate and up.
pub(super) fn phi3(seen: &Seen<'_, '_>) -> Recognition {
    let net = seen.stats.net;
    let linears = |unit: &NetworkOp| unit.walk().filter(|part| part.is(BlockKind::Linear)).count();
    let mut inner = net.all().filter(|unit| unit.is(BlockKind::FeedForward)).peekable();
    let packed = inner.peek().is_some() && inner.all(|unit| linears(unit) == 2);
    (gated_decoder(seen) && packed && all_biased(seen, &[(0, 2)]))
        .then(|| (Medium, "Llama architecture with fused projections".to_owned()))
}

/// Others, such as Mistral, have the same structure: only a name makes the confidence high.
pub(super) fn llama(seen: &Seen<'_, '_>) -> Recognition {
    if gated_decoder(seen) {
        let sure = if seen.stats.mentions("llama") { High } else { Medium };
        let words = "decoder with pre-norm RMSNorm, rotary position embedding and SwiGLU";
        return Some((sure, words.to_owned()));
    }
    let fits = seen.styled(Style::Decoder) && seen.text() && seen.normalizes(NormKind::RmsNorm);
    let relative = seen.stats.attends(|it| it.relative) || seen.has_positions();
    (fits && seen.activates(Activation::Swiglu) && seen.normed(NormPosition::Pre) && !relative)
        .then(|| {
            let words = "decoder with pre-norm RMSNorm and SwiGLU; position embedding not found";
            (Medium, words.to_owned())
        })
}

/// A token decoder with LayerNorm, rotary position embedding and an ungated feed-forward network.
fn rotary_layer_decoder(seen: &Seen<'_, '_>) -> bool {
    let fits = seen.styled(Style::Decoder) && seen.text() && seen.normalizes(NormKind::LayerNorm);
    fits && seen.rotates()
        && !seen.activates(Activation::Swiglu)
        && !seen.activates(Activation::Geglu)
}

/// Whether attention and feed-forward network of a layer share one LayerNorm.
fn shares_a_norm(seen: &Seen<'_, '_>) -> bool {
    seen.norms(NormKind::LayerNorm) == seen.layers().saturating_add(1)
}

pub(super) fn falcon(seen: &Seen<'_, '_>) -> Recognition {
    (rotary_layer_decoder(seen) && seen.has_one_key()).then(|| {
        (
            Medium,
            "decoder with LayerNorm, rotary position embedding and multi-query attention"
                .to_owned(),
        )
    })
}

pub(super) fn gptj(seen: &Seen<'_, '_>) -> Recognition {
    let bare = all_biased(seen, &[(0, 4), (0, 2)]);
    (rotary_layer_decoder(seen) && shares_a_norm(seen) && bare).then(|| {
        let words = "decoder with rotary position embedding, one LayerNorm for attention and \
                     feed-forward, and attention without biases";
        (Medium, words.to_owned())
    })
}

pub(super) fn phi(seen: &Seen<'_, '_>) -> Recognition {
    let full = all_biased(seen, &[(4, 4), (2, 2)]);
    (rotary_layer_decoder(seen) && shares_a_norm(seen) && full).then(|| {
        let words = "decoder with rotary position embedding, one LayerNorm for attention and \
                     feed-forward, and attention with biases";
        (Medium, words.to_owned())
    })
}

/// Attention and feed-forward network are parallel, with a LayerNorm each.
pub(super) fn gpt_neox(seen: &Seen<'_, '_>) -> Recognition {
    let together = seen.facts.residuals.is_some_and(|count| count <= seen.layers());
    (rotary_layer_decoder(seen) && together && !shares_a_norm(seen)).then(|| {
        let words = "decoder with LayerNorm, rotary position embedding, and parallel attention and \
                     feed-forward";
        (Medium, words.to_owned())
    })
}

/// A pre-norm token decoder with LayerNorm and without cross-attention.
fn layer_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled(Style::Decoder)
        && seen.text()
        && seen.normalizes(NormKind::LayerNorm)
        && !seen.normed(NormPosition::Post)
        && !seen.rotates()
        && seen.stats.own_and_cross().1 == 0
}

/// Such a decoder with a learned position table.
fn plain_decoder(seen: &Seen<'_, '_>) -> bool {
    layer_decoder(seen) && !seen.stats.attends(|it| it.relative) && seen.has_positions()
}

/// Positions are a bias on the scores, and the embedding has a LayerNorm.
pub(super) fn bloom(seen: &Seen<'_, '_>) -> Recognition {
    let norms = seen.layers().saturating_mul(2).saturating_add(2);
    let fits = layer_decoder(seen) && !seen.has_positions() && seen.activates(Activation::Gelu);
    (fits && seen.norms(NormKind::LayerNorm) == norms).then(|| {
        let words =
            "decoder with pre-norm LayerNorm, LayerNorm after the embedding and no position table";
        (Medium, words.to_owned())
    })
}

pub(super) fn gpt_bigcode(seen: &Seen<'_, '_>) -> Recognition {
    (plain_decoder(seen) && seen.has_one_key()).then(|| {
        (Medium, "decoder with learned position embeddings and multi-query attention".to_owned())
    })
}

pub(super) fn opt(seen: &Seen<'_, '_>) -> Recognition {
    (plain_decoder(seen) && seen.activates(Activation::Relu)).then(|| {
        (Medium, "decoder with pre-norm LayerNorm, learned position embeddings and ReLU".to_owned())
    })
}

/// As GPT-2, but only the output projection of attention has a bias.
pub(super) fn gpt_neo(seen: &Seen<'_, '_>) -> Recognition {
    (plain_decoder(seen) && all_biased(seen, &[(1, 4)])).then(|| {
        let words = "decoder with pre-norm LayerNorm and learned position embeddings; queries, keys \
                     and values without biases";
        (Medium, words.to_owned())
    })
}

pub(super) fn gpt2(seen: &Seen<'_, '_>) -> Recognition {
    plain_decoder(seen).then(|| {
        let sure = if seen.activates(Activation::Gelu) { High } else { Medium };
        (sure, "decoder with pre-norm LayerNorm and learned position embeddings".to_owned())
    })
}
