//! Matching what lies between matched nodes, in canonical order.

use super::matcher::{Matching, Sides, Strictness};
use super::network::{NONE, Source};

/// Pairs of nodes that may be compared in one gap, and in all gaps of a graph.
const MAX_GAP: usize = 4_000_000;
const MAX_ALL: usize = 24_000_000;

/// Matches free nodes of the same operator between matched ones so that the pairs are as alike as
/// possible and do not cross. Matched nodes that cross others do not limit a gap.
pub(crate) fn fill(sides: Sides<'_>, matching: &mut Matching) {
    if matching.free_a().next().is_none() || matching.free_b().next().is_none() {
        return;
    }
    let mut anchors = rising(&matching.pairs().collect::<Vec<_>>());
    anchors.push((u32::MAX, u32::MAX));
    let free_a: Vec<u32> = matching.free_a().collect();
    let free_b: Vec<u32> = matching.free_b().collect();
    let (mut at_a, mut at_b) = (0, 0);
    let mut budget = MAX_ALL;
    for (until_a, until_b) in anchors {
        let (from_a, from_b) = (at_a, at_b);
        while free_a.get(at_a).is_some_and(|a| *a < until_a) {
            at_a += 1;
        }
        while free_b.get(at_b).is_some_and(|b| *b < until_b) {
            at_b += 1;
        }
        let (gap_a, gap_b) = (&free_a[from_a..at_a], &free_b[from_b..at_b]);
        fill_gap(sides, matching, gap_a, gap_b, &mut budget);
    }
}

/// The longest list of pairs in which both places rise.
pub(crate) fn rising(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // For each length, the pair that ends a list of that length with the smallest second place.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = vec![usize::MAX; pairs.len()];
    for (at, (_, b)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *b);
        before[at] = length.checked_sub(1).map_or(usize::MAX, |shorter| ends[shorter]);
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut list = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(usize::MAX);
    while let Some(pair) = pairs.get(at) {
        list.push(*pair);
        at = before[at];
    }
    list.reverse();
    list
}

fn fill_gap(
    sides: Sides<'_>,
    matching: &mut Matching,
    gap_a: &[u32],
    gap_b: &[u32],
    budget: &mut usize,
) {
    // Ends that are alike need no search.
    let label = Strictness::Form;
    let (labels_a, labels_b) = (label.labels(sides.a), label.labels(sides.b));
    let is_alike = |a: u32, b: u32| labels_a[a as usize] == labels_b[b as usize];
    let cells = gap_a.len().saturating_mul(gap_b.len());
    if cells == 0 {
        return;
    }
    if cells <= MAX_GAP.min(*budget) {
        *budget -= cells;
        let pairs = best_pairs(sides, matching, gap_a, gap_b);
        pairs.into_iter().for_each(|(a, b)| matching.pair(a, b));
        return;
    }
    let head = gap_a.iter().zip(gap_b).take_while(|(a, b)| is_alike(**a, **b)).count();
    let (rest_a, rest_b) = (&gap_a[head..], &gap_b[head..]);
    let both = rest_a.iter().rev().zip(rest_b.iter().rev());
    let tail = both.take_while(|(a, b)| is_alike(**a, **b)).count();
    gap_a.iter().zip(gap_b).take(head).for_each(|(a, b)| matching.pair(*a, *b));
    let both = rest_a.iter().rev().zip(rest_b.iter().rev());
    both.take(tail).for_each(|(a, b)| matching.pair(*a, *b));
    let rest_a = &rest_a[..rest_a.len() - tail];
    let rest_b = &rest_b[..rest_b.len() - tail];
    // What is still too large is cut into parts of the same share.
    let cells = rest_a.len().saturating_mul(rest_b.len());
    if cells == 0 {
        return;
    }
    let parts = cells.div_ceil(MAX_GAP / 16).max(2);
    let part_a = rest_a.len().div_ceil(parts).max(1);
    let part_b = rest_b.len().div_ceil(parts).max(1);
    for (part_a, part_b) in rest_a.chunks(part_a).zip(rest_b.chunks(part_b)) {
        let cells = part_a.len().saturating_mul(part_b.len());
        if cells > *budget {
            return;
        }
        *budget -= cells;
        let pairs = best_pairs(sides, matching, part_a, part_b);
        pairs.into_iter().for_each(|(a, b)| matching.pair(a, b));
    }
}

/// How alike two nodes are; `None` for different operators, unless both are forms of one
/// contraction.
fn likeness(sides: Sides<'_>, matching: &Matching, a: u32, b: u32) -> Option<u32> {
    let (at, there) = (a as usize, b as usize);
    let (mine, other) = (&sides.a.labels, &sides.b.labels);
    let is_same = mine.op[at] == other.op[there];
    let is_same_plain = mine.plain[at] != 0 && mine.plain[at] == other.plain[there];
    if !is_same && !is_same_plain {
        return None;
    }
    let mut likeness = if is_same { 4 } else { 1 };
    // A quantized operator keeps the shape of its weights. Of two nodes that cannot both be matched,
    // the one with weights identifies more.
    let has_same_weight = mine.weight[at] != 0 && mine.weight[at] == other.weight[there];
    likeness += u32::from(has_same_weight) * if is_same { 2 } else { 3 };
    likeness += 3 * u32::from(mine.form[at] == other.form[there]);
    likeness += 3 * u32::from(mine.exact[at] == other.exact[there]);
    likeness += 2 * u32::from(mine.name[at] != 0 && mine.name[at] == other.name[there]);
    for (left, right) in sides.a.inputs(a).iter().zip(sides.b.inputs(b)).take(4) {
        likeness += match (left, right) {
            (Source::Node { place: left, .. }, Source::Node { place: right, .. }) => {
                2 * u32::from(matching.b(*left) == *right)
            }
            (Source::Input(_) | Source::Outer(_), Source::Input(_) | Source::Outer(_)) => {
                2 * u32::from(sides.ports_a.number(*left) == sides.ports_b.number(*right))
            }
            _ => 0,
        };
    }
    for reader in sides.a.readers(a).iter().take(4) {
        let behind = if reader.place == NONE { NONE } else { matching.b(reader.place) };
        if behind != NONE
            && sides.b.input(behind, reader.slot as usize)
                == (Source::Node { place: b, slot: reader.output })
        {
            likeness += 2;
        }
    }
    Some(likeness)
}

/// Pairs of two lists that do not cross and are as alike as possible.
fn best_pairs(
    sides: Sides<'_>,
    matching: &Matching,
    gap_a: &[u32],
    gap_b: &[u32],
) -> Vec<(u32, u32)> {
    let width = gap_b.len() + 1;
    // The best sum for what begins at (row, column), and whether it pairs these two.
    let mut sums = vec![0_u32; (gap_a.len() + 1) * width];
    let mut is_pair = vec![false; sums.len()];
    for (row, a) in gap_a.iter().enumerate().rev() {
        for (column, b) in gap_b.iter().enumerate().rev() {
            let at = row * width + column;
            let skip = sums[at + width].max(sums[at + 1]);
            let pair = likeness(sides, matching, *a, *b).map(|own| own + sums[at + width + 1]);
            is_pair[at] = pair.is_some_and(|pair| pair >= skip);
            sums[at] = pair.map_or(skip, |pair| pair.max(skip));
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while row < gap_a.len() && column < gap_b.len() {
        let at = row * width + column;
        if is_pair[at] {
            pairs.push((gap_a[row], gap_b[column]));
            (row, column) = (row + 1, column + 1);
        } else if sums[at + width] >= sums[at + 1] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}
