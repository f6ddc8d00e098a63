//! Several ways to match two graphs; the one with the smallest edit wins.

use super::gaps::fill;
use super::matcher::{Matching, Sides, Strictness};
use super::repair::{exchange, settle, substitute};
use super::score::Score;

/// Where matching begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// At the inputs of the graph.
    Inputs,
    /// At its outputs.
    Outputs,
    /// At nodes of the same name.
    Names,
    /// At the canonical order.
    Order,
}

/// Nodes above which the canonical order alone is not tried: it takes the square of their number.
const MAX_ORDERED: usize = 2_000;

/// Matches two graphs so that the edit is as small as it can be found.
pub(crate) fn best(sides: Sides<'_>) -> Matching {
    let mut best: Option<(Score, Matching)> = None;
    for start in [Start::Inputs, Start::Names, Start::Outputs, Start::Order] {
        let is_large = sides.a.len().max(sides.b.len()) > MAX_ORDERED;
        if start == Start::Order && is_large {
            continue;
        }
        let matching = matched(sides, start);
        let score = Score::new(sides, &matching, sides.a.places(), sides.b.places());
        let is_better = best.as_ref().is_none_or(|(known, _)| score < *known);
        if is_better {
            best = Some((score, matching));
        }
        // Nothing is smaller than no edit.
        if best.as_ref().is_some_and(|(known, _)| known.edits == 0) {
            break;
        }
    }
    best.map_or_else(|| Matching::new(sides), |(_, matching)| matching)
}

fn matched(sides: Sides<'_>, start: Start) -> Matching {
    let mut matching = Matching::new(sides);
    match start {
        Start::Names => matching.match_names(sides),
        Start::Order => fill(sides, &mut matching),
        Start::Inputs | Start::Outputs => {}
    }
    let is_behind_first = start == Start::Outputs;
    matching.match_context(sides, Strictness::Exact, is_behind_first);
    if !matching.is_complete() {
        matching.match_surroundings(sides, Strictness::Exact);
        matching.match_context(sides, Strictness::Form, is_behind_first);
        matching.match_surroundings(sides, Strictness::Form);
        matching.match_neighbors(sides);
        fill(sides, &mut matching);
        matching.match_neighbors(sides);
        substitute(sides, &mut matching);
    }
    exchange(sides, &mut matching);
    settle(sides, &mut matching);
    matching
}
