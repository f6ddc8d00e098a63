//! The cache of keys and values, of models that keep one.

use calipers_report::Report;

use crate::markdown::escape::{plain, told};
use crate::markdown::grid::Table;
use crate::markdown::page::Page;
use crate::markdown::words::{size, unknown};
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    let Some(cache) = &report.memory.kv_cache else { return };
    let mut table = Table::facts();
    table.fact(
        "Bytes a token, for one sequence",
        match cache.bytes_per_token {
            Some(bytes) => size(bytes),
            None => unknown(report, "memory.kv_cache.bytes_per_token"),
        },
    );
    table.fact("Layers", units::integer(cache.layers));
    table.fact("Heads of keys and values", cache.kv_heads.map(units::integer));
    table.fact("Width of a head", cache.head_dim.map(units::integer));
    table.fact("Type", (!cache.dtype.is_empty()).then(|| plain(&cache.dtype)));
    let fixed = cache.fixed_bytes.filter(|bytes| *bytes > 0);
    table.fact("Bytes that do not grow", fixed.map(size));
    if let (Some(bytes), Some(tokens)) = (cache.bytes_at_context, cache.context) {
        let tokens = units::counted(tokens, "token", "tokens");
        table.fact(&format!("At {tokens}"), size(bytes));
    }
    table.fact("Sequences of the run", cache.sequences.map(units::integer));
    table.fact(
        "Window",
        cache.window.map(|window| {
            let layers = units::counted(cache.windowed_layers, "layer looks", "layers look");
            format!("{layers} back {}", units::counted(window, "token", "tokens"))
        }),
    );
    table.fact("If no more were kept", cache.bytes_in_window.map(size));
    page.table(&table);
    let evidence: Vec<String> = cache.evidence.iter().take(4).map(|words| told(words)).collect();
    if !evidence.is_empty() {
        page.text("What shows it:");
        page.list(&evidence);
    }
}
