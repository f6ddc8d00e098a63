//! Judges a comparison.

use std::collections::BTreeMap;

use calipers_report::quantities::Decimal;
use calipers_report::suggestions::{self, nearest};
use calipers_report::{
    Comparison, FigureChange, FigureKind, GraphChanges, Measure, Quantity, Severity, TaskKind,
    WeightChanges, WeightRelation, units,
};

use super::wording::{Style, Value, difference, limit, subject};
use super::{Bound, Condition, Figure, Operator, Which, figure};

/// The most ids or changes that a detail lists.
const MAX_LISTED: usize = 8;

/// Whether a condition is met, and why.
pub(super) fn outcome(condition: &Condition, comparison: &Comparison) -> (bool, String) {
    match condition {
        Condition::InterfaceCompatible => interface(comparison),
        Condition::DropIn => drop_in(comparison),
        Condition::GraphUnchanged => graph(comparison.graph.as_ref()),
        Condition::WeightsIdentical => weights(comparison.weights.as_ref()),
        Condition::NoFindings { only_new, which } => findings(comparison, *only_new, which),
        Condition::Figure { figure, operator, bound } => match bound {
            Bound::Words { .. } => judged_words(figure, *operator, bound, comparison),
            Bound::Same if figure.kind.measure() == Measure::Words => {
                judged_words(figure, *operator, bound, comparison)
            }
            _ => number(figure, *operator, bound, comparison),
        },
    }
}

fn interface(comparison: &Comparison) -> (bool, String) {
    let interface = &comparison.interface;
    if interface.compatible {
        return (true, "the interface is compatible".to_owned());
    }
    let breaking: Vec<&str> = interface
        .changes
        .iter()
        .filter(|change| change.breaking)
        .map(|change| change.detail.trim_end_matches('.'))
        .collect();
    (false, with_list("the interface is not compatible", &breaking, "; "))
}

fn drop_in(comparison: &Comparison) -> (bool, String) {
    let verdict = &comparison.verdict;
    let why = verdict.compatibility.trim_end_matches('.');
    let detail = match (verdict.drop_in, why.is_empty()) {
        (true, true) => "the model is a drop-in replacement",
        (false, true) => "the model is not a drop-in replacement",
        (_, false) => why,
    };
    (verdict.drop_in, detail.to_owned())
}

