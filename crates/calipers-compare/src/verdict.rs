//! The answer in two sentences.

use calipers_report::units::{counted, signed_percent};
use calipers_report::wording::{capitalized, in_sentence};
use calipers_report::{
    Comparison, Direction, FigureChange, FigureKind, Finding, ModelSource, Severity, Verdict,
};

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
    let unknown = &comparison.interface.not_compared;
    if !unknown.is_empty() {
        return format!("Not compared as programs: {unknown} {}", tensors(comparison));
    }
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

/// How many of the weights match.
fn tensors(comparison: &Comparison) -> String {
    let Some(tensors) = &comparison.tensors else { return String::new() };
    let (a, b, matched) = (tensors.tensors_a, tensors.tensors_b, tensors.matched);
    if a == b && matched == a {
        return format!("All {} have the same shapes.", counted(a, "tensor", "tensors"));
    }
    format!(
        "{matched} of {} have the shape of one of the other file, which has {}.",
        counted(a, "tensor", "tensors"),
        counted(b, "tensor", "tensors")
    )
}

/// What got better and what got worse.
fn trade(comparison: &Comparison) -> String {
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    // Errors come first, so that figures do not displace them.
    count_findings(comparison, Severity::Error, &mut better, &mut worse);
    for kind in SPOKEN {
        let certain: Vec<&FigureChange> =
            comparable(comparison, *kind).filter(|figure| !figure.within_error).collect();
        for (direction, phrases) in
            [(Direction::Better, &mut better), (Direction::Worse, &mut worse)]
        {
            let phrases_of_kind = certain
                .iter()
                .filter(|figure| figure.direction == Some(direction))
                .filter_map(|figure| phrase(figure));
            // One device speaks for all; every metric counts.
            let most = if *kind == FigureKind::Metric { usize::MAX } else { 1 };
            phrases.extend(phrases_of_kind.take(most));
        }
    }
    count_findings(comparison, Severity::Warning, &mut better, &mut worse);
    better.truncate(MAX_NAMED);
    worse.truncate(MAX_NAMED);
    let uncertain = uncertain_latency(comparison);
    let end = uncertain.as_ref().map(|latency| format!("; {latency}")).unwrap_or_default();
    let findings = &comparison.findings;
    match (better.is_empty(), worse.is_empty(), uncertain) {
        (true, true, Some(latency)) => format!("{}.", capitalized(&latency)),
        (true, true, None) if is_at_other_sizes(comparison) => {
            "Costs were computed at other input sizes and are not compared.".to_owned()
        }
        (true, true, None) if findings.new.is_empty() && findings.resolved.is_empty() => {
            "Cost, memory and findings are the same.".to_owned()
        }
        (true, true, None) => "Cost and memory are the same.".to_owned(),
        (false, true, _) => format!("Better: {}{end}.", better.join(", ")),
        (true, false, _) => format!("Worse: {}{end}.", worse.join(", ")),
        (false, false, _) => {
            format!("Better: {}; worse: {}{end}.", better.join(", "), worse.join(", "))
        }
    }
}

/// Figures of a kind that can be compared.
fn comparable(comparison: &Comparison, kind: FigureKind) -> impl Iterator<Item = &FigureChange> {
    let figures = comparison.figures.iter();
    figures.filter(move |figure| figure.kind == kind && figure.incomparable().is_none())
}

/// Which latencies differ by less than their estimates' errors.
fn uncertain_latency(comparison: &Comparison) -> Option<String> {
    let is_uncertain = |figure: &&FigureChange| {
        figure.within_error && figure.percent.is_some_and(|percent| percent.abs() >= WORTH_SAYING)
    };
    let uncertain: Vec<String> = comparable(comparison, FigureKind::Latency)
        .filter(is_uncertain)
        .map(|figure| in_sentence(&figure.label))
        .collect();
    let is_certain = |figure: &FigureChange| !figure.within_error && phrase(figure).is_some();
    let latency = match uncertain.as_slice() {
        [] => return None,
        [first, ..] if comparable(comparison, FigureKind::Latency).any(is_certain) => first,
        _ => "latency",
    };
    Some(format!("{latency} is within the estimate's error"))
}

/// Adds findings of a severity that came and went.
fn count_findings(
    comparison: &Comparison,
    severity: Severity,
    better: &mut Vec<String>,
    worse: &mut Vec<String>,
) {
    let count = |findings: &[Finding]| {
        findings.iter().filter(|finding| finding.severity == severity).count() as u64
    };
    let name = severity.id();
    match count(&comparison.findings.new) {
        0 => {}
        new => worse.push(counted(new, &format!("new {name}"), &format!("new {name}s"))),
    }
    match count(&comparison.findings.resolved) {
        0 => {}
        resolved => {
            better.push(format!("{} resolved", counted(resolved, name, &format!("{name}s"))));
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
        _ => in_sentence(&figure.label),
    };
    Some(format!("{label} {}", signed_percent(percent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(kind: FigureKind, label: &str, percent: f64, within_error: bool) -> FigureChange {
        FigureChange {
            kind,
            label: label.to_owned(),
            percent: Some(percent),
            within_error,
            direction: Some(match percent > 0.0 {
                true => Direction::Worse,
                false => Direction::Better,
            }),
            ..FigureChange::default()
        }
    }

    fn latency(device: &str, percent: f64, within_error: bool) -> FigureChange {
        figure(FigureKind::Latency, &format!("Latency on {device}"), percent, within_error)
    }

    fn finding(severity: Severity) -> Finding {
        Finding {
            id: String::new(),
            severity,
            title: String::new(),
            detail: String::new(),
            nodes: Vec::new(),
            recommendation: String::new(),
        }
    }

    fn sentence(figures: Vec<FigureChange>, new: &[Severity]) -> String {
        let mut comparison = Comparison { figures, ..Comparison::default() };
        comparison.findings.new = new.iter().copied().map(finding).collect();
        trade(&comparison)
    }

    #[test]
    fn uncertain_latencies_are_named_where_others_are_certain() {
        let (l4, cpu) = (latency("l4", 40.0, true), latency("i9-13900k", 126.0, false));
        assert_eq!(
            sentence(vec![l4.clone(), cpu], &[]),
            "Worse: latency on i9-13900k +126%; latency on l4 is within the estimate's error."
        );
        let both = vec![l4.clone(), latency("i9-13900k", 30.0, true)];
        assert_eq!(sentence(both, &[]), "Latency is within the estimate's error.");
        let mixed = vec![latency("l4", 80.0, false), latency("i9-13900k", -60.0, false)];
        assert_eq!(
            sentence(mixed, &[]),
            "Better: latency on i9-13900k −60%; worse: latency on l4 +80%."
        );
    }

    #[test]
    fn figures_do_not_displace_a_new_error() {
        let figures = vec![
            latency("l4", 200.0, false),
            figure(FigureKind::Macs, "MACs", 50.0, false),
            figure(FigureKind::Weights, "Weights, total", 50.0, false),
        ];
        assert_eq!(
            sentence(figures, &[Severity::Error, Severity::Error, Severity::Info]),
            "Worse: 2 new errors, latency on l4 +200%, MACs +50%."
        );
    }

    #[test]
    fn every_metric_counts() {
        let metrics = vec![
            figure(FigureKind::Metric, "accuracy", -4.0, false),
            figure(FigureKind::Metric, "loss", 9.0, false),
            figure(FigureKind::Metric, "recall", -3.0, false),
        ];
        assert_eq!(
            sentence(metrics, &[]),
            "Better: accuracy −4.0%, recall −3.0%; worse: loss +9.0%."
        );
    }
}
