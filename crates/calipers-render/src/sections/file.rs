//! The file: its size, its fingerprint, its precision, and its data files.

use calipers_report::{DataFile, DataStatus, Format, Report};

use super::context::Context;
use super::findings::is_named;
use super::wording::{more, precision};
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

/// Data files that are listed, and those that a screen shows.
const MOST: usize = 20;
const SHOWN: usize = 3;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if context.is_brief() {
        return data_files(report);
    }
    let model = &report.model;
    let Format::Onnx = model.format;
    let mut facts = Facts::default();
    facts.add("File", (!model.file.trim().is_empty()).then(|| Value::name(&model.file)));
    facts.add("Format", Value::text("ONNX"));
    facts.add("File size", Value::LongBytes(model.bytes));
    let external = (model.external_bytes > 0).then_some(model.external_bytes);
    facts.add("Weights in other files", external.map(Value::LongBytes));
    facts.add("Precision", precision(report).map(Value::Prose));
    facts.add("SHA-256", model.sha256.as_ref().map(Value::name));
    facts.add(
        "Training graphs",
        model.training.as_ref().map(|training| {
            let steps = units::counted(training.steps, "step", "steps");
            format!("{steps}, {}", units::counted(training.nodes, "node", "nodes"))
        }),
    );
    let files = &model.data_files[..model.data_files.len().min(MOST)];
    vec![Block::Facts(facts), Block::Table(tables::data_files(files))]
}

/// Files next to the model that hold its tensors, for a screen.
fn data_files(report: &Report) -> Vec<Block> {
    let files = &report.model.data_files;
    let mut blocks: Vec<Block> =
        files.iter().take(SHOWN).flat_map(|file| data_file(file, report)).collect();
    let rest = files.len().saturating_sub(SHOWN);
    blocks.extend(more(rest, ["file", "files"]).map(|words| Block::Values(vec![words])));
    if files.len() > 1 {
        let bytes = Value::LongBytes(report.model.external_bytes);
        blocks.push(Block::Values(vec![Spans::plain("in all ").and_value(bytes)]));
    }
    blocks
}

fn data_file(file: &DataFile, report: &Report) -> Vec<Block> {
    // A finding says that it is missing, and what to do about it; once is enough.
    let is_in_findings = file.status == DataStatus::Missing && is_named(&file.location, report);
    let status = |tone, word: &str| Spans::of(tone, Value::text(word));
    let status = match file.status {
        _ if is_in_findings => status(Tone::Quiet, "see findings"),
        DataStatus::Present => status(Tone::Plain, "present"),
        DataStatus::Missing => status(Tone::Error, "missing"),
        DataStatus::Refused => status(Tone::Error, "refused"),
        DataStatus::Unchecked => status(Tone::Warning, "not looked for"),
    };
    let tensors = units::counted(file.tensors, "tensor", "tensors");
    let location = match file.location.as_str() {
        "" => Value::text("(no location)"),
        location => Value::name(location),
    };
    let needed = Spans::plain(format!("{} in {tensors}", units::bytes(file.tensor_bytes)));
    let mut blocks = vec![Block::Values(vec![location.into(), status, needed])];
    if !is_in_findings && !file.reason.trim().is_empty() {
        blocks.push(Block::Note(Spans::of(Tone::Quiet, Value::prose(&file.reason))));
    }
    blocks
}
