//! How the network is built: kind, figures, blocks, what repeats, what goes around.

use calipers_report::{Architecture, ArchitectureFacts, Repeat, Report};

use crate::markdown::escape::{code, plain};
use crate::markdown::page::Page;
use crate::markdown::table::{Align, Table};
use crate::markdown::words::{kind as kind_word, spaced, sure};
use crate::units;

/// Kinds of block, repeats and skips that are written.
const MOST: usize = 30;
/// How deep repeats inside repeats are followed.
const DEPTH: usize = 4;
/// What differs between repeats, at most so many of them.
const DIFFERS: usize = 5;

pub(super) fn write(report: &Report, page: &mut Page) {
    let architecture = &report.architecture;
    page.table(&kind(architecture));
    blocks(architecture, page);
    repeats(architecture, page);
    skips(architecture, page);
}

fn kind(architecture: &Architecture) -> Table {
    let mut table = Table::facts();
    table.fact("Kind", architecture.kind.map(|kind| plain(&kind_word(kind.id()))));
    table.fact("Style", architecture.style.map(|style| plain(&spaced(style.id()))));
    let family = architecture
        .family
        .map(|family| format!("{} ({})", plain(family.id()), sure(architecture.confidence)));
    table.fact("Family", family);
    figures(&architecture.facts, &mut table);
    table
}

/// Figures of the network, as far as they apply.
fn figures(facts: &ArchitectureFacts, table: &mut Table) {
    let number = |value: i64| match u64::try_from(value) {
        Ok(value) => units::integer(value),
        Err(_) => value.to_string(),
    };
    let mut fact = |what: &str, value: Option<i64>| table.fact(what, value.map(number));
    fact("Layers", facts.layers);
    fact("Attention heads", facts.heads);
    fact("Heads of keys and values", facts.kv_heads.filter(|_| facts.kv_heads != facts.heads));
    fact("Width of a head", facts.head_dim);
    fact("Hidden width", facts.hidden);
    fact("Feed-forward width", facts.ffn);
    fact("Vocabulary", facts.vocab);
    fact("Experts", facts.experts);
    fact("Experts for each token", facts.experts_per_token);
    fact("Convolutions", facts.convs);
    fact("Depthwise convolutions", facts.depthwise.filter(|count| *count > 0));
    fact("Squeeze-and-excite blocks", facts.squeeze_excite.filter(|count| *count > 0));
    fact("Residual additions", facts.residuals);
    fact("Trees", facts.trees);
    fact("Classes", facts.classes);
    fact("Positions", facts.positions);
    let strides = facts.strides.as_ref().map(|strides| {
        strides.iter().take(MOST).map(|stride| number(*stride)).collect::<Vec<_>>().join(", ")
    });
    table.fact("Strides", strides);
    table.fact("Attention", facts.attention.map(|kind| plain(kind.id())));
    let norms: Vec<String> = facts
        .norm
        .iter()
        .map(|(name, count)| format!("{} {}", number(*count), plain(name.id())))
        .collect();
    let position = facts.norm_position.map(|at| format!(" ({})", at.display_name()));
    let position = position.unwrap_or_default();
    table.fact("Norms", (!norms.is_empty()).then(|| format!("{}{position}", norms.join(", "))));
    let folded = facts.batchnorm_folded == Some(true);
    table.fact("Batch norm", folded.then(|| "folded into the convolutions".to_owned()));
    table.fact("Activation", facts.activation.map(|activation| plain(activation.id())));
    let ways = [
        (facts.rope, "rotary positions"),
        (facts.cross_attention, "attends to another sequence"),
        (facts.bidirectional, "runs both ways"),
        (facts.skip_concats, "joins early features with late ones"),
        (facts.kv_cache, "keeps keys and values"),
    ];
    let ways: Vec<&str> =
        ways.into_iter().filter(|(is, _)| *is == Some(true)).map(|(_, words)| words).collect();
    table.fact("Also", (!ways.is_empty()).then(|| ways.join(", ")));
}

fn blocks(architecture: &Architecture, page: &mut Page) {
    let mut table =
        Table::new(&[("Block", Align::Left), ("Count", Align::Right), ("What it is", Align::Left)]);
    for block in architecture.blocks.iter().take(MOST) {
        table.row(vec![plain(&block.kind), units::integer(block.count), plain(&block.what)]);
    }
    if !table.is_empty() {
        page.heading("Blocks");
        page.table(&table);
    }
}

fn repeats(architecture: &Architecture, page: &mut Page) {
    let mut items = Vec::new();
    list(&architecture.repeats, 0, &mut items);
    if !items.is_empty() {
        page.heading("Repeats");
        page.text(items.join("\n"));
    }
}

fn list(repeats: &[Repeat], depth: usize, items: &mut Vec<String>) {
    for repeat in repeats {
        if items.len() >= MOST || depth >= DEPTH {
            return;
        }
        let nodes = units::counted(repeat.nodes, "node", "nodes");
        let differs: Vec<String> =
            repeat.differs.iter().take(DIFFERS).map(|words| plain(words)).collect();
        let differs = match differs.is_empty() {
            true => String::new(),
            false => format!(": {}", differs.join("; ")),
        };
        let times = units::integer(repeat.times);
        let indent = "  ".repeat(depth);
        items.push(format!("{indent}- {times} × {} of {nodes}{differs}", plain(&repeat.name)));
        list(&repeat.inside, depth + 1, items);
    }
}

fn skips(architecture: &Architecture, page: &mut Page) {
    let mut items = Vec::new();
    if let Some(residuals) =
        architecture.facts.residuals.and_then(|count| u64::try_from(count).ok())
        && residuals > 0
    {
        items.push(format!("{} by addition", units::integer(residuals)));
    }
    for skip in architecture.skips.iter().take(MOST) {
        let first = skip.nodes.first().map(|node| format!(", the first at {}", code(node)));
        let count = units::integer(skip.count);
        items.push(format!("{count} by {}{}", plain(skip.kind.id()), first.unwrap_or_default()));
    }
    if !items.is_empty() {
        page.heading("Skip connections");
        page.list(&items);
    }
}
