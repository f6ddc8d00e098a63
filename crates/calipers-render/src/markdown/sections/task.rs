//! What the model does, and what tells so.

use calipers_report::Report;

use crate::markdown::escape::plain;
use crate::markdown::page::Page;
use crate::markdown::words::{spaced, sure};
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    let task = &report.task;
    let is_unknown = matches!(task.kind.as_str(), "" | "unknown");
    // What is not known of a model that is not known either is not worth a section.
    if is_unknown && report.architecture.kind.is_none() {
        return;
    }
    let mut told = match is_unknown {
        true => "**Unknown**".to_owned(),
        false => {
            format!("**{}** ({})", plain(&spaced(&task.kind)), sure(task.confidence))
        }
    };
    if let Some(classes) = task.classes.and_then(|classes| u64::try_from(classes).ok()) {
        told += &format!(", {}", units::counted(classes, "class", "classes"));
    }
    let evidence: Vec<String> = task.evidence.iter().take(4).map(|words| plain(words)).collect();
    told += &match evidence.is_empty() {
        true => ".".to_owned(),
        false => format!(": {}.", evidence.join("; ")),
    };
    page.text(told);
}
