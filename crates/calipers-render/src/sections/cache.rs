//! The cache of keys and values, of models that keep one.

use calipers_report::KvCache;

use super::context::Context;
use super::wording::quoted;
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::units;
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(cache) = &report.memory.kv_cache else { return vec![] };
    let mut facts = Facts::default();
    let per_token = cache.bytes_per_token;
    let per_token = context.known("memory.kv_cache.bytes_per_token", per_token, Value::LongBytes);
    facts.add("Bytes per token, one sequence", per_token);
    facts.add("Layers", Value::Integer(cache.layers));
    facts.add("KV heads", cache.kv_heads.map(Value::Integer));
    facts.add("Head dimension", cache.head_dim.map(Value::Integer));
    facts.add("Type", (!cache.dtype.is_empty()).then(|| Value::prose(&cache.dtype)));
    let fixed = cache.fixed_bytes.filter(|bytes| *bytes > 0);
    facts.add("Fixed bytes", fixed.map(Value::LongBytes));
    if let (Some(bytes), Some(tokens)) = (cache.bytes_at_context, cache.context) {
        let tokens = units::counted(tokens, "token", "tokens");
        facts.add(format!("At {tokens}"), Value::LongBytes(bytes));
    }
    facts.add("Sequences per run", cache.sequences.map(Value::Integer));
    facts.add("Attention window", window(cache));
    facts.add("Bytes if only the window were kept", cache.bytes_in_window.map(Value::LongBytes));
    let mut blocks = vec![Block::Facts(facts)];
    let evidence = quoted(&cache.evidence, 4);
    if !evidence.is_empty() {
        blocks.extend([Block::paragraph("Evidence:"), Block::list(evidence)]);
    }
    blocks
}

/// How many tokens attention is limited to, and in how many layers.
fn window(cache: &KvCache) -> Option<String> {
    cache.window.map(|window| {
        let layers = units::counted(cache.windowed_layers, "layer", "layers");
        format!("{} in {layers}", units::counted(window, "token", "tokens"))
    })
}

/// The cache in one row of a screen.
pub(super) fn brief(cache: &KvCache) -> Vec<Spans> {
    let mut values = vec![match cache.bytes_per_token {
        Some(bytes) => Spans::plain(format!("{} per token", units::bytes(bytes))),
        None => Spans::plain("bytes per token ").and_value(Value::Missing(None)),
    }];
    let layers = units::counted(cache.layers, "layer", "layers");
    let heads = cache.kv_heads.map(|heads| units::counted(heads, "head", "heads"));
    let width = cache.head_dim.map(units::integer);
    let shape: Vec<String> = std::iter::once(layers).chain(heads).chain(width).collect();
    values.push(Spans::plain(shape.join(" × ")));
    if !cache.dtype.is_empty() {
        values.push(Value::name(&cache.dtype).into());
    }
    if let Some(bytes) = cache.fixed_bytes.filter(|bytes| *bytes > 0) {
        values.push(Spans::plain(format!("{} fixed", units::bytes(bytes))));
    }
    if let (Some(bytes), Some(tokens)) = (cache.bytes_at_context, cache.context) {
        let tokens = units::counted(tokens, "token", "tokens");
        values.push(Spans::plain(format!("{} at {tokens}", units::bytes(bytes))));
    }
    values.extend(window(cache).map(Spans::plain));
    values
}