fn graph(changes: Option<&GraphChanges>) -> (bool, String) {
    let Some(changes) = changes else {
        let why = "the graphs were not compared: a saved report has no graph";
        return (false, why.to_owned());
    };
    if changes.is_empty() {
        return (true, "the graph is unchanged".to_owned());
    }
    let counts: Vec<String> = [
        (changes.added.len(), "added"),
        (changes.removed.len(), "removed"),
        (changes.changed.len(), "changed"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", units::counted(*count as u64, "node", "nodes")))
    .chain((!changes.rewired_outputs.is_empty()).then(|| "outputs rewired".to_owned()))
    .collect();
    (false, format!("the graph changed: {}", counts.join(", ")))
}

fn weights(changes: Option<&WeightChanges>) -> (bool, String) {
    let Some(changes) = changes else {
        return (false, "the weights were not compared; add `--weights`".to_owned());
    };
    let (only_a, only_b) = changes.unmatched;
    let counts: Vec<String> = [
        (changes.different, "different"),
        (changes.not_compared, "not compared"),
        (only_a, "only in the baseline"),
        (only_b, "only in the model"),
    ]
    .iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{} {what}", units::counted(*count, "tensor", "tensors")))
    .collect();
    match (counts.is_empty(), changes.relation) {
        (true, WeightRelation::Identical) => (true, "the weights are identical".to_owned()),
        // Nothing was compared, or the counts do not show the difference.
        (true, relation) => {
            let relation = relation.display_name();
            (false, format!("the relation of the weights is \"{relation}\", not identical"))
        }
        (false, _) => (false, format!("the weights are not identical: {}", counts.join(", "))),
    }
}

fn findings(comparison: &Comparison, only_new: bool, which: &Which) -> (bool, String) {
    let changes = &comparison.findings;
    let fails = |id: &str, severity: Severity| match which {
        // Severities are ordered from the most severe.
        Which::Severity(least) => severity <= *least,
        Which::Id(wanted) => id == wanted,
    };
    let new = changes.new.iter().map(|finding| (finding.severity, finding.id.as_str(), 1));
    let unchanged = changes.unchanged_by_id.iter();
    let unchanged = unchanged.map(|kind| (kind.severity, kind.id.as_str(), kind.count));
    let mut counts: BTreeMap<(Severity, &str), u64> = BTreeMap::new();
    for (severity, id, count) in new.chain(unchanged.filter(|_| !only_new)) {
        if fails(id, severity) {
            let entry = counts.entry((severity, id)).or_default();
            *entry = entry.saturating_add(count);
        }
    }
    let (one, many) = match which {
        Which::Severity(Severity::Error) => ("error", "errors"),
        Which::Severity(Severity::Warning) => ("error or warning", "errors or warnings"),
        Which::Severity(Severity::Info) | Which::Id(_) => ("finding", "findings"),
    };
    let new = if only_new { "new " } else { "" };
    let total = counts.values().fold(0_u64, |total, count| total.saturating_add(*count));
    if total > 0 {
        let ids: Vec<String> = counts
            .iter()
            .map(|((_, id), count)| match count {
                1 => (*id).to_owned(),
                count => format!("{id} ({})", units::integer(*count)),
            })
            .collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let noun = if total == 1 { one } else { many };
        return (false, with_list(&format!("{} {new}{noun}", units::integer(total)), &ids, ", "));
    }
    let listed = changes.unchanged_by_id.iter().fold(0_u64, |sum, it| sum.saturating_add(it.count));
    if !only_new && listed != changes.unchanged {
        return (false, "the findings that both models have are not listed".to_owned());
    }
    match which {
        Which::Id(id) => (true, format!("no {new}finding {id}")),
        Which::Severity(_) => (true, format!("no {new}{many}")),
    }
}

/// The first items of a list after what they show.
fn with_list(what: &str, items: &[&str], separator: &str) -> String {
    let listed: Vec<&str> = items.iter().copied().take(MAX_LISTED).collect();
    let more = items.len() - listed.len();
    match (listed.is_empty(), more) {
        (true, _) => what.to_owned(),
        (false, 0) => format!("{what}: {}", listed.join(separator)),
        (false, more) => format!("{what}: {}{separator}and {more} more", listed.join(separator)),
    }
}

/// The figures of a comparison that have a name: none, one, or one per device.
fn named<'a>(figure: &Figure, comparison: &'a Comparison) -> Vec<&'a FigureChange> {
    let has_name = |change: &&FigureChange| match (figure.kind, &figure.subject) {
        (FigureKind::Metric, Some(metric)) => {
            let name = change.name.as_str();
            let bare = name.split_at_checked(7).filter(|(head, _)| {
                change.kind == FigureKind::Metric && head.eq_ignore_ascii_case("metric:")
            });
            let bare = bare.map_or(name, |(_, bare)| bare);
            figure::folded(bare) == figure::folded(metric)
        }
        (FigureKind::Latency | FigureKind::Memory, Some(device)) => {
            let named = change.name.split_once('@').map(|(_, device)| suggestions::folded(device));
            change.kind == figure.kind && named == Some(suggestions::folded(device))
        }
        (FigureKind::BytesByType, Some(dtype)) => {
            let named = change.name.split_once(':').map(|(_, dtype)| dtype);
            change.kind == figure.kind && named == Some(dtype)
        }
        (kind, _) => change.kind == kind,
    };
    comparison.figures.iter().filter(has_name).collect()
}

/// What a comparison lacks for a figure.
fn missing(figure: &Figure, comparison: &Comparison) -> String {
    let name = match (&figure.subject, figure.kind) {
        (Some(metric), FigureKind::Metric) => {
            let known = comparison
                .figures
                .iter()
                .map(|change| change.name.strip_prefix("metric:").unwrap_or(&change.name));
            let near = nearest(metric, known).map(|near| format!("; did you mean `{near}`?"));
            let near = near.unwrap_or_default();
            return format!("the comparison has no figure or metric `{metric}`{near}");
        }
        (Some(device), FigureKind::Latency | FigureKind::Memory) => {
            let kind = figure.kind.id();
            return format!("{kind}@{device} is not known; add `--device {device}`");
        }
        (None, FigureKind::Latency | FigureKind::Memory) => {
            let kind = figure.kind.id();
            return format!("{kind} is not known without a device; write `{kind}@DEVICE`");
        }
        (Some(subject), kind) => format!("{}:{subject}", kind.id()),
        (None, kind) => kind.id().to_owned(),
    };
    format!("{name} is not known")
}

fn number(
    figure: &Figure,
    operator: Operator,
    bound: &Bound,
    comparison: &Comparison,
) -> (bool, String) {
    let zero;
    let change = match named(figure, comparison).as_slice() {
        [change] => *change,
        [] => {
            // Types that neither model has are not listed, where types are.
            let lists_types =
                comparison.figures.iter().any(|change| change.kind == FigureKind::BytesByType);
            if figure.kind != FigureKind::BytesByType || !lists_types {
                return (false, missing(figure, comparison));
            }
            zero = FigureChange {
                kind: FigureKind::BytesByType,
                measure: Measure::Bytes,
                a: Some(Quantity::Integer(0)),
                b: Some(Quantity::Integer(0)),
                delta: Some(calipers_report::Difference::Integer(0)),
                ..FigureChange::default()
            };
            &zero
        }
        several => {
            let names: Vec<&str> = several.iter().map(|change| change.name.as_str()).collect();
            return (false, with_list("the gate fits more than one figure", &names, ", "));
        }
    };
    judged(figure, operator, bound, change)
}

