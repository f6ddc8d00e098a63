//! The file: its size, its fingerprint, its metadata, and its data files.

use calipers_report::{DataFile, DataStatus, Report};

use super::context::Context;
use super::findings::is_named;
use super::metadata;
use super::wording::more;
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
    let mut facts = Facts::default();
    let file = (!model.file.trim().is_empty()).then(|| Spans::from(Value::name(&model.file)));
    let size = Spans::from(Value::LongBytes(model.bytes))
        .and_text(format!(", {}", model.format.display_name()));
    facts.add_all("File", file.into_iter().chain([size]).collect());
    let external = (model.external_bytes > 0).then_some(model.external_bytes);
    facts.add("External weights", external.map(Value::LongBytes));
    facts.0.extend(metadata::facts(report).0);
    facts.add("SHA-256", model.sha256.as_ref().map(Value::name));
    facts.add(
        "Training graphs",
        model.training.as_ref().map(|training| {
            let steps = units::counted(training.steps, "step", "steps");
            format!("{steps}, {}", units::counted(training.nodes, "node", "nodes"))
        }),
    );
    let files = &model.data_files[..model.data_files.len().min(MOST)];
    let mut blocks = vec![Block::Facts(facts), Block::Table(tables::data_files(files))];
    blocks.extend(metadata::entries(report));
    blocks
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
        blocks.push(Block::Values(vec![Spans::plain("total ").and_value(bytes)]));
    }
    blocks
}

fn data_file(file: &DataFile, report: &Report) -> Vec<Block> {
    // A finding says that it is missing, and what to do about it; once is enough.
    let is_in_findings = file.status == DataStatus::Missing && is_named(&file.location, report);
    let status = |tone, word: &str| Spans::toned(tone, Value::text(word));
    let status = match file.status {
        _ if is_in_findings => status(Tone::Quiet, "see findings"),
        DataStatus::Present => status(Tone::Plain, "present"),
        DataStatus::Missing => status(Tone::Error, "missing"),
        DataStatus::Refused => status(Tone::Error, "refused"),
        DataStatus::Unchecked => status(Tone::Warning, "not checked"),
    };
    let tensors = units::counted(file.tensors, "tensor", "tensors");
    let location = match file.location.as_str() {
        "" => Value::text("(no location)"),
        location => Value::name(location),
    };
    let needed = Spans::plain(format!("{} in {tensors}", units::bytes(file.tensor_bytes)));
    let mut blocks = vec![Block::Values(vec![location.into(), status, needed])];
    if !is_in_findings && !file.reason.trim().is_empty() {
        blocks.push(Block::Note(Spans::toned(Tone::Quiet, Value::prose(&file.reason))));
    }
    blocks
}
