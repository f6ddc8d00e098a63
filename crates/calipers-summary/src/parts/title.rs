//! The line above, and the first sentence.

use calipers_report::units;
use calipers_report::{Confidence, Report, TaskKind};

use super::super::wording::{capital, with_article};

/// The one line: what it is, how large, how dear.
pub(in super::super) fn title(report: &Report, noun: &str) -> String {
    let mut figures = Vec::new();
    match report.parameters.total {
        Some(0) | None => {}
        Some(total) => figures.push(format!("{} parameters", units::spoken(total))),
    }
    figures.extend(
        report
            .memory
            .weights_bytes
            .filter(|bytes| *bytes > 0 && !super::size::are_made(report))
            .map(|bytes| format!("{} of weights", units::bytes(bytes))),
    );
    if let Some(flops) = report.cost.flops().filter(|flops| *flops > 0) {
        let least = if report.cost.lower_bound { "at least " } else { "" };
        figures.push(format!("{least}{} a run", units::operations(flops, "FLOPs")));
    }
    let noun = capital(noun);
    if figures.is_empty() { noun } else { format!("{noun}: {}", figures.join(", ")) }
}

/// The first sentence: what it is, and how sure that is.
pub(in super::super) fn opening(report: &Report, noun: &str) -> String {
    let architecture = &report.architecture;
    if architecture.kind.is_none() {
        return "What kind of model this is, the graph does not show.".to_owned();
    }
    let is = with_article(noun);
    match (architecture.confidence, report.task.confidence) {
        (Confidence::High, Confidence::High) => format!("This is {is}."),
        (Confidence::Low, _) => format!("This may be {is}; the structure leaves group for doubt."),
        (_, Confidence::Low) if report.task.kind == TaskKind::Unknown => {
            format!("This is {is}; nothing in the file tells what it is for.")
        }
        _ => format!("This is most likely {is}."),
    }
}
