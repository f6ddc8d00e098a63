//! Rules for encoders and decoders of tokens.

use super::{Seen, Told};
use crate::net::Unit;
use calipers_report::Confidence::{High, Medium};

pub(super) fn t5(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.text() && seen.normalises("RMSNorm") && !seen.rotates();
    let relative = seen.census.attends("relative");
    (fits && (relative || seen.styled("encoder-decoder"))).then(|| {
        let sure = if relative { High } else { Medium };
        (sure, "RMSNorm, and a bias by relative position in place of a position table".to_owned())
    })
}

pub(super) fn bart(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.text() && seen.styled("encoder-decoder") && seen.normalises("LayerNorm");
    (fits && !seen.rotates()).then(|| {
        let sure = if seen.normed("post") { High } else { Medium };
        (sure, "an encoder and a decoder of tokens with LayerNorm".to_owned())
    })
}

/// An encoder of tokens with LayerNorm after each part.
fn post_norm_encoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("encoder")
        && seen.text()
        && seen.normalises("LayerNorm")
        && seen.normed("post")
        && !seen.rotates()
        && !seen.census.attends("relative")
}

pub(super) fn albert(seen: &Seen<'_, '_>) -> Told {
    (post_norm_encoder(seen) && seen.shares())
        .then(|| (High, "all layers use the same weights".to_owned()))
}

pub(super) fn roberta(seen: &Seen<'_, '_>) -> Told {
    (post_norm_encoder(seen) && seen.census.count("CumSum") > 0)
        .then(|| (High, "positions are counted from the tokens that are no padding".to_owned()))
}

pub(super) fn deberta(seen: &Seen<'_, '_>) -> Told {
    let picked = seen.census.count("GatherElements") >= seen.layers();
    (post_norm_encoder(seen) && picked && !seen.has_positions())
        .then(|| (Medium, "scores of attention are picked by relative position".to_owned()))
}

pub(super) fn distilbert(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let segments = census.tables("type").next().is_some();
    let positions = census.tables("position").next().is_some();
    (post_norm_encoder(seen) && positions && !segments && census.mentions("distil"))
        .then(|| (Medium, "token and position tables without segments".to_owned()))
}

pub(super) fn bert(seen: &Seen<'_, '_>) -> Told {
    post_norm_encoder(seen).then(|| {
        let segments = seen.census.tables("type").next().is_some();
        let sure = if segments { High } else { Medium };
        (sure, "an encoder of tokens with LayerNorm after each part".to_owned())
    })
}

/// A decoder of tokens with RMSNorm and rotated positions.
fn rotary_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("decoder") && seen.text() && seen.normalises("RMSNorm") && seen.rotates()
}

pub(super) fn gemma(seen: &Seen<'_, '_>) -> Told {
    (rotary_decoder(seen) && seen.activates("geglu"))
        .then(|| (High, "a decoder with RMSNorm, rotated positions and GeGLU".to_owned()))
}

pub(super) fn mixtral(seen: &Seen<'_, '_>) -> Told {
    (rotary_decoder(seen) && seen.facts.experts.is_some())
        .then(|| (Medium, "a decoder with RMSNorm, rotated positions and experts".to_owned()))
}

/// A decoder with RMSNorm, rotated positions and SwiGLU.
fn gated_decoder(seen: &Seen<'_, '_>) -> bool {
    rotary_decoder(seen) && (seen.activates("swiglu") || seen.activates("silu"))
}

pub(super) fn qwen3(seen: &Seen<'_, '_>) -> Told {
    let layers = seen.layers();
    // Two norms of a layer, and one each of its queries and its keys.
    let inside = seen
        .census
        .attention
        .iter()
        .all(|unit| unit.walk().filter(|part| part.is("RMSNorm")).count() == 2);
    let many = seen.norms("RMSNorm") == layers.saturating_mul(4).saturating_add(1);
    (gated_decoder(seen) && (inside || many))
        .then(|| (Medium, "built as Llama, with norms of the queries and keys".to_owned()))
}

pub(super) fn qwen2(seen: &Seen<'_, '_>) -> Told {
    // Queries, keys and values have a bias, and what joins the heads has none.
    let biased = |unit: &Unit| {
        let bias: Vec<bool> =
            unit.walk().filter(|part| part.is("Linear")).map(|part| part.says("bias")).collect();
        let with = bias.iter().filter(|bias| **bias).count();
        with == 3 && bias.len() == 4 || with == 1 && bias.len() == 2
    };
    (gated_decoder(seen) && seen.census.attention.iter().all(|unit| biased(unit)))
        .then(|| (Medium, "built as Llama, with biases of queries, keys and values".to_owned()))
}

pub(super) fn llama(seen: &Seen<'_, '_>) -> Told {
    gated_decoder(seen).then(|| {
        (High, "a decoder with RMSNorm before each part, rotated positions and SwiGLU".to_owned())
    })
}

pub(super) fn falcon(seen: &Seen<'_, '_>) -> Told {
    gpt_neox(seen).filter(|_| seen.has_one_key()).map(|_| {
        (Medium, "a decoder with LayerNorm, rotated positions and one key for all heads".to_owned())
    })
}

pub(super) fn gpt_neox(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.styled("decoder") && seen.text() && seen.normalises("LayerNorm");
    (fits && seen.rotates())
        .then(|| (Medium, "a decoder with LayerNorm and rotated positions".to_owned()))
}

/// A decoder of tokens alone with LayerNorm before each part and learned positions.
fn plain_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("decoder")
        && seen.text()
        && seen.normalises("LayerNorm")
        && !seen.normed("post")
        && !seen.rotates()
        && !seen.census.attends("relative")
        && seen.has_positions()
        && seen.census.own_and_cross().1 == 0
}

pub(super) fn gpt_bigcode(seen: &Seen<'_, '_>) -> Told {
    (plain_decoder(seen) && seen.has_one_key())
        .then(|| (Medium, "a decoder with learned positions and one key for all heads".to_owned()))
}

pub(super) fn opt(seen: &Seen<'_, '_>) -> Told {
    (plain_decoder(seen) && seen.activates("relu")).then(|| {
        (Medium, "a decoder with LayerNorm before each part, learned positions and ReLU".to_owned())
    })
}

pub(super) fn gpt2(seen: &Seen<'_, '_>) -> Told {
    plain_decoder(seen).then(|| {
        let sure = if seen.activates("gelu") { High } else { Medium };
        (sure, "a decoder with LayerNorm before each part and learned positions".to_owned())
    })
}
