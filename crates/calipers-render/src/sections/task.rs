//! What the model does, and the evidence for it.

use calipers_report::Report;

use super::wording::{certainty, joined, quoted, spaced};
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{text, units};

pub(super) fn build(report: &Report) -> Vec<Block> {
    let task = &report.task;
    let is_unknown = matches!(task.kind.as_str(), "" | "unknown");
    // That the task of an unrecognized model is not known either is not worth a section.
    if is_unknown && report.architecture.kind.is_none() {
        return vec![];
    }
    let mut words = match is_unknown {
        true => Spans::of(Tone::Strong, Value::text("Unknown")),
        false => {
            let kind = Value::Prose(text::capitalised(&spaced(&task.kind)));
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
