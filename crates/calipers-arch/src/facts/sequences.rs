//! Attention, feed-forward, embeddings, recurrence.
//!
//! A figure is given when all blocks of its kind agree on it.

use calipers_report::{ArchitectureFacts, AttentionKind, NormPosition};

use crate::network::{Attention, AttentionScope, Network, NetworkOp, Recurrent, TableKind};

pub(super) fn fill(net: &Network<'_>, facts: &mut ArchitectureFacts) {
    let attentions: Vec<(&NetworkOp, &Attention)> =
        net.all().filter_map(|unit| Some((unit, unit.attention()?))).collect();
    attention(net, &attentions, facts);
    facts.ffn = agreed(net.all().filter_map(|unit| unit.feed_forward()).map(|it| it.inner));
    let experts = || net.all().filter_map(|unit| unit.mixture_of_experts());
    facts.experts = agreed(experts().map(|it| it.experts));
    facts.experts_per_token = agreed(experts().map(|it| it.top_k));
    let tables = net.all().filter_map(|unit| unit.embedding());
    let tokens = tables.filter(|table| table.of == TableKind::Token);
    facts.vocab = agreed(tokens.map(|table| table.rows));
    let layers: Vec<&Recurrent> = net.all().filter_map(|unit| unit.recurrent()).collect();
    recurrence(&layers, facts);
}

fn attention(net: &Network<'_>, units: &[(&NetworkOp, &Attention)], facts: &mut ArchitectureFacts) {
    if units.is_empty() {
        return;
    }
    let all = || units.iter().map(|(_, attention)| *attention);
    facts.layers = layers(net, units);
    facts.heads = agreed(all().map(|it| it.heads));
    facts.kv_heads = agreed(all().map(|it| it.kv_heads));
    facts.head_dim = agreed(all().map(|it| it.head_dim));
    facts.hidden = agreed(all().map(|it| it.width));
    let described: Vec<&Attention> = all().collect();
    facts.attention = kind(&described, facts);
    facts.rope = Some(all().any(|it| it.rotary));
    let over = |scope| all().any(|it| it.over == scope);
    facts.cross_attention = Some(over(AttentionScope::Own) && over(AttentionScope::Cross));
    // The first layer may read what nothing normalized yet.
    let norms = all().filter_map(|it| it.norm);
    facts.norm_position = most(norms.map(NormPosition::id)).and_then(|it| it.parse().ok());
}

/// Layers are counted by their self-attention. A decoder's first one may be a constant, as that
/// over learned queries is: then its attention to the encoder represents it.
fn layers(net: &Network<'_>, units: &[(&NetworkOp, &Attention)]) -> Option<i64> {
    let (other, own): (Vec<_>, Vec<_>) = units.iter().partition(|(_, it)| it.is_cross());
    let length = |(unit, _): &&(&NetworkOp, &Attention)| net.shape(unit.output())?.get(1).cloned();
    let cross_length = other.first().and_then(length);
    let decoder = own.iter().filter(|unit| cross_length.is_some() && length(unit) == cross_length);
    let decoder = decoder.count();
    let missing = if decoder > 0 { other.len().saturating_sub(decoder) } else { 0 };
    i64::try_from(own.len() + missing).ok().filter(|layers| *layers > 0)
}

fn kind(attentions: &[&Attention], facts: &ArchitectureFacts) -> Option<AttentionKind> {
    match (facts.heads, facts.kv_heads) {
        (Some(heads), Some(1)) if heads > 1 => return Some(AttentionKind::MultiQuery),
        (Some(heads), Some(kv_heads)) if kv_heads < heads => {
            return Some(AttentionKind::GroupedQuery);
        }
        _ => {}
    }
    if attentions.iter().all(|it| it.windowed) {
        return Some(AttentionKind::Windowed);
    }
    let many = attentions.iter().all(|it| it.heads.is_some_and(|heads| heads > 1));
    many.then_some(AttentionKind::MultiHead)
}

fn recurrence(units: &[&Recurrent], facts: &mut ArchitectureFacts) {
    if units.is_empty() {
        return;
    }
    facts.bidirectional = Some(units.iter().any(|unit| unit.bidirectional));
    if facts.layers.is_none() {
        facts.layers = i64::try_from(units.len()).ok();
        facts.hidden = agreed(units.iter().map(|unit| unit.hidden));
    }
}

/// The word that at least three of four say.
fn most<'w>(words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let words: Vec<&str> = words.collect();
    let said = |word: &str| words.iter().filter(|other| **other == word).count();
    words.iter().copied().find(|word| said(word) * 4 >= words.len() * 3)
}

/// The figure that all agree on.
fn agreed<T: PartialEq>(mut figures: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = figures.next()??;
    figures.all(|figure| figure.as_ref() == Some(&first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::most;

    #[test]
    fn a_clear_majority() {
        let of = |words: &[&'static str]| most(words.iter().copied());
        assert_eq!(of(&["post", "post", "post", "pre"]), Some("post"));
        assert_eq!(of(&["post", "pre"]), None);
        assert_eq!(of(&["pre"]), Some("pre"));
        assert_eq!(of(&[]), None);
    }
}
