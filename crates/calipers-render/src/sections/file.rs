//! The file: its size, its fingerprint, its precision, and its data files.

use calipers_report::{Format, Report};

use super::wording::precision;
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::{tables, units};

/// Data files that are listed.
const MOST: usize = 20;

pub(super) fn build(report: &Report) -> Vec<Block> {
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
