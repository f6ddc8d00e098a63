//! Rules for encoders and decoders of tokens.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Activation, NormKind, NormPosition, Style};

use super::{Recognition, Seen};
use crate::network::{BlockKind, NetworkOp, TableKind};

pub(super) fn t5(seen: &Seen<'_, '_>) -> Recognition {
    let fits = seen.text() && seen.normalizes(NormKind::RmsNorm) && !seen.rotates();
    let relative = seen.stats.attends(|it| it.relative);
    (fits && (relative || seen.styled(Style::EncoderDecoder))).then(|| {
        let sure = if relative { High } else { Medium };
        (sure, "RMSNorm and a relative position bias instead of a position table".to_owned())
    })
}

/// An encoder and a decoder of tokens with LayerNorm. Gives how many norms there are next to those of
/// the layers: each has one at its attention, one at its feed-forward, and one where it looks at
/// the other sequence.
fn norms_next_to_layers(seen: &Seen<'_, '_>) -> Option<i64> {
    let fits =
        seen.text() && seen.styled(Style::EncoderDecoder) && seen.normalizes(NormKind::LayerNorm);
    let (own, cross) = seen.stats.own_and_cross();
    let layers = i64::try_from(own.saturating_mul(2).saturating_add(cross)).ok()?;
    (fits && !seen.rotates()).then(|| seen.norms(NormKind::LayerNorm) - layers)
}

