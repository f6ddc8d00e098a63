//! The title, and the first sentence.

use calipers_report::units;
use calipers_report::{Confidence, GraphOrigin, Report, TaskKind, with_article};

use super::super::wording::{capitalized, confidence, listed};

/// One line: what it is, its size and its cost.
pub(in super::super) fn title(report: &Report, noun: &str) -> String {
    let mut figures = Vec::new();
    match report.parameters.total {
        Some(0) | None => {}
        Some(1) => figures.push("1 parameter".to_owned()),
        Some(total) => figures.push(format!("{} parameters", units::spoken(total))),
    }
    figures.extend(
        report
            .memory
            .weights_bytes
            .filter(|bytes| *bytes > 0 && !super::size::are_generated(report))
            .map(|bytes| format!("{} of weights", units::bytes(bytes))),
    );
    // A lower bound without any product says nothing of the cost.
    let is_sum = !(report.cost.lower_bound && report.cost.macs == Some(0));
    if let Some(flops) = report.cost.flops().filter(|flops| *flops > 0 && is_sum) {
        let least = if report.cost.lower_bound { "at least " } else { "" };
        let unit = if flops == 1 { "FLOP" } else { "FLOPs" };
        figures.push(format!("{least}{} per run", units::operations(flops, unit)));
    }
    let noun = match confidence(report) {
        Confidence::Medium => format!("Probably {}", with_article(noun)),
        Confidence::High | Confidence::Low => capitalized(noun),
    };
    if figures.is_empty() { noun } else { format!("{noun}: {}", figures.join(", ")) }
}

/// What is said of a model that is not recognized.
pub(in super::super) const UNRECOGNIZED: &str =
    "The architecture could not be recognized from the graph";

/// What is said of a file that stores no graph.
pub(in super::super) const NO_GRAPH: &str = "The file stores weights, and no graph";

/// Figures of the network that the first sentence names.
const MOST: usize = 5;

/// The first sentence: what it is and its main figures. A high confidence is stated, a medium one
/// is "probably"; below that, the kind of network is described.
pub(in super::super) fn opening(report: &Report, noun: &str, figures: &[String]) -> String {
    let architecture = &report.architecture;
    if report.model.graph_origin == GraphOrigin::Absent {
        return match &architecture.variant {
            Some(variant) => format!("{NO_GRAPH}; their shapes are those of {variant}."),
            None => format!("{NO_GRAPH}."),
        };
    }
    if architecture.kind.is_none() {
        return format!("{UNRECOGNIZED}.");
    }
    let is = with_article(noun);
    let with = match figures {
        [] => String::new(),
        figures => format!(" with {}", listed(&figures[..figures.len().min(MOST)])),
    };
    let opening = match confidence(report) {
        Confidence::High => format!("This is {is}{with}."),
        Confidence::Medium | Confidence::Low => format!("This is probably {is}{with}."),
    };
    // A guess is never the first thing that a summary states.
    match (report.task.kind, report.task.confidence) {
        (TaskKind::Unknown, _) | (_, Confidence::Medium | Confidence::High) => opening,
        (task, Confidence::Low) => {
            format!("{opening} Its task may be {} (low confidence).", task.display_name())
        }
    }
}
