//! The answer in two sentences.

use calipers_report::units::{counted, signed_percent};
use calipers_report::{
    Comparison, Direction, FigureChange, FigureKind, ModelSource, Severity, Verdict,
};

use crate::groups::lower;

/// Differences below this percentage are not worth a sentence.
const WORTH_SAYING: f64 = 0.5;

/// Figures that the second sentence speaks of, most important first.
const SPOKEN: &[FigureKind] = &[
    FigureKind::Metric,
    FigureKind::Latency,
    FigureKind::Macs,
    FigureKind::Weights,
    FigureKind::Parameters,
    FigureKind::Peak,
    FigureKind::KvCachePerToken,
];

/// Figures that are named on each side.
const MAX_NAMED: usize = 3;

/// The verdict on a comparison whose other parts are filled.
pub(crate) fn verdict(comparison: &Comparison) -> Verdict {
    let is_report = [&comparison.a, &comparison.b].iter().any(|m| m.source == ModelSource::Report);
    let drop_in = comparison.interface.compatible;
    let graph = comparison.graph.as_ref();
    let is_graph_same = graph.is_some_and(calipers_report::GraphChanges::is_empty);
    let are_weights_same = comparison
        .weights
        .as_ref()
        .map(|weights| weights.different == 0 && weights.not_compared == 0);
    let identical =
        is_graph_same && are_weights_same == Some(true) && comparison.interface.changes.is_empty();
    let compatibility = compatibility(comparison, is_report, is_graph_same, are_weights_same);
    Verdict { drop_in, identical, compatibility, trade: trade(comparison) }
}

fn compatibility(
    comparison: &Comparison,
    is_report: bool,
    is_graph_same: bool,
    are_weights_same: Option<bool>,
) -> String {
    let breaking: Vec<&str> = comparison
        .interface
        .changes
        .iter()
        .filter(|change| change.breaking)
        .map(|change| change.detail.as_str())
        .collect();
    if let [first, rest @ ..] = breaking.as_slice() {
        let more = match rest.len() {
            0 => String::new(),
            count => format!(
                ", and {}",
                counted(count as u64, "other change breaks callers", "other changes break callers")
            ),
        };
        return format!("Not a drop-in replacement: {first}{more}.");
    }
    let graph = match (is_report, is_graph_same, are_weights_same) {
        (true, ..) => "the graphs were not compared, because a saved report has none",
        (_, true, Some(true)) => "graph and weights are the same",
        (_, true, Some(false)) => "the graph is the same and weights differ",
        (_, true, None) => "the graph is the same, and weights were not compared",
        (_, false, _) => "what it computes may differ",
    };
    match comparison.interface.changes.is_empty() {
        true if is_graph_same || is_report => format!("Drop-in replacement: {graph}."),
        true => format!("Drop-in replacement: inputs and outputs are the same; {graph}."),
        false => format!("Drop-in replacement: no change breaks a caller; {graph}."),
    }
}

/// What got better and what got worse.
fn trade(comparison: &Comparison) -> String {
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    let mut uncertain = false;
    for kind in SPOKEN {
        // One device speaks for all.
        let figure = comparison.figures.iter().find(|figure| figure.kind == *kind);
        let Some(figure) = figure.filter(|figure| figure.incomparable().is_none()) else {
            continue;
        };
        if figure.within_error {
            uncertain |=
                figure.delta.is_some() && figure.percent.is_some_and(|p| p.abs() >= WORTH_SAYING);
            continue;
        }
        let Some(phrase) = phrase(figure) else { continue };
        match figure.direction {
            Some(Direction::Better) => better.push(phrase),
            Some(Direction::Worse) => worse.push(phrase),
            _ => {}
        }
    }
    let (new, resolved) = (&comparison.findings.new, &comparison.findings.resolved);
    let severe = |findings: &[calipers_report::Finding], severity: Severity| {
        findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    for (severity, one, many) in
        [(Severity::Error, "error", "errors"), (Severity::Warning, "warning", "warnings")]
    {
        let (came, went) = (severe(new, severity), severe(resolved, severity));
        if came > 0 {
            worse.push(format!("{} new", counted(came, one, many)));
        }
        if went > 0 {
            better.push(format!("{} resolved", counted(went, one, many)));
        }
    }
    better.truncate(MAX_NAMED);
    worse.truncate(MAX_NAMED);
    let end = match uncertain {
        true => "; latency is within the estimate's error",
        false => "",
    };
    match (better.is_empty(), worse.is_empty()) {
        (true, true) if uncertain => "Latency is within the estimate's error.".to_owned(),
        (true, true) if is_at_other_sizes(comparison) => {
            "Costs were computed at other input sizes and are not compared.".to_owned()
        }
        (true, true) if new.is_empty() && resolved.is_empty() => {
            "Cost, memory and findings are the same.".to_owned()
        }
        (true, true) => "Cost and memory are the same.".to_owned(),
        (false, true) => format!("Better: {}{end}.", better.join(", ")),
        (true, false) => format!("Worse: {}{end}.", worse.join(", ")),
        (false, false) => {
            format!("Better: {}; worse: {}{end}.", better.join(", "), worse.join(", "))
        }
    }
}

/// Whether costs are of other input sizes.
fn is_at_other_sizes(comparison: &Comparison) -> bool {
    let mut costs = comparison.figures.iter().filter(|figure| figure.kind == FigureKind::Macs);
    costs.any(|figure| figure.incomparable().is_some())
}

/// A figure with its difference: `MACs −48%`.
fn phrase(figure: &FigureChange) -> Option<String> {
    let percent = figure.percent.filter(|percent| percent.abs() >= WORTH_SAYING)?;
    let label = match figure.kind {
        FigureKind::Macs => figure.label.clone(),
        FigureKind::Weights => "weight bytes".to_owned(),
        _ => lower(&figure.label),
    };
    Some(format!("{label} {}", signed_percent(percent)))
}
