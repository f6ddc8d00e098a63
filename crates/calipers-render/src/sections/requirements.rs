//! What the model asks of a machine: memory, and the devices that meet a stated target.

use calipers_report::Requirements;

use super::context::Context;
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(hardware) = &report.hardware else { return vec![] };
    let mut blocks = vec![Block::Table(tables::memory_parts(hardware))];
    if let Some(requirements) = &hardware.requirements {
        blocks.extend(levels(requirements));
    } else if hardware.memory.is_some() {
        blocks.push(Block::paragraph(
            "That is memory alone. No latency and no throughput was stated as a target, so no \
             device is called the least that will do.",
        ));
    }
    blocks
}

fn levels(requirements: &Requirements) -> Vec<Block> {
    let targets: Vec<String> = [
        requirements.target_latency_ms.map(|ms| format!("at most {}", units::time(ms))),
        requirements.target_throughput.map(|rate| format!("at least {}", units::rate(rate))),
    ]
    .into_iter()
    .flatten()
    .collect();
    let target = Spans::of(Tone::Strong, Value::text("Target:"));
    let mut blocks = vec![
        Block::Paragraph(target.and_text(format!(" {}.", targets.join(" and ")))),
        Block::Table(tables::requirements(requirements)),
        Block::paragraph(
            "The minimum is expected to meet the target; the recommended one meets it at the high \
             end of its range; the optimal one with half of its time and memory to spare. Each \
             is the slowest that does.",
        ),
    ];
    if !requirements.why.trim().is_empty() {
        let word = match requirements.target_met {
            Some(true) => "Met",
            Some(false) => "Missed",
            None => "Whether it is met is unknown",
        };
        let words = Spans::plain(format!("{word} by the device above: "));
        let words = words.and_value(Value::prose(&requirements.why)).and_text(".");
        blocks.push(Block::Paragraph(words));
    }
    blocks.push(Block::list(requirements.notes.iter().map(|note| Value::prose(note).into())));
    blocks
}
