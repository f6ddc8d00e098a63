//! What one run keeps in memory.
//!
//! ```text
//!   Memory       weights      22.77 MB (22,766,287 bytes)
//!                activations  50.18 kB (50,176 bytes) · 25.09 kB in place · at Plus30
//!                over time    ▃▃█▇▅▄▃▂▁▁▁▁
//!                KV cache     36.86 kB a token · 6 layers × 12 heads × 64 · float16
//! ```

use calipers_report::{KvCache, Memory, Report};

use super::header::size;
use super::page::{Line, Page, Role};
use super::reasons::Reasons;
use super::rows::Rows;
use crate::{text, units};

/// Columns of the keys and the gap after them.
const KEYS: usize = 13;
/// The node at the peak is not cut below this.
const NODE: usize = 18;
/// Lines of a formula.
const LINES: usize = 2;

/// Weights, activations at their peak, and the cache of keys and values.
pub(super) fn run(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let memory = &report.memory;
    let mut rows = Rows::default();
    if let Some(bytes) = memory.weights_bytes.filter(|bytes| *bytes > 0) {
        rows.facts("weights", vec![size(bytes)]);
    }
    activations(memory, reasons, page, &mut rows);
    if let Some(line) = timeline(memory, page) {
        rows.facts("over time", vec![line]);
    }
    if let Some(cache) = &memory.kv_cache {
        rows.facts("KV cache", kv_cache(cache, page));
    }
    let lines = rows.set(page);
    page.section("Memory", "", lines);
}

/// Cells of the line that shows activations over time.
const CELLS: usize = 40;

/// Bytes alive from the first node to the last, each cell the most of its stretch; where there are
/// too few nodes to see anything, nothing.
fn timeline(memory: &Memory, page: &Page) -> Option<Line> {
    const HEIGHTS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let nodes = memory.timeline.len();
    let cells = CELLS.min(page.body().saturating_sub(KEYS)).min(nodes);
    let peak = u128::from(*memory.timeline.iter().max()?);
    if cells < 8 || peak == 0 || page.charset == text::Charset::Ascii {
        return None;
    }
    let mut line = String::new();
    for cell in 0..cells {
        let stretch = &memory.timeline[cell * nodes / cells..(cell + 1) * nodes / cells];
        let most = u128::from(stretch.iter().copied().max().unwrap_or(0));
        let height = usize::try_from(most * 7 / peak).unwrap_or(7).min(7);
        line.push_str(HEIGHTS[height]);
    }
    Some(Line::of(Role::Accent, line))
}

fn activations(memory: &Memory, reasons: &mut Reasons<'_>, page: &Page, rows: &mut Rows) {
    const PEAK: &str = "memory.peak_activation_bytes";
    const IN_PLACE: &str = "memory.peak_activation_in_place_bytes";
    let key = "activations";
    let Some(peak) = memory.peak_activation_bytes else {
        if let Some(formula) = &memory.formula {
            reasons.settle(PEAK);
            reasons.settle(IN_PLACE);
            let line = Line::of(Role::Plain, text::prose(formula, page.charset));
            rows.prose(key, line.and(Role::Quiet, " bytes"), LINES);
        } else if reasons.explains(PEAK) {
            rows.facts(key, vec![reasons.unknown(PEAK)]);
            reasons.settle(IN_PLACE);
        }
        return;
    };
    let mut facts = vec![size(peak)];
    match memory.peak_activation_in_place_bytes {
        Some(bytes) if bytes < peak => {
            facts.push(Line::of(Role::Plain, format!("{} in place", units::bytes(bytes))));
        }
        Some(_) => {}
        None if reasons.explains(IN_PLACE) => {
            facts.push(Line::of(Role::Plain, "in place ").and_line(reasons.unknown(IN_PLACE)));
        }
        None => {}
    }
    if let Some(node) = memory.peak_at.as_deref().filter(|node| !node.is_empty()) {
        // Cut to what is left of the line, so that the usual case takes one.
        let used: usize = facts.iter().map(|fact| fact.width() + 3).sum();
        let room = page.body().saturating_sub(used + KEYS + 3).max(NODE);
        let node = Line::of(Role::Plain, text::name(node, page.charset));
        facts.push(Line::of(Role::Plain, "at ").and_line(node.cut(room, page.charset)));
    }
    rows.facts(key, facts);
}

fn kv_cache(cache: &KvCache, page: &Page) -> Vec<Line> {
    let plain = |text: String| Line::of(Role::Plain, text);
    let per_token = match cache.bytes_per_token {
        Some(bytes) => plain(format!("{} a token", units::bytes(bytes))),
        None => plain("bytes a token ".to_owned()).and(Role::Warning, "unknown"),
    };
    let mut facts = vec![per_token];
    let times = page.glyph(" × ", " x ");
    let mut shape = units::counted(cache.layers, "layer", "layers");
    if let Some(heads) = cache.kv_heads {
        shape += &format!("{times}{}", units::counted(heads, "head", "heads"));
    }
    if let Some(size) = cache.head_dim {
        shape += &format!("{times}{}", units::integer(size));
    }
    facts.push(plain(shape));
    if !cache.dtype.is_empty() {
        facts.push(plain(text::name(&cache.dtype, page.charset)));
    }
    if let Some(bytes) = cache.fixed_bytes.filter(|bytes| *bytes > 0) {
        facts.push(plain(format!("{} besides", units::bytes(bytes))));
    }
    if let (Some(bytes), Some(tokens)) = (cache.bytes_at_context, cache.context) {
        let tokens = units::counted(tokens, "token", "tokens");
        facts.push(plain(format!("{} at {tokens}", units::bytes(bytes))));
    }
    if let Some(window) = cache.window {
        let layers = units::counted(cache.windowed_layers, "layer looks", "layers look");
        facts.push(plain(format!("{layers} back {}", units::counted(window, "token", "tokens"))));
    }
    facts
}
