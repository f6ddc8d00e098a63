//! System requirements: the devices that meet a target, and the memory on the one device.

use calipers_report::{Hardware, Report, Requirements};

use super::context::Context;
use super::hardware_screen::DEFAULT_TARGET;
use crate::document::{Block, Facts};
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, units};

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let Some(hardware) = &report.hardware else { return vec![] };
    let mut blocks = vec![];
    if let Some(requirements) = &hardware.requirements {
        blocks.extend(levels(requirements, hardware));
    }
    let mut facts = Facts::default();
    facts.add("KV cache", kv_cache(report));
    blocks.push(Block::Facts(facts));
    if hardware.memory.is_some() {
        blocks.extend([
            Block::heading("Memory on this device"),
            Block::Table(tables::memory_parts(hardware)),
        ]);
    }
    blocks
}

/// The KV cache per token, or why there is none.
fn kv_cache(report: &Report) -> Spans {
    match (&report.memory.kv_cache, &report.memory.kv_cache_absent) {
        (Some(cache), _) => Value::known(cache.bytes_per_token, |bytes| {
            Value::text(format!("{} per token of a sequence", units::bytes(bytes)))
        })
        .into(),
        (None, Some(why)) => Spans::plain("none: ").and_value(Value::prose(why)),
        (None, None) => Spans::plain("none"),
    }
}

fn levels(requirements: &Requirements, hardware: &Hardware) -> Vec<Block> {
    let mut target = Spans::toned(Tone::Strong, Value::text("Target:"))
        .and_text(" ")
        .and_value(Value::prose(&requirements.target));
    if requirements.target_is_default {
        target = target.and_text(format!(" ({DEFAULT_TARGET})"));
    }
    let mut blocks = vec![Block::Paragraph(target.and_text("."))];
    let found = [&requirements.minimum, &requirements.recommended, &requirements.optimal];
    if found.into_iter().any(Option::is_some) {
        blocks.push(Block::Table(tables::requirements(requirements, hardware)));
    }
    // One device for all levels needs no word on how they differ.
    if found.windows(2).any(|pair| pair[0] != pair[1]) {
        blocks.push(Block::paragraph(
            "The slowest device that meets the target: with its expected time (minimum), at the \
             high end of its range (recommended), twice over (optimal).",
        ));
    }
    if !requirements.why.trim().is_empty() {
        let words = Spans::toned(Tone::Strong, Value::text("This device:")).and_text(" ");
        let words = words.and_value(Value::prose(&requirements.why)).and_text(".");
        blocks.push(Block::Paragraph(words));
    }
    blocks.push(Block::list(requirements.notes.iter().map(|note| Value::prose(note).into())));
    blocks
}
