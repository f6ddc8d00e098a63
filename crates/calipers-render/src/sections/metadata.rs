//! The metadata of the file: versions, producer, and the entries of its author.

use calipers_report::{ModelFacts, Report, UnknownField};

use super::context::Context;
use super::wording::{folded, joined};
use crate::document::{Block, Fact, Facts};
use crate::table::Value;
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

/// Entries of anything that a screen shows.
const FEW: usize = 3;
/// Lines of the author's own description on a screen, and columns of an entry of metadata.
const DESCRIPTION: usize = 2;
const ENTRY: usize = 40;
/// Entries of free metadata that are shown; where there are more, all are folded.
const SHOWN: usize = 12;
/// Entries that are listed at all.
const MOST: usize = 200;
/// Columns of an entry: a value may be a whole file, and a card shows its beginning and its end.
const VALUE: usize = 200;

/// The metadata for a screen.
pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    vec![Block::Facts(brief(context))]
}

/// The entries of the author.
pub(super) fn entries(report: &Report) -> Vec<Block> {
    let metadata = &report.model.metadata;
    let mut own = Facts::default();
    for (key, value) in metadata.iter().take(MOST) {
        let value = text::truncate(&text::prose(value, Charset::Unicode), VALUE, Charset::Unicode);
        own.add_named(Value::name(key), Value::Prose(value));
    }
    match metadata.len() {
        0 => vec![],
        1..=SHOWN => vec![Block::heading("Metadata"), Block::Facts(own)],
        entries => {
            let entries = u64::try_from(entries).unwrap_or(u64::MAX);
            let entries = units::counted(entries, "entry", "entries");
            vec![Block::fold(format!("Metadata: {entries}"), vec![Block::Facts(own)])]
        }
    }
}

/// Versions, the producer, and what the author wrote of the model.
pub(super) fn facts(report: &Report) -> Facts {
    let model = &report.model;
    let filled = |text: &String, set: fn(String) -> Value| {
        (!text.trim().is_empty()).then(|| set(text.clone()))
    };
    let mut facts = Facts::default();
    facts.add("IR version", model.ir_version.map(|version| version.to_string()));
    let producer = [&model.producer.name, &model.producer.version];
    let producer = producer.into_iter().filter_map(|part| Some(filled(part, Value::Prose)?.into()));
    facts.add("Producer", joined(producer.collect(), " "));
    let opset = |(domain, version): (&String, &i64)| {
        Spans::from(Value::name(domain)).and_text(format!(" {version}"))
    };
    let opsets = model.opsets.iter().take(SHOWN).map(opset).collect();
    facts.add("Opset", joined(opsets, ", "));
    facts.add("Domain", filled(&model.domain, Value::Name));
    let version = model.model_version.filter(|version| *version != 0);
    facts.add("Model version", version.map(|version| version.to_string()));
    facts.add("Graph name", filled(&report.graph.name, Value::Name));
    facts.add("Description", filled(&model.doc, Value::Prose));
    facts
}

/// What a screen shows: who wrote the file, in which versions, and what its author wrote.
fn brief(context: &mut Context<'_>) -> Facts {
    let model = &context.report.model;
    let mut facts = Facts::default();
    let producer = format!("{} {}", model.producer.name, model.producer.version);
    let producer = match producer.trim() {
        "" => Spans::quiet("not stated"),
        producer => Value::name(producer).into(),
    };
    facts.add("producer", producer);
    if model.format.is_onnx() {
        facts.add_all("format", versions(context));
    }
    authorship(context, &mut facts);
    extras(model, &mut facts);
    facts
}

fn versions(context: &mut Context<'_>) -> Vec<Spans> {
    let model = &context.report.model;
    let version = context.known("model.ir_version", model.ir_version, Value::Signed);
    let mut values = vec![Spans::plain("IR ").and_all(version)];
    if model.opsets.is_empty() {
        values.push(Spans::plain("opset ").and_all(context.unknown("model.opsets")));
    }
    let opsets = model.opsets.iter().enumerate();
    values.extend(folded(opsets, FEW, ["opset", "opsets"], |(i, (domain, version))| {
        Spans::plain(if i == 0 { "opset " } else { "" })
            .and_value(Value::name(domain))
            .and_text(format!(" {version}"))
    }));
    values
}

/// A namespace, a version, a description, metadata.
fn authorship(context: &mut Context<'_>, facts: &mut Facts) {
    let model = &context.report.model;
    let mut domain: Vec<Spans> = vec![];
    if !model.domain.is_empty() {
        domain.push(Value::name(&model.domain).into());
    }
    // An author need not number a model; only what the report misses is unknown.
    match model.model_version {
        Some(version) => domain.push(Spans::plain(format!("version {version}"))),
        None if context.explains("model.model_version") => {
            let why = context.unknown("model.model_version");
            domain.push(Spans::plain("version ").and_all(why));
        }
        None => {}
    }
    facts.add_all("domain", domain);
    if !model.doc.trim().is_empty() {
        facts.push(Fact::prose("about", &model.doc, DESCRIPTION));
    }
    let entries = folded(model.metadata.iter(), FEW, ["entry", "entries"], |(key, value)| {
        let value = match text::prose(value, Charset::Unicode).as_str() {
            "" => "\"\"".to_owned(),
            value => text::truncate(value, ENTRY, Charset::Unicode),
        };
        Spans::from(Value::name(key)).and_text(" = ").and_value(Value::Prose(value))
    });
    facts.add_all("metadata", entries);
}

/// What few files have.
fn extras(model: &ModelFacts, facts: &mut Facts) {
    if let Some(training) = &model.training {
        let steps = units::counted(training.steps, "step", "steps");
        let nodes = units::counted(training.nodes, "node", "nodes");
        let nodes = Spans::plain(format!("{nodes}, not included in other figures"));
        facts.add_all("training", vec![Spans::plain(steps), nodes]);
    }
    let noun = ["configuration", "configurations"];
    let devices = model.device_configurations.iter();
    facts.add_all("devices", folded(devices, FEW, noun, |name| Value::name(name).into()));
    let noun = ["kind of field", "kinds of field"];
    let fields = model.unknown_fields.iter();
    let fields = folded(fields, FEW, noun, |UnknownField { message, field, count }| {
        let times = units::counted(*count, "time", "times");
        Spans::from(Value::name(message)).and_text(format!(" field {field}, {times}"))
    });
    facts.add_all("unknown fields", fields);
    digests(model, facts);
}

/// Digests of the files, where they were asked for. They are shown whole.
fn digests(model: &ModelFacts, facts: &mut Facts) {
    let Some(sha256) = &model.sha256 else { return };
    facts.add("sha256", Value::prose(sha256));
    let data = model.data_files.iter().filter_map(|file| Some((file, file.sha256.as_ref()?)));
    let data: Vec<_> = data.collect();
    let mut values = folded(data.into_iter(), FEW, ["file", "files"], |(file, sha256)| {
        Spans::from(Value::prose(sha256)).and_text(" ").and_value(Value::name(&file.location))
    });
    if let (false, Some(all)) = (model.data_files.is_empty(), &model.sha256_all) {
        values.push(Spans::from(Value::prose(all)).and_text(" all files"));
    }
    facts.add_all("with data", values);
}
