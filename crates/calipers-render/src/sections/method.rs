//! How the figures were computed: conventions, assumptions, and unknowns.

use calipers_report::Assumption;

use super::context::Context;
use super::wording::folded;
use crate::document::Block;
use crate::table::{Tone, Value};
use crate::value::Spans;
use crate::{tables, text};

/// Assumptions, and unknown figures, that are listed.
const MOST: usize = 100;

/// Assumptions, or reasons, that a screen shows, and names of each.
const SHOWN: usize = 6;

/// Conventions of every card.
const CONVENTIONS: [&str; 4] = [
    "Units are decimal: 1 kB is 1,000 bytes, 1 MB is 10⁶ bytes.",
    "MACs are multiply-accumulates of convolutions, matrix products, attention and recurrence. \
     FLOPs are twice the MACs; element-wise operations, norms and reductions are listed separately.",
    "Parameters are learned weights; each stored tensor counts once. Shape constants, scales and \
     zero points are counted separately.",
    "Peak activations follow the order of execution and include inputs and outputs. Values computed \
     from constants only are excluded.",
];

/// The note where weights were not read.
const GRAPH_ALONE: &str = "Only the graph was read, not the weights.";

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if report.graph.nodes == 0 && report.unknown.is_empty() && report.assumptions.is_empty() {
        return vec![];
    }
    let mut items: Vec<Spans> = CONVENTIONS.iter().map(|words| Spans::plain(*words)).collect();
    if report.weights.is_none() && report.model.sha256.is_none() {
        items.push(GRAPH_ALONE.into());
    }
    if let Some(hardware) = &report.hardware {
        let method = hardware.method.iter().take(MOST);
        items.extend(method.map(|words| Value::Quoted(text::sentence(words)).into()));
    }
    let mut blocks = vec![Block::list(items)];
    let hardware = report.hardware.iter().flat_map(|hardware| &hardware.assumptions);
    let assumptions = report.assumptions.iter().chain(hardware).take(MOST);
    for (heading, table) in [
        ("Assumptions", tables::assumptions(assumptions)),
        ("Not known", tables::unknown(&report.unknown[..report.unknown.len().min(MOST)])),
    ] {
        if !table.is_empty() {
            blocks.extend([Block::heading(heading), Block::Table(table)]);
        }
    }
    blocks
}

/// Assumptions for a screen, grouped by reason.
pub(super) fn assumptions(context: &mut Context<'_>) -> Vec<Block> {
    let assumptions = &context.report.assumptions;
    let groups: Vec<&[Assumption]> =
        assumptions.chunk_by(|one, next| one.why == next.why).collect();
    let noun = ["assumption", "assumptions"];
    vec![Block::list(folded(groups.into_iter(), SHOWN, noun, |group| {
        let words = together(group);
        match group.first().filter(|first| !first.why.trim().is_empty()) {
            Some(first) => words.and_quiet(": ").and(Tone::Quiet, Value::prose(&first.why)),
            None => words,
        }
    }))]
}

/// Assumptions one after another; a repeated kind is named once.
fn together(group: &[Assumption]) -> Spans {
    let mut kind = "";
    let mut parts = vec![];
    for assumption in group.iter().take(SHOWN * 2) {
        let what = assumption.what.strip_prefix(kind).filter(|_| !kind.is_empty());
        let what = Spans::from(Value::prose(what.unwrap_or(&assumption.what)));
        parts.push(what.and_text(" = ").and_value(Value::prose(&assumption.value)));
        kind = match assumption.what.split_once(' ') {
            Some(("dimension", _)) => "dimension ",
            _ => "",
        };
    }
    if group.len() > parts.len() {
        parts.push(Spans::plain("…"));
    }
    Spans::joined(parts, ", ")
}

/// Unknown figures for a screen whose reason no earlier section states.
pub(super) fn unknown(context: &mut Context<'_>) -> Vec<Block> {
    let noun = ["reason", "reasons"];
    vec![Block::list(folded(context.rest().into_iter(), SHOWN, noun, |(fields, reason)| {
        let names = fields.iter().take(SHOWN).map(|field| Value::name(*field).into());
        let rest = (fields.len() > SHOWN).then(|| Spans::plain("…"));
        Spans::joined(names.chain(rest), ", ")
            .and_quiet(": ")
            .and(Tone::Quiet, Value::prose(reason))
    }))]
}
