//! How the network is built: kind, figures, blocks, repeats, skip connections.

use calipers_report::{Architecture, ArchitectureFacts, Repeat, Report};

use super::wording::{certainty, joined, kind as kind_name, spaced};
use crate::document::{Block, Facts, Item};
use crate::table::Value;
use crate::value::Spans;
use crate::{tables, units};

/// Kinds of block, repeats and skips that are listed.
const MOST: usize = 30;
/// How deep repeats inside repeats are followed.
const DEPTH: usize = 4;
/// Differences between repeats that are listed.
const DIFFERS: usize = 5;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let architecture = &report.architecture;
    let mut blocks = vec![Block::Facts(kind(architecture))];
    let table = tables::blocks(&architecture.blocks[..architecture.blocks.len().min(MOST)]);
    if !table.is_empty() {
        blocks.extend([Block::heading("Blocks"), Block::Table(table)]);
    }
    let mut items = Vec::new();
    list(&architecture.repeats, 0, &mut items);
    if !items.is_empty() {
        blocks.extend([Block::heading("Repeats"), Block::List(items)]);
    }
    let skips = skips(architecture);
    if !skips.is_empty() {
        blocks.extend([Block::heading("Skip connections"), Block::list(skips)]);
    }
    blocks
}

fn kind(architecture: &Architecture) -> Facts {
    let mut facts = Facts::default();
    facts.add("Kind", architecture.kind.as_ref().map(|name| Value::Prose(kind_name(name))));
    facts.add("Style", architecture.style.as_ref().map(|name| Value::Prose(spaced(name))));
    let family = architecture.family.as_ref().map(|family| {
        let certainty = certainty(architecture.confidence);
        Spans::from(Value::prose(family)).and_text(format!(" ({certainty})"))
    });
    facts.add("Family", family);
    figures(&architecture.facts, &mut facts);
    facts
}

/// A whole number, with every digit.
fn number(value: i64) -> Value {
    u64::try_from(value).map_or(Value::Signed(value), Value::Integer)
}

/// Figures of the network, as far as they apply.
fn figures(known: &ArchitectureFacts, facts: &mut Facts) {
    for (what, value) in [
        ("Layers", known.layers),
        ("Attention heads", known.heads),
        ("Heads of keys and values", known.kv_heads.filter(|_| known.kv_heads != known.heads)),
        ("Width of a head", known.head_dim),
        ("Hidden width", known.hidden),
        ("Feed-forward width", known.ffn),
        ("Vocabulary", known.vocab),
        ("Experts", known.experts),
        ("Experts for each token", known.experts_per_token),
        ("Convolutions", known.convs),
        ("Depthwise convolutions", known.depthwise.filter(|count| *count > 0)),
        ("Squeeze-and-excite blocks", known.squeeze_excite.filter(|count| *count > 0)),
        ("Residual additions", known.residuals),
        ("Trees", known.trees),
        ("Classes", known.classes),
        ("Positions", known.positions),
    ] {
        facts.add(what, value.map(number));
    }
    let strides = known.strides.as_ref().map(|strides| {
        let strides = strides.iter().take(MOST).map(|stride| number(*stride).into());
        Spans::joined(strides, ", ")
    });
    facts.add("Strides", strides);
    facts.add("Attention", known.attention.as_ref().map(Value::prose));
    let norms = known.norm.iter().map(|(name, count)| {
        Spans::from(number(*count)).and_text(" ").and_value(Value::prose(name))
    });
    let norms = joined(norms.collect(), ", ").map(|norms| match &known.norm_position {
        Some(at) => norms.and_text(" (").and_value(Value::prose(at)).and_text("-norm)"),
        None => norms,
    });
    facts.add("Norms", norms);
    let folded = known.batchnorm_folded == Some(true);
    facts.add("Batch norm", folded.then(|| Value::text("folded into the convolutions")));
    facts.add("Activation", known.activation.as_ref().map(Value::prose));
    let also: Vec<&str> = [
        (known.rope, "rotary positions"),
        (known.cross_attention, "attends to another sequence"),
        (known.bidirectional, "runs both ways"),
        (known.skip_concats, "joins early features with late ones"),
        (known.kv_cache, "keeps keys and values"),
    ]
    .into_iter()
    .filter(|(is, _)| *is == Some(true))
    .map(|(_, words)| words)
    .collect();
    facts.add("Also", (!also.is_empty()).then(|| also.join(", ")));
}

fn list(repeats: &[Repeat], depth: usize, items: &mut Vec<Item>) {
    for repeat in repeats {
        if items.len() >= MOST || depth >= DEPTH {
            return;
        }
        let nodes = units::counted(repeat.nodes, "node", "nodes");
        let mut text = Spans::from(Value::Integer(repeat.times))
            .and_text(" × ")
            .and_value(Value::prose(&repeat.name))
            .and_text(format!(" of {nodes}"));
        let differs = repeat.differs.iter().take(DIFFERS).map(|words| Value::prose(words).into());
        if let Some(differs) = joined(differs.collect(), "; ") {
            text = text.and_text(": ").and_all(differs);
        }
        items.push(Item { depth, text });
        list(&repeat.inside, depth + 1, items);
    }
}

fn skips(architecture: &Architecture) -> Vec<Spans> {
    let mut items = Vec::new();
    if let Some(residuals) =
        architecture.facts.residuals.and_then(|count| u64::try_from(count).ok())
        && residuals > 0
    {
        items.push(Spans::from(Value::Integer(residuals)).and_text(" by addition"));
    }
    for skip in architecture.skips.iter().take(MOST) {
        let mut text = Spans::from(Value::Integer(skip.count))
            .and_text(" by ")
            .and_value(Value::prose(&skip.kind));
        if let Some(node) = skip.nodes.first() {
            text = text.and_text(", the first at ").and_value(Value::name(node));
        }
        items.push(text);
    }
    items
}
