//! What the model does, and the evidence for it.

use calipers_report::{Task, TaskKind};

use super::context::Context;
use super::wording::{certainty, joined, quoted};
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

/// Pieces of evidence that a screen shows, and columns of each.
const EVIDENCE: usize = 2;
const LONG: usize = 160;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let task = &report.task;
    let is_unknown = task.kind == TaskKind::Unknown;
    // That the task of an unrecognized model is not known either is not worth a section.
    if is_unknown && report.architecture.kind.is_none() {
        return vec![];
    }
    if context.is_brief() {
        return vec![Block::Values(brief(task))];
    }
    let mut words = match is_unknown {
        true => Spans::of(Tone::Strong, Value::text("Unknown")),
        false => {
            let kind = Value::Text(text::capitalized(task.kind.display_name()));
            Spans::of(Tone::Strong, kind).and_text(format!(" ({})", certainty(task.confidence)))
        }
    };
    if let Some(classes) = task.classes.and_then(|classes| u64::try_from(classes).ok()) {
        words = words.and_text(format!(", {}", units::counted(classes, "class", "classes")));
    }
    if let Some(evidence) = joined(quoted(&task.evidence, 4), "; ") {
        words = words.and_text(": ").and_all(evidence);
    }
    vec![Block::Paragraph(words.and_text("."))]
}

/// The task, how certain it is, and the first evidence.
fn brief(task: &Task) -> Vec<Spans> {
    let mut values = match task.kind {
        TaskKind::Unknown => vec![Spans::plain("unknown")],
        kind => vec![
            Spans::of(Tone::Strong, Value::text(kind.display_name())),
            Spans::quiet(certainty(task.confidence)),
        ],
    };
    let evidence = task.evidence.iter().take(EVIDENCE).filter(|words| !words.trim().is_empty());
    values.extend(evidence.map(|words| {
        let words = text::truncate(&text::prose(words, Charset::Unicode), LONG, Charset::Unicode);
        Spans::of(Tone::Quiet, Value::Prose(words))
    }));
    values
}