fn judged(
    figure: &Figure,
    operator: Operator,
    bound: &Bound,
    change: &FigureChange,
) -> (bool, String) {
    let (name, verb) = subject(figure, Some(change));
    let because = change.note.as_deref().map(|note| format!(": {note}")).unwrap_or_default();
    let because = because.trim_end_matches('.');
    let Some(b) = change.b.as_ref().and_then(Value::new) else {
        return (false, format!("{name} {verb} not known{because}"));
    };
    if matches!(bound, Bound::Value { in_percent: true, .. }) && change.measure != Measure::Percent
    {
        return (false, format!("{name} {verb} not in percent; write a number without `%`"));
    }
    let is_relative = matches!(bound, Bound::Percent(_) | Bound::Offset(_) | Bound::Same);
    let a = change.a.as_ref().and_then(Value::new);
    if is_relative && a.is_none() {
        return (false, format!("{name} of the baseline {verb} not known{because}"));
    }
    if let (true, Some(why)) = (is_relative, change.incomparable()) {
        let why = why.trim_end_matches('.');
        return (false, format!("{name} cannot be compared with the baseline: {why}"));
    }
    let a = a.unwrap_or(b);
    let most = match bound {
        Bound::Value { value, .. } => Value::from(*value),
        Bound::Percent(percent) => a.plus_percent(*percent),
        Bound::Offset(offset) => a.plus(*offset),
        Bound::Same | Bound::Words { .. } => a,
    };
    let passed = operator.holds(b.compare(most));
    let style = Style::new(change.measure, b, most);
    let mut detail = format!("{name} {verb} {}", style.shown(b));
    if let (Measure::Milliseconds, false, Some(range)) =
        (change.measure, style.every_digit, &change.range_b)
    {
        detail = format!("{name} {verb} {}", units::time_range(range.low, b.float, range.high));
    }
    if is_relative && (!passed || *bound == Bound::Same) {
        detail.push_str(&difference(b, a, change.measure));
    }
    if !(passed && *bound == Bound::Same) {
        detail = format!("{detail}; {}", limit(operator, most, bound, style, verb));
    }
    let baseline_is_zero = a.exact == Some(Decimal::ZERO);
    if baseline_is_zero && matches!(bound, Bound::Percent(_)) {
        detail.push_str("; the baseline is 0, so that a percentage allows no change");
    }
    if is_relative && change.within_error {
        detail.push_str("; the difference is within the error of the estimates");
    }
    (passed, detail)
}

/// The words of both models for a figure, as an id and as people read them.
fn word_pair(figure: &Figure, comparison: &Comparison) -> [Option<(String, String)>; 2] {
    let models = [&comparison.a, &comparison.b];
    let pair = |id: &str, name: &str| Some((id.to_owned(), name.to_owned()));
    match figure.kind {
        FigureKind::Family => models
            .map(|model| model.family.and_then(|family| pair(family.id(), family.display_name()))),
        FigureKind::Task => models.map(|model| match model.task {
            TaskKind::Unknown => None,
            task => pair(task.id(), task.display_name()),
        }),
        FigureKind::Quantization => {
            models.map(|model| pair(&model.quantization.id(), &model.quantization.label()))
        }
        _ => {
            let change = named(figure, comparison).first().copied();
            let words = |quantity: Option<&Quantity>| match quantity {
                Some(Quantity::Words(words)) => pair(&figure::folded(words), words),
                _ => None,
            };
            [change.and_then(|it| words(it.a.as_ref())), change.and_then(|it| words(it.b.as_ref()))]
        }
    }
}

fn judged_words(
    figure: &Figure,
    operator: Operator,
    bound: &Bound,
    comparison: &Comparison,
) -> (bool, String) {
    let change = named(figure, comparison).first().copied();
    let (name, verb) = subject(figure, change);
    let note = change.and_then(|change| change.note.as_deref());
    let because = note.map(|note| format!(": {note}")).unwrap_or_default();
    let [a, b] = word_pair(figure, comparison);
    let Some((id, shown)) = b else {
        return (false, format!("{name} {verb} not known{because}"));
    };
    let not = if operator == Operator::NotEqual { "not allowed" } else { "required" };
    let (wanted, required) = match bound {
        Bound::Words { id, display_name } => (id.clone(), format!("{display_name} is {not}")),
        _ => match a {
            Some((id, display_name)) => {
                (id, format!("{display_name}, as in the baseline, is {not}"))
            }
            None => return (false, format!("{name} of the baseline {verb} not known{because}")),
        },
    };
    let passed = operator.holds(id.cmp(&wanted));
    (passed, format!("{name} {verb} {shown}; {required}"))
}

impl Operator {
    fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::AtMost => order.is_le(),
            Self::Below => order.is_lt(),
            Self::AtLeast => order.is_ge(),
            Self::Above => order.is_gt(),
            Self::Equal => order.is_eq(),
            Self::NotEqual => order.is_ne(),
        }
    }
}
