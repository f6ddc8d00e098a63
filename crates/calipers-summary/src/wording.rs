//! Small pieces of English that several sentences share.

use calipers_report::units;
pub(super) use calipers_report::wording::{capitalized, in_sentence};
use calipers_report::{Assumption, Confidence, Family, Report, TaskKind};

use super::names;

/// `a`, `a and b`, `a, b, and c`.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    }
}

/// How many of a thing: `1 layer`, `12 layers`; `None` for zero and for what is unknown.
pub(super) fn counted(value: Option<i64>, one: &str, many: &str) -> Option<String> {
    let value = u64::try_from(value?).ok().filter(|value| *value > 0)?;
    Some(units::counted(value, one, many))
}

/// An assumed dimension: its name, where that is plain, and the size.
pub(super) fn assumed(assumption: &Assumption) -> Option<(Option<&str>, &str)> {
    let name = assumption.size_name()?;
    assumption.value.parse::<u64>().ok()?;
    Some((names::plain(name), &assumption.value))
}

/// Tokens of one sequence in this report, for models of sequences.
pub(super) fn tokens(report: &Report) -> Option<u64> {
    report.hardware.as_ref()?.context
}

/// The family, where its confidence allows naming it; with low confidence the kind is described.
pub(super) fn stated_family(report: &Report) -> Option<Family> {
    let architecture = &report.architecture;
    architecture.family.filter(|_| architecture.confidence > Confidence::Low)
}

/// The task, where its confidence allows naming it; else unknown.
pub(super) fn stated_task(report: &Report) -> TaskKind {
    match report.task.confidence {
        Confidence::Low => TaskKind::Unknown,
        Confidence::Medium | Confidence::High => report.task.kind,
    }
}

/// How surely what a summary names is right: the family, and the task.
pub(super) fn confidence(report: &Report) -> Confidence {
    let family = stated_family(report).map_or(Confidence::High, |_| report.architecture.confidence);
    let task = match stated_task(report) {
        TaskKind::Unknown => Confidence::High,
        _ => report.task.confidence,
    };
    family.min(task)
}

/// What people call the network, where its confidence allows naming it: the variant, else the family.
fn stated_name(report: &Report) -> Option<&str> {
    let family = stated_family(report)?;
    Some(report.architecture.variant.as_deref().unwrap_or(family.display_name()))
}

/// The name of the network, else that of its kind.
pub(super) fn family_or(report: &Report, kind: &str) -> String {
    stated_name(report).unwrap_or(kind).to_owned()
}

/// The noun with the name of the network, where that is known: `YOLOv8n object detector`.
pub(super) fn of_family(report: &Report, noun: &str) -> String {
    match stated_name(report) {
        // The name of a part says what it is: `Whisper-tiny encoder`.
        Some(name) if name.ends_with(noun) => name.to_owned(),
        Some(name) => format!("{name} {noun}"),
        None => noun.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_lose_their_capital_and_names_keep_theirs() {
        assert_eq!(listed(&["a".into(), "b".into(), "c".into()]), "a, b, and c");
    }
}
