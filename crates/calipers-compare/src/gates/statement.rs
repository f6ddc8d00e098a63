//! Gates without an operator: `interface compatible`, `no new error`.

use calipers_report::Severity;
use calipers_report::suggestions::nearest;

use super::parse::{Part, did_you_mean};
use super::{Condition, GateError, Which, figure};

/// What a gate without an operator can begin with.
const FIRST_WORDS: [&str; 5] = ["drop-in", "graph", "interface", "no", "weights"];

/// Words for findings. `info` is the least severe, so that it is every finding.
const SEVERITIES: [(&str, Severity); 6] = [
    ("error", Severity::Error),
    ("errors", Severity::Error),
    ("warning", Severity::Warning),
    ("warnings", Severity::Warning),
    ("finding", Severity::Info),
    ("findings", Severity::Info),
];

pub(super) fn parse(whole: Part<'_>, finding_ids: &[&str]) -> Result<Condition, GateError> {
    let words = whole.split_words();
    let Some((first, rest)) = words.split_first() else {
        return Err(whole.error("the gate is empty", None));
    };
    let end = whole.end();
    match figure::folded(first.text).as_str() {
        "drop-in" | "dropin" => {
            finished(rest)?;
            Ok(Condition::DropIn)
        }
        "drop" if rest.first().is_some_and(|word| word.is("in")) => {
            finished(rest.get(1..).unwrap_or_default())?;
            Ok(Condition::DropIn)
        }
        "interface" => {
            expect(rest, end, &["compatible"])?;
            Ok(Condition::InterfaceCompatible)
        }
        "graph" => {
            expect(rest, end, &["unchanged", "identical"])?;
            Ok(Condition::GraphUnchanged)
        }
        "weights" => {
            expect(rest, end, &["unchanged", "identical"])?;
            Ok(Condition::WeightsIdentical)
        }
        "no" => findings(rest, end, finding_ids),
        name => Err(unknown(*first, rest, end, name)),
    }
}

/// Parses what follows `no`.
fn findings(
    rest: &[Part<'_>],
    end: Part<'_>,
    finding_ids: &[&str],
) -> Result<Condition, GateError> {
    let (only_new, rest) = match rest.split_first() {
        Some((word, rest)) if word.is("new") => (true, rest),
        _ => (false, rest),
    };
    let Some((word, rest)) = rest.split_first() else {
        let hint = "write `no new error`".to_owned();
        return Err(end.error("expected `error`, `warning`, `finding` or an id", Some(hint)));
    };
    let name = figure::folded(word.text);
    let severity = SEVERITIES.iter().find(|(known, _)| *known == name);
    let id = finding_ids.iter().find(|id| id.eq_ignore_ascii_case(&name));
    let which = match (severity, id) {
        (Some((_, severity)), _) => Which::Severity(*severity),
        (None, Some(id)) => Which::Id((*id).to_owned()),
        (None, None) => {
            let words = ["new"].into_iter().chain(SEVERITIES.iter().map(|(known, _)| *known));
            let known = words.chain(finding_ids.iter().copied());
            let hint = nearest(&name, known).map_or_else(
                || "write `error`, `warning`, `finding` or the id of a finding".to_owned(),
                did_you_mean,
            );
            return Err(word.error(format!("unknown finding {}", word.quoted()), Some(hint)));
        }
    };
    finished(rest)?;
    Ok(Condition::NoFindings { only_new, which })
}

/// Checks that one of some words follows, and nothing after it.
fn expect(rest: &[Part<'_>], end: Part<'_>, wanted: &[&str]) -> Result<(), GateError> {
    let first = wanted.first().copied().unwrap_or_default();
    match rest.split_first() {
        Some((word, rest)) if wanted.iter().any(|wanted| word.is(wanted)) => finished(rest),
        Some((word, _)) => {
            let hint = nearest(&word.text.to_lowercase(), wanted.iter().copied()).map(did_you_mean);
            Err(word.error(format!("expected `{first}`, found {}", word.quoted()), hint))
        }
        None => Err(end.error(format!("expected `{first}`"), None)),
    }
}

fn finished(rest: &[Part<'_>]) -> Result<(), GateError> {
    match rest.first() {
        Some(word) => Err(word.error(format!("{} is too much", word.quoted()), None)),
        None => Ok(()),
    }
}

/// The error for a gate that begins with another word: a figure without an operator, or a typing
/// error.
fn unknown(first: Part<'_>, rest: &[Part<'_>], end: Part<'_>, name: &str) -> GateError {
    let head = name.split(['@', ':']).next().unwrap_or(name);
    if figure::kind(head).is_some() {
        let place = rest.first().copied().unwrap_or(end);
        let bound = rest.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        let bound = if bound.is_empty() { "+5%" } else { &bound };
        let hint = format!("write `{} <= {bound}`", first.text);
        return place.error(format!("expected an operator after {}", first.quoted()), Some(hint));
    }
    let near = nearest(name, FIRST_WORDS).map(did_you_mean).or_else(|| figure::instead(head));
    let hint = near.unwrap_or_else(|| "write `macs <= +5%` or `no new error`".to_owned());
    first.error(format!("unknown gate {}", first.quoted()), Some(hint))
}
