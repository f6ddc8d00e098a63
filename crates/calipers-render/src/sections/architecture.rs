//! How the network is built: kind, figures, blocks, repeats, skip connections.

use calipers_report::{Architecture, ArchitectureFacts, Family, ModelKind, Repeat, Report, Skip};

use super::context::Context;
use super::wording::{confidence_note, confidence_value, folded, joined, quoted};
use super::{quantization, task};
use crate::document::{Block, Facts, Item};
use crate::table::{Tone, Value};
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

/// Kinds of block, repeats and skips that are listed.
const MOST: usize = 30;
/// How deep repeats inside repeats are followed.
const DEPTH: usize = 4;
/// Differences between repeats that are listed.
const DIFFERS: usize = 5;

/// Kinds of block, repeats and skips that a screen shows, and columns of its sentence.
const BLOCKS: usize = 5;
const REPEATS: usize = 4;
const SENTENCE: usize = 240;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let architecture = &report.architecture;
    if context.is_brief() {
        return brief(report);
    }
    let mut facts = kind(architecture);
    facts.add("Task", task::sentence(report));
    facts.add("Evidence", joined(quoted(&architecture.evidence, 3), "; "));
    let mut blocks = vec![Block::Facts(facts)];
    let kinds = architecture.blocks.iter().take(MOST).map(|block| {
        Spans::from(Value::Integer(block.count))
            .and_text(" × ")
            .and(Tone::Strong, Value::text(format!("{}:", block.kind.display_name())))
            .and_text(" ")
            .and_value(Value::Prose(meaning(&block.what)))
    });
    let kinds: Vec<Spans> = kinds.collect();
    if !kinds.is_empty() {
        blocks.extend([Block::heading("Blocks"), Block::list(kinds)]);
    }
    let mut items = Vec::new();
    list(&architecture.repeats, 0, &mut items);
    if !items.is_empty() {
        blocks.extend([Block::heading("Repeats"), Block::List(items)]);
    }
    if let Some(skips) = joined(skips(architecture), ", ") {
        blocks.push(Block::Paragraph(
            Spans::plain("Skip connections: ").and_all(skips).and_text("."),
        ));
    }
    blocks
}

fn kind(architecture: &Architecture) -> Facts {
    let mut facts = Facts::default();
    let kind = architecture.kind.map_or("not recognized", ModelKind::display_name);
    facts.add("Kind", Value::text(kind));
    facts.add("Style", architecture.style.map(|style| Value::text(style.display_name())));
    let family = architecture.family.map(|family| {
        let note = confidence_note(architecture.confidence);
        Spans::plain(family.display_name()).and_text(note)
    });
    facts.add("Variant", architecture.variant.as_deref().map(Value::text));
    facts.add("Family", family);
    facts.add("Backbone", architecture.backbone.as_deref().map(Value::text));
    facts.add("Similarity", similarity(architecture));
    facts.add("Matching public networks", joined(references(architecture), ", "));
    figures(&architecture.facts, &mut facts);
    facts
}

/// Public networks that are listed in a table.
const REFERENCES: usize = 4;

/// The public networks with the same weight shapes.
fn references(architecture: &Architecture) -> Vec<Spans> {
    let references = &architecture.references;
    let mut items: Vec<Spans> =
        references.iter().take(REFERENCES).map(|name| Value::name(name).into()).collect();
    let more = references.len().saturating_sub(REFERENCES);
    if more > 0 {
        items.push(Spans::plain(format!("{more} more")));
    }
    items
}

/// How many weight shapes equal those of the matching networks, in percent.
fn similarity(architecture: &Architecture) -> Option<Value> {
    architecture.similarity.map(|share| Value::Percent(share * 100.0))
}

