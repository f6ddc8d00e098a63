//! What the file says of itself: versions, producer, and what its author wrote.

use calipers_report::Report;

use super::wording::joined;
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

/// Entries of free metadata that are shown; where there are more, all are folded.
const SHOWN: usize = 12;
/// Entries that are listed at all.
const MOST: usize = 200;
/// Columns of an entry: a value may be a whole file, and a card shows its beginning and its end.
const VALUE: usize = 200;

pub(super) fn build(report: &Report) -> Vec<Block> {
    let mut blocks = vec![Block::Facts(facts(report))];
    let metadata = &report.model.metadata;
    let mut own = Facts::default();
    for (key, value) in metadata.iter().take(MOST) {
        let value = text::truncate(&text::prose(value, Charset::Unicode), VALUE, Charset::Unicode);
        own.add_named(key, Value::Prose(value));
    }
    match metadata.len() {
        0 => {}
        1..=SHOWN => {
            blocks.extend([Block::paragraph("The author's own entries:"), Block::Facts(own)]);
        }
        entries => {
            let entries = u64::try_from(entries).unwrap_or(u64::MAX);
            let entries = units::counted(entries, "entry", "entries");
            let summary = format!("The author's own {entries}");
            blocks.push(Block::fold(summary, vec![Block::Facts(own)]));
        }
    }
    blocks
}

fn facts(report: &Report) -> Facts {
    let model = &report.model;
    let some = |text: &String, set: fn(String) -> Value| {
        (!text.trim().is_empty()).then(|| set(text.clone()))
    };
    let mut facts = Facts::default();
    facts.add("IR version", model.ir_version.map(|version| version.to_string()));
    let producer = [&model.producer.name, &model.producer.version];
    let producer = producer.into_iter().filter_map(|part| Some(some(part, Value::Prose)?.into()));
    facts.add("Producer", joined(producer.collect(), " "));
    let opset = |(domain, version): (&String, &i64)| {
        Spans::from(Value::name(domain)).and_text(format!(" {version}"))
    };
    let opsets = model.opsets.iter().take(SHOWN).map(opset).collect();
    facts.add("Operator sets", joined(opsets, ", "));
    facts.add("Domain", some(&model.domain, Value::Name));
    let version = model.model_version.filter(|version| *version != 0);
    facts.add("Model version", version.map(|version| version.to_string()));
    facts.add("Graph name", some(&report.graph.name, Value::Name));
    facts.add("Description", some(&model.doc, Value::Prose));
    facts
}
