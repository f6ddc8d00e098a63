//! Several ways to match two graphs; the one with the smallest edit wins.

use super::gaps::fill;
use super::matcher::{Matching, Sides, Strictness};
use super::repair::{exchange, substitute};
use super::wiring::Wiring;

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

/// The size of an edit, most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    /// Nodes added, removed and changed.
    edits: usize,
    /// Nodes with weights among those added and removed.
    weights: usize,
    /// Kinds of changes in all.
    kinds: u32,
    /// Nodes with another name.
    renamed: usize,
}

/// Matches two graphs so that the edit is as small as it can be found.
pub(crate) fn best(sides: Sides<'_>) -> Matching {
    let mut best: Option<(Score, Matching)> = None;
    for start in [Start::Inputs, Start::Names, Start::Outputs, Start::Order] {
        let is_large = sides.a.len().max(sides.b.len()) > MAX_ORDERED;
        if start == Start::Order && is_large {
            continue;
        }
        let matching = matched(sides, start);
        let score = score(sides, &matching);
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
    matching
}

fn score(sides: Sides<'_>, matching: &Matching) -> Score {
    let wiring = Wiring { sides, matching };
    let free = matching.free_a().count() + matching.free_b().count();
    let (weight_a, weight_b) = (&sides.a.labels.weight, &sides.b.labels.weight);
    let weights = matching.free_a().filter(|a| weight_a[*a as usize] != 0).count()
        + matching.free_b().filter(|b| weight_b[*b as usize] != 0).count();
    let mut score = Score { edits: free, weights, kinds: 0, renamed: 0 };
    for (a, b) in matching.pairs() {
        let differences = wiring.differences(a, b);
        score.edits += usize::from(differences.any());
        score.kinds += differences.count();
        let (mine, other) = (&sides.a.labels.name, &sides.b.labels.name);
        score.renamed += usize::from(mine[a as usize] != other[b as usize]);
    }
    score
}
