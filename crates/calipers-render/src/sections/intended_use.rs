//! What the model is for, as far as its graph and its metadata show, for the author to complete.

use calipers_report::{Confidence, TaskKind};

use super::context::Context;
use super::wording::{confidence_note, to_complete};
use crate::document::Block;
use crate::metadata;
use crate::table::Value;
use crate::units;
use crate::value::Spans;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if report.graph.nodes == 0 {
        return vec![];
    }
    let task = &report.task;
    let mut words = match task.kind {
        TaskKind::Unknown => Spans::plain("The task could not be recognized from the graph"),
        kind => Spans::plain(format!("Recognized from the graph: {}", kind.display_name())),
    };
    if task.kind != TaskKind::Unknown {
        if let Some(classes) = task.classes.and_then(|classes| u64::try_from(classes).ok()) {
            words = words.and_text(format!(", {}", units::counted(classes, "class", "classes")));
        }
        if task.confidence != Confidence::High {
            words = words.and_text(confidence_note(task.confidence));
        }
    }
    words = words.and_text(".");
    if let Some(license) = metadata::license(report) {
        words = words.and_text(" License: ").and_value(Value::prose(license)).and_text(".");
    }
    vec![Block::Paragraph(words), to_complete("users and use cases, training data, evaluation.")]
}
