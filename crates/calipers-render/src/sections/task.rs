//! The task of the model, and the evidence for it.

use calipers_report::{Report, Task, TaskKind};

use super::context::Context;
use super::wording::{confidence_note, confidence_value, joined, quoted};
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::text::{self, Charset};
use crate::units;
use crate::value::Spans;

/// Pieces of evidence that a screen shows, and columns of each.
const EVIDENCE: usize = 2;
const LONG: usize = 160;

/// The task for a screen.
pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    // That the task of an unrecognized model is not known either is not worth a section.
    match report.task.kind == TaskKind::Unknown && report.architecture.kind.is_none() {
        true => vec![],
        false => vec![Block::Values(brief(&report.task))],
    }
}

/// The task, its classes and the evidence; nothing where it is not known.
pub(super) fn sentence(report: &Report) -> Option<Spans> {
    let task = &report.task;
    if task.kind == TaskKind::Unknown {
        return report.architecture.kind.map(|_| Spans::plain("not recognized"));
    }
    let mut words = Spans::plain(task.kind.display_name());
    if let Some(classes) = task.classes.and_then(|classes| u64::try_from(classes).ok()) {
        words = words.and_text(format!(", {}", units::counted(classes, "class", "classes")));
    }
    words = words.and_text(confidence_note(task.confidence));
    Some(match joined(quoted(&task.evidence, 4), "; ") {
        Some(evidence) => words.and_text("; ").and_all(evidence),
        None => words,
    })
}

/// The task, how certain it is, and the first evidence.
fn brief(task: &Task) -> Vec<Spans> {
    let mut values = match task.kind {
        TaskKind::Unknown => vec![Spans::plain("unknown")],
        kind => {
            let name = Spans::toned(Tone::Strong, Value::text(kind.display_name()));
            std::iter::once(name).chain(confidence_value(task.confidence)).collect()
        }
    };
    let evidence = task.evidence.iter().take(EVIDENCE).filter(|words| !words.trim().is_empty());
    values.extend(evidence.map(|words| {
        let words = text::truncate(&text::prose(words, Charset::Unicode), LONG, Charset::Unicode);
        Spans::toned(Tone::Quiet, Value::Prose(words))
    }));
    values
}
