//! The model at growing batches, lengths and resolutions, and its generation speed.

use calipers_report::{Generation, Hardware};

use super::context::Context;
use crate::document::{Block, Facts};
use crate::table::Value;
use crate::tables::{self, Scaling};
use crate::units;
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(hardware) = &report.hardware else { return vec![] };
    let Some(device) = &hardware.device else { return vec![] };
    let mut blocks = vec![];
    if let Some(generation) = &hardware.generation {
        blocks.push(Block::heading("Generation"));
        blocks.push(Block::Facts(generated(hardware, generation)));
        blocks.push(Block::list(generation.notes.iter().map(|note| Value::prose(note).into())));
    }
    for (heading, what) in [
        ("Batch size", Scaling::Batch),
        ("Sequence length", Scaling::Sequence),
        ("Resolution", Scaling::Resolution),
    ] {
        let table = tables::scaling(hardware, what);
        if table.is_empty() {
            continue;
        }
        blocks.extend([Block::heading(heading), Block::Table(table)]);
        if let Some(batch) = hardware.saturation_batch.filter(|_| what == Scaling::Batch) {
            blocks.push(Block::paragraph(format!(
                "Optimal batch: {}. Larger batches raise throughput by less than 10%.",
                units::integer(batch)
            )));
        }
    }
    if !blocks.is_empty() {
        let conditions = Spans::plain("On the ")
            .and_value(Value::prose(&device.name))
            .and_text(" at ")
            .and_value(Value::prose(hardware.precision.display_name()))
            .and_text(format!(" with {}.", hardware.runtime.display_name()));
        blocks.insert(0, Block::Paragraph(conditions));
    }
    blocks
}

fn generated(hardware: &Hardware, generation: &Generation) -> Facts {
    let mut facts = Facts::default();
    let prompt = units::counted(generation.prompt, "token", "tokens");
    let first = Value::known(generation.first_token_ms, Value::Range);
    facts.add(format!("Time to first token ({prompt})"), first);
    let context = units::counted(generation.context, "token", "tokens");
    let further = Value::known(generation.token_ms, Value::Range);
    facts.add(format!("Time per token (at {context})"), further);
    facts.add("Tokens per second", generation.tokens_per_s.map(Value::Rate));
    let all = generation.tokens_per_s_all.filter(|_| hardware.batch > 1);
    facts.add("Tokens per second of the batch", all.map(Value::Rate));
    facts
}
