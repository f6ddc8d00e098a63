//! The cache of keys and values, of models that keep one.

use calipers_report::Report;

use super::wording::{quoted, unknown};
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::units;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let Some(cache) = &report.memory.kv_cache else { return vec![] };
    let mut facts = Facts::default();
    facts.add(
        "Bytes a token, for one sequence",
        match cache.bytes_per_token {
            Some(bytes) => Value::LongBytes(bytes),
            None => unknown(report, "memory.kv_cache.bytes_per_token"),
        },
    );
    facts.add("Layers", Value::Integer(cache.layers));
    facts.add("Heads of keys and values", cache.kv_heads.map(Value::Integer));
    facts.add("Width of a head", cache.head_dim.map(Value::Integer));
    facts.add("Type", (!cache.dtype.is_empty()).then(|| Value::prose(&cache.dtype)));
    let fixed = cache.fixed_bytes.filter(|bytes| *bytes > 0);
    facts.add("Bytes that do not grow", fixed.map(Value::LongBytes));
    if let (Some(bytes), Some(tokens)) = (cache.bytes_at_context, cache.context) {
        let tokens = units::counted(tokens, "token", "tokens");
        facts.add(format!("At {tokens}"), Value::LongBytes(bytes));
    }
    facts.add("Sequences of the run", cache.sequences.map(Value::Integer));
    facts.add(
        "Window",
        cache.window.map(|window| {
            let layers = units::counted(cache.windowed_layers, "layer looks", "layers look");
            format!("{layers} back {}", units::counted(window, "token", "tokens"))
        }),
    );
    facts.add("If no more were kept", cache.bytes_in_window.map(Value::LongBytes));
    let mut blocks = vec![Block::Facts(facts)];
    let evidence = quoted(&cache.evidence, 4);
    if !evidence.is_empty() {
        blocks.extend([Block::paragraph("What shows it:"), Block::list(evidence)]);
    }
    blocks
}
