//! Attention, feed-forward, embeddings, recurrence.
//!
//! A figure is given when all blocks of its kind agree on it.

use calipers_report::ArchitectureFacts;

use crate::net::{Net, Unit};

pub(super) fn fill(net: &Net<'_>, facts: &mut ArchitectureFacts) {
    let of_kind = |kind: &str| -> Vec<&Unit> { net.all().filter(|unit| unit.is(kind)).collect() };
    attention(net, &of_kind("Attention"), facts);
    facts.ffn = agreed(of_kind("FeedForward").iter().map(|unit| unit.number("inner")));
    let experts = of_kind("MixtureOfExperts");
    facts.experts = agreed(experts.iter().map(|unit| unit.number("experts")));
    facts.experts_per_token = agreed(experts.iter().map(|unit| unit.number("top_k")));
    let tables = of_kind("Embedding");
    let tokens = tables.iter().filter(|unit| unit.word("of") == Some("token"));
    facts.vocab = agreed(tokens.map(|unit| unit.number("rows")));
    recurrence(&of_kind("Recurrent"), facts);
}

fn attention(net: &Net<'_>, units: &[&Unit], facts: &mut ArchitectureFacts) {
    if units.is_empty() {
        return;
    }
    let number = |name| agreed(units.iter().map(|unit| unit.number(name)));
    facts.layers = layers(net, units);
    facts.heads = number("heads");
    facts.kv_heads = number("kv_heads");
    facts.head_dim = number("head_dim");
    facts.hidden = number("width");
    facts.attention = kind(units, facts).map(str::to_owned);
    facts.rope = Some(units.iter().any(|unit| unit.says("rotary")));
    let over = |word| units.iter().any(|unit| unit.word("over") == Some(word));
    facts.cross_attention = Some(over("self") && over("cross"));
    // The first layer may read what nothing normalised yet.
    let norms = units.iter().filter_map(|unit| unit.word("norm"));
    facts.norm_position = most(norms).map(str::to_owned);
}

/// Layers are counted by their self-attention. A decoder's first one may be a constant, as that
/// over learned queries is: then its attention to the encoder stands for it.
fn layers(net: &Net<'_>, units: &[&Unit]) -> Option<i64> {
    let (own, other): (Vec<&Unit>, Vec<&Unit>) =
        units.iter().partition(|unit| unit.word("over") == Some("self"));
    let length = |unit: &Unit| net.shape(unit.output()).and_then(|shape| shape.get(1)).cloned();
    let cross_length = other.first().and_then(|unit| length(unit));
    let decoder = own.iter().filter(|unit| cross_length.is_some() && length(unit) == cross_length);
    let decoder = decoder.count();
    let missing = if decoder > 0 { other.len().saturating_sub(decoder) } else { 0 };
    i64::try_from(own.len() + missing).ok().filter(|layers| *layers > 0)
}

fn kind(units: &[&Unit], facts: &ArchitectureFacts) -> Option<&'static str> {
    match (facts.heads, facts.kv_heads) {
        (Some(heads), Some(1)) if heads > 1 => return Some("multi-query"),
        (Some(heads), Some(kv_heads)) if kv_heads < heads => return Some("grouped-query"),
        _ => {}
    }
    if units.iter().all(|unit| unit.says("windowed")) {
        return Some("windowed");
    }
    let many = units.iter().all(|unit| unit.number("heads").is_some_and(|heads| heads > 1));
    many.then_some("multi-head")
}

fn recurrence(units: &[&Unit], facts: &mut ArchitectureFacts) {
    if units.is_empty() {
        return;
    }
    facts.bidirectional = Some(units.iter().any(|unit| unit.says("bidirectional")));
    if facts.layers.is_none() {
        facts.layers = i64::try_from(units.len()).ok();
        facts.hidden = agreed(units.iter().map(|unit| unit.number("hidden")));
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