/// What a block is, without the name that may come first: `Linear layer: a product`.
fn meaning(what: &str) -> String {
    text::capitalized(what.split_once(": ").map_or(what, |(_, meaning)| meaning))
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
        ("KV heads", known.kv_heads.filter(|_| known.kv_heads != known.heads)),
        ("Head dimension", known.head_dim),
        ("Hidden size", known.hidden),
        ("Feed-forward size", known.ffn),
        ("Vocabulary size", known.vocab),
        ("Experts", known.experts),
        ("Experts per token", known.experts_per_token),
        ("Convolutions", known.convs),
        ("Depthwise convolutions", known.depthwise.filter(|count| *count > 0)),
        ("Squeeze-and-excite blocks", known.squeeze_excite.filter(|count| *count > 0)),
        ("Trees", known.trees),
        ("Classes", known.classes),
        ("Anchor points", known.positions),
    ] {
        facts.add(what, value.map(number));
    }
    let strides = known.strides.as_ref().map(|strides| {
        let strides = strides.iter().take(MOST).map(|stride| number(*stride).into());
        Spans::joined(strides, ", ")
    });
    facts.add("Strides", strides);
    facts.add("Attention", known.attention.map(|kind| Value::text(kind.display_name())));
    let norms = known.norm.iter().map(|(name, count)| {
        Spans::from(number(*count)).and_text(" ").and_value(Value::text(name.display_name()))
    });
    let norms = joined(norms.collect(), ", ").map(|norms| match known.norm_position {
        Some(at) => norms.and_text(format!(" ({})", at.display_name())),
        None => norms,
    });
    facts.add("Norms", norms);
    let folded = known.batchnorm_folded == Some(true);
    facts.add("Batch norm", folded.then(|| Value::text("folded into the convolutions")));
    facts.add(
        "Activation",
        known.activation.map(|activation| Value::text(activation.display_name())),
    );
    let also: Vec<&str> = [
        (known.rope, "rotary position embeddings"),
        (known.cross_attention, "cross-attention"),
        (known.bidirectional, "bidirectional"),
        (known.skip_concats, "concatenates early and late features"),
        (known.kv_cache, "KV cache"),
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
            .and_text(format!(", {nodes} each"));
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
        items.push(Spans::from(Value::Integer(residuals)).and_text(" additions"));
    }
    for skip in architecture.skips.iter().take(MOST) {
        let mut text = Spans::from(Value::Integer(skip.count))
            .and_text(" by ")
            .and_value(Value::text(skip.kind.display_name()));
        if let Some(node) = skip.nodes.first() {
            text = text.and_text(" from ").and_value(Value::name(node));
        }
        items.push(text);
    }
    items
}

/// What a screen shows: the kind, a sentence, and figures that the sentence does not have.
fn brief(report: &Report) -> Vec<Block> {
    let architecture = &report.architecture;
    let kind =
        architecture.kind.map(|kind| Spans::toned(Tone::Strong, Value::text(kind.display_name())));
    let style = architecture.style.map(|style| Spans::plain(style.display_name()));
    let variant = architecture.variant.as_deref();
    let name = variant.or_else(|| architecture.family.map(Family::display_name));
    let family = name.map(Spans::plain);
    let mut names: Vec<Spans> = [kind, style, family].into_iter().flatten().collect();
    if !names.is_empty() {
        names.extend(confidence_value(architecture.confidence));
    }
    let words = text::prose(&architecture.words, Charset::Unicode);
    let words = text::truncate(&words, SENTENCE, Charset::Unicode);
    let sentence = architecture.words.to_lowercase();
    let figures = figure_texts(&architecture.facts).into_iter();
    let figures = figures.filter(|figure| !sentence.contains(&figure.to_lowercase()));
    let count = |count: u64, word: &str, name: Value| {
        Spans::plain(format!("{} {word}", units::integer(count))).and_value(name)
    };
    let mut facts = Facts::default();
    // What a name from the library rests on.
    let matched = !architecture.references.is_empty() || architecture.backbone.is_some();
    let evidence = architecture.evidence.first().filter(|_| matched);
    facts.add_all("evidence", evidence.map(|it| Spans::plain(it.clone())).into_iter().collect());
    facts.add_all("figures", figures.map(Spans::plain).collect());
    facts.add_all(
        "blocks",
        folded(architecture.blocks.iter(), BLOCKS, ["kind", "kinds"], |block| {
            count(block.count, "", Value::text(block.kind.display_name()))
        }),
    );
    facts.add_all(
        "repeats",
        folded(architecture.repeats.iter(), REPEATS, ["repeat", "repeats"], |repeat| {
            let words = count(repeat.times, "× ", Value::name(&repeat.name));
            match repeat.differs.first() {
                Some(differs) => {
                    words.and_quiet(" (").and(Tone::Quiet, Value::name(differs)).and_quiet(")")
                }
                None => words,
            }
        }),
    );
    let skips = architecture.skips.iter().take(REPEATS);
    let skip = |skip: &Skip| count(skip.count, "by ", Value::text(skip.kind.display_name()));
    facts.add_all("skips", skips.map(skip).collect());
    facts.add_all("quantized", quantization::brief(&report.quantization));
    vec![Block::Values(names), Block::Paragraph(Value::Prose(words).into()), Block::Facts(facts)]
}

