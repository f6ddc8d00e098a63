//! What the model does, and what tells so.

use calipers_report::{Report, TaskKind};

use crate::markdown::escape::{plain, told};
use crate::markdown::page::Page;
use crate::markdown::words::{spaced, sure};
use crate::{text, units};

pub(super) fn write(report: &Report, page: &mut Page) {
    let task = &report.task;
    let is_unknown = task.kind == TaskKind::Unknown;
    // What is not known of a model that is not known either is not worth a section.
    if is_unknown && report.architecture.kind.is_none() {
        return;
    }
    let mut words = match is_unknown {
        true => "**Unknown**".to_owned(),
        false => {
            let kind = text::capitalised(&spaced(task.kind.id()));
            format!("**{}** ({})", plain(&kind), sure(task.confidence))
        }
    };
    if let Some(classes) = task.classes.and_then(|classes| u64::try_from(classes).ok()) {
        words += &format!(", {}", units::counted(classes, "class", "classes"));
    }
    let evidence: Vec<String> = task.evidence.iter().take(4).map(|words| told(words)).collect();
    words += &match evidence.is_empty() {
        true => ".".to_owned(),
        false => format!(": {}.", evidence.join("; ")),
    };
    page.text(words);
}