pub(super) fn bart(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_next_to_layers(seen)? == 2
        && seen.normed(NormPosition::Post)
        && seen.activates(Activation::Gelu);
    let words =
        "token encoder and decoder, post-norm LayerNorm, and LayerNorm after the embeddings";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn marian(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_next_to_layers(seen)? == 0 && seen.normed(NormPosition::Post);
    let words = "token encoder and decoder, post-norm LayerNorm only";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn mbart(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_next_to_layers(seen)? == 4 && seen.normed(NormPosition::Pre);
    let words = "an encoder and a decoder of tokens, LayerNorm before each part, after the tables \
                 and at the ends";
    fits.then(|| (Medium, words.to_owned()))
}

pub(super) fn m2m100(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_next_to_layers(seen)? == 2 && seen.normed(NormPosition::Pre);
    let words = "token encoder and decoder, pre-norm LayerNorm with final norms; \
                 position ids are computed from the non-padding tokens";
    (fits && seen.stats.count("CumSum") > 0).then(|| (Medium, words.to_owned()))
}

/// Others are built alike: a name must say it.
pub(super) fn pegasus(seen: &Seen<'_, '_>) -> Recognition {
    let fits = norms_next_to_layers(seen)? == 2 && seen.normed(NormPosition::Pre);
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

/// BERT with a bias by relative position next to its positions.
pub(super) fn mpnet(seen: &Seen<'_, '_>) -> Recognition {
    let both = seen.stats.attends(|it| it.relative) && seen.has_positions();
    (post_norm_layers(seen) && both)
        .then(|| (Medium, "a position table and a relative position bias".to_owned()))
}

/// An encoder with rotated positions and GeGLU.
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
    post_norm_encoder(seen).then(|| {
        let segments = seen.stats.tables(TableKind::Type).next().is_some();
        // Narrow tables are those of others, whose layers may share weights in ways not seen.
        let mut tables = seen.stats.tables(TableKind::Token);
        let wide = tables.all(|table| table.width == seen.facts.hidden);
        let sure = if segments && wide { High } else { Medium };
        (sure, "token encoder with post-norm LayerNorm".to_owned())
    })
}

/// Norms of every layer of a decoder with RMSNorm, next to the last one.
fn norms_of_a_layer(seen: &Seen<'_, '_>) -> Option<i64> {
    let inside = seen.norms(NormKind::RmsNorm).checked_sub(1)?;
    let layers = seen.layers();
    (layers > 0 && inside % layers == 0).then(|| inside / layers)
}

/// A decoder of tokens with RMSNorm and rotated positions.
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
        && norms_of_a_layer(seen) == Some(norms)
}

pub(super) fn gemma3(seen: &Seen<'_, '_>) -> Recognition {
    gemma_of(seen, 6).then(|| {
        let words = "a decoder with RMSNorm before and after each part and of the queries and \
                     keys, rotated positions and GeGLU";
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

/// A decoder with RMSNorm, rotated positions and SwiGLU.
fn gated_decoder(seen: &Seen<'_, '_>) -> bool {
    rotary_decoder(seen) && (seen.activates(Activation::Swiglu) || seen.activates(Activation::Silu))
}

/// Products with a bias and all products, of an attention.
fn biased(unit: &NetworkOp) -> (usize, usize) {
    let linears = || unit.walk().filter(|part| part.is(BlockKind::Linear));
    (
        linears().filter(|part| part.linear().is_some_and(|linear| linear.bias)).count(),
        linears().count(),
    )
}

/// Whether every attention has one of these numbers of products with a bias, of all products.
fn all_biased(seen: &Seen<'_, '_>, wanted: &[(usize, usize)]) -> bool {
    seen.stats.attention.iter().all(|unit| wanted.contains(&biased(unit)))
}

pub(super) fn qwen3(seen: &Seen<'_, '_>) -> Recognition {
    // Two norms of a layer, and one each of its queries and its keys.
    let inside = seen
        .stats
        .attention
        .iter()
        .all(|unit| unit.walk().filter(|part| part.is(BlockKind::RmsNorm)).count() == 2);
    let many = norms_of_a_layer(seen) == Some(4);
    (gated_decoder(seen) && (inside || many))
        .then(|| (Medium, "Llama architecture with query and key norms".to_owned()))
}

pub(super) fn qwen2(seen: &Seen<'_, '_>) -> Recognition {
    // Queries, keys and values have a bias, and what joins the heads has none.
    (gated_decoder(seen) && all_biased(seen, &[(3, 4), (1, 2)]))
        .then(|| (Medium, "Llama architecture with query, key and value biases".to_owned()))
}

/// As Llama, with one product for queries, keys and values, and one for gate and value.
pub(super) fn phi3(seen: &Seen<'_, '_>) -> Recognition {
    let net = seen.stats.net;
    let products = |unit: &NetworkOp| unit.walk().filter(|part| part.is(BlockKind::Linear)).count();
    let mut inner = net.all().filter(|unit| unit.is(BlockKind::FeedForward)).peekable();
    let packed = inner.peek().is_some() && inner.all(|unit| products(unit) == 2);
    (gated_decoder(seen) && packed && all_biased(seen, &[(0, 2)]))
        .then(|| (Medium, "Llama architecture with fused projections".to_owned()))
}

/// Others, such as Mistral, are built the same: only a name makes it sure.
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

/// A decoder of tokens with LayerNorm, rotated positions and no gate.
fn rotary_layer_decoder(seen: &Seen<'_, '_>) -> bool {
    let fits = seen.styled(Style::Decoder) && seen.text() && seen.normalizes(NormKind::LayerNorm);
    fits && seen.rotates()
        && !seen.activates(Activation::Swiglu)
        && !seen.activates(Activation::Geglu)
}

/// Whether attention and feed-forward of a layer read the same, so that one norm will do.
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
        let words = "a decoder with rotated positions, one LayerNorm for both parts of a layer, \
                     and attention without biases";
        (Medium, words.to_owned())
    })
}

pub(super) fn phi(seen: &Seen<'_, '_>) -> Recognition {
    let full = all_biased(seen, &[(4, 4), (2, 2)]);
    (rotary_layer_decoder(seen) && shares_a_norm(seen) && full).then(|| {
        let words = "a decoder with rotated positions, one LayerNorm for both parts of a layer, \
                     and attention with biases";
        (Medium, words.to_owned())
    })
}

/// Both parts of a layer read its input, each by a norm of its own, and are added to it together.
pub(super) fn gpt_neox(seen: &Seen<'_, '_>) -> Recognition {
    let together = seen.facts.residuals.is_some_and(|count| count <= seen.layers());
    (rotary_layer_decoder(seen) && together && !shares_a_norm(seen)).then(|| {
        let words = "a decoder with LayerNorm and rotated positions, whose attention and \
                     feed-forward are added together";
        (Medium, words.to_owned())
    })
}

/// A decoder of tokens alone with LayerNorm before each part.
fn layer_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled(Style::Decoder)
        && seen.text()
        && seen.normalizes(NormKind::LayerNorm)
        && !seen.normed(NormPosition::Post)
        && !seen.rotates()
        && seen.stats.own_and_cross().1 == 0
}

/// One with learned positions.
fn plain_decoder(seen: &Seen<'_, '_>) -> bool {
    layer_decoder(seen) && !seen.stats.attends(|it| it.relative) && seen.has_positions()
}

/// Positions are a bias of the scores, and the tables have a norm of their own.
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

/// As GPT-2, but only what joins the heads has a bias.
pub(super) fn gpt_neo(seen: &Seen<'_, '_>) -> Recognition {
    (plain_decoder(seen) && all_biased(seen, &[(1, 4)])).then(|| {
        let words = "a decoder with LayerNorm before each part and learned positions, queries, \
                     keys and values without biases";
        (Medium, words.to_owned())
    })
}

pub(super) fn gpt2(seen: &Seen<'_, '_>) -> Recognition {
    plain_decoder(seen).then(|| {
        let sure = if seen.activates(Activation::Gelu) { High } else { Medium };
        (sure, "decoder with pre-norm LayerNorm and learned position embeddings".to_owned())
    })
}