fn figure_texts(facts: &ArchitectureFacts) -> Vec<String> {
    let mut figures: Vec<String> = Vec::new();
    let number = |value: i64| match u64::try_from(value) {
        Ok(value) => units::integer(value),
        Err(_) => value.to_string(),
    };
    let counted = |value: Option<i64>, one: &str, many: &str| {
        value.map(|value| format!("{} {}", number(value), if value == 1 { one } else { many }))
    };
    figures.extend(counted(facts.layers, "layer", "layers"));
    figures.extend(facts.heads.map(|heads| match facts.head_dim {
        Some(width) => format!("{} heads of {}", number(heads), number(width)),
        None => format!("{} heads", number(heads)),
    }));
    let shared = facts.kv_heads.filter(|shared| facts.heads != Some(*shared));
    figures.extend(shared.map(|heads| format!("{} KV heads", number(heads))));
    let named = [
        ("hidden", facts.hidden),
        ("feed-forward", facts.ffn),
        ("vocabulary", facts.vocab),
        ("classes", facts.classes),
    ];
    figures.extend(
        named.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", number(value?)))),
    );
    figures.extend(counted(facts.experts, "expert", "experts").map(|experts| {
        match facts.experts_per_token {
            Some(most) => format!("{experts}, {} per token", number(most)),
            None => experts,
        }
    }));
    figures.extend(counted(facts.convs, "convolution", "convolutions").map(|convs| {
        match facts.depthwise.filter(|count| *count > 0) {
            Some(count) => format!("{convs}, {} depthwise", number(count)),
            None => convs,
        }
    }));
    let residuals = facts.residuals.filter(|count| *count > 0);
    figures.extend(counted(residuals, "residual addition", "residual additions"));
    figures.extend(counted(
        facts.squeeze_excite.filter(|n| *n > 0),
        "squeeze-and-excite",
        "squeeze-and-excites",
    ));
    figures.extend(
        facts
            .norm
            .iter()
            .map(|(kind, count)| format!("{} {}", number(*count), kind.display_name())),
    );
    figures.extend(facts.norm_position.map(|position| position.display_name().to_owned()));
    figures.extend(facts.activation.map(|activation| activation.display_name().to_owned()));
    figures.extend(facts.attention.map(|kind| format!("{} attention", kind.display_name())));
    figures.extend((facts.rope == Some(true)).then(|| "rotary position embeddings".to_owned()));
    figures.extend((facts.cross_attention == Some(true)).then(|| "cross-attention".to_owned()));
    figures.extend((facts.bidirectional == Some(true)).then(|| "bidirectional".to_owned()));
    figures.extend((facts.batchnorm_folded == Some(true)).then(|| "BatchNorm folded".to_owned()));
    figures.extend((facts.skip_concats == Some(true)).then(|| "concatenation skips".to_owned()));
    figures.extend(facts.strides.as_ref().map(|strides| {
        let strides: Vec<String> = strides.iter().take(8).map(|stride| number(*stride)).collect();
        format!("strides {}", strides.join(", "))
    }));
    figures.extend(counted(facts.positions, "anchor point", "anchor points"));
    figures.extend(counted(facts.trees, "tree", "trees"));
    figures
}
