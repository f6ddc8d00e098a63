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
    "Units are decimal: 1 MB is 10⁶ bytes.",
    "MACs (multiply-accumulates) count convolutions, matrix products, attention and recurrent \
     layers; 1 MAC is 2 FLOPs.",
    "Parameters are learned weights; shape constants, scales and zero points are counted \
     separately.",
    "Peak activation memory is the maximum over nodes in execution order, inputs and outputs \
     included.",
];

/// What holds where the weights were not read.
const GRAPH_ALONE: &str = "Weight values were not read; `--weights` reads them.";

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    if report.graph.nodes == 0 && report.unknown.is_empty() && report.assumptions.is_empty() {
        return vec![];
    }
    let mut items: Vec<Spans> = CONVENTIONS.iter().map(|words| Spans::plain(*words)).collect();
    if report.weights.is_none() && report.model.sha256.is_none() {
        items.push(Value::quoted(GRAPH_ALONE).into());
    }
    if let Some(hardware) = &report.hardware {
        let method = hardware.method.iter().take(MOST);
        items.extend(method.map(|words| Value::Quoted(text::sentence(words)).into()));
    }
    let mut blocks = vec![Block::list(items)];
    let hardware = report.hardware.iter().flat_map(|hardware| &hardware.assumptions);
    // Sizes of dimensions are next to the inputs.
    let others = report.assumptions.iter().filter(|it| !it.what.starts_with("dimension "));
    let assumptions = others.chain(hardware).take(MOST);
    let assumptions: Vec<Spans> = assumptions.map(assumption_line).collect();
    if !assumptions.is_empty() {
        blocks.extend([Block::heading("Assumptions"), Block::list(assumptions)]);
    }
    let unknown = tables::unknown(&report.unknown[..report.unknown.len().min(MOST)]);
    if !unknown.is_empty() {
        blocks.extend([Block::heading("Unknown figures"), Block::Table(unknown)]);
    }
    blocks
}

fn assumption_line(assumption: &Assumption) -> Spans {
    Spans::from(Value::prose(&assumption.what))
        .and_text(" = ")
        .and_value(Value::prose(&assumption.value))
        .and_text(": ")
        .and_value(Value::quoted(&assumption.why))
}

/// What had to be assumed, for a screen: what has the same reason together.
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
