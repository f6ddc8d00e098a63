//! Improving a matching node by node: nodes in the same place with another operator, and pairs that
//! are better the other way around.

use hashbrown::{HashMap, HashSet};

use super::matcher::{Matching, Sides};
use super::network::{NONE, Network, Reader, Source};
use super::score::Score;
use super::wiring::Wiring;

/// Exchanges that are tried in one graph.
const MAX_TRIALS: usize = 20_000;

/// Nodes of the same label that are tried for one node.
const MAX_ALIKE: usize = 12;

/// Neighbors that an exchange is judged by.
const MAX_NEIGHBORS: usize = 64;

/// Matches nodes of different operators that are in the same place: they read the same, and the same
/// nodes read them.
pub(crate) fn substitute(sides: Sides<'_>, matching: &mut Matching) {
    let free: Vec<u32> = matching.free_a().collect();
    for a in free {
        if let Some(b) = substitute_of(sides, matching, a) {
            matching.pair(a, b);
        }
    }
}

/// The free node of the second graph in the place of a node of the first.
fn substitute_of(sides: Sides<'_>, matching: &Matching, a: u32) -> Option<u32> {
    let readers = sides.a.readers(a).iter().take(MAX_NEIGHBORS);
    let places = readers.filter_map(|reader| read_by(*reader, sides.b, |at| matching.b(at)));
    let free: Vec<u32> = places.filter(|b| matching.a(*b) == NONE).collect();
    free.into_iter().find(|b| is_same_place(sides, matching, a, *b))
}

/// The free node of the first graph in the place of a node of the second.
fn substituted_by(sides: Sides<'_>, matching: &Matching, b: u32) -> Option<u32> {
    let readers = sides.b.readers(b).iter().take(MAX_NEIGHBORS);
    let places = readers.filter_map(|reader| read_by(*reader, sides.a, |at| matching.a(at)));
    let free: Vec<u32> = places.filter(|a| matching.b(*a) == NONE).collect();
    free.into_iter().find(|a| is_same_place(sides, matching, *a, b))
}

/// The node of the other graph that the counterpart of a reader reads at the same slot.
fn read_by(reader: Reader, other: &Network<'_>, twin: impl Fn(u32) -> u32) -> Option<u32> {
    let slot = reader.slot as usize;
    let source = match reader.place {
        NONE => other.outputs.get(slot).copied(),
        place => Some(twin(place)).filter(|at| *at != NONE).map(|at| other.input(at, slot)),
    };
    match source {
        Some(Source::Node { place, .. }) => Some(place),
        _ => None,
    }
}

/// Whether two free nodes read the same values, and the same nodes read them.
fn is_same_place(sides: Sides<'_>, matching: &Matching, a: u32, b: u32) -> bool {
    // A conversion between types is inserted or removed; it takes the place of another one only.
    if sides.a.labels.converts[a as usize] != sides.b.labels.converts[b as usize] {
        return false;
    }
    let wiring = Wiring { sides, matching };
    let (inputs_a, inputs_b) = (sides.a.inputs(a), sides.b.inputs(b));
    let computed = |source: &&Source| {
        matches!(source, Source::Node { .. } | Source::Input(_) | Source::Outer(_))
    };
    let (reads_a, reads_b): (Vec<&Source>, Vec<&Source>) =
        (inputs_a.iter().filter(computed).collect(), inputs_b.iter().filter(computed).collect());
    if reads_a.len() != reads_b.len() {
        return false;
    }
    // Of nodes that read only stored tensors, those must have the same dimensions.
    let (weight_a, weight_b) =
        (sides.a.labels.weight[a as usize], sides.b.labels.weight[b as usize]);
    if reads_a.is_empty() && (weight_a == 0 || weight_a != weight_b) {
        return false;
    }
    if !reads_a.iter().zip(&reads_b).all(|(left, right)| wiring.agree(**left, **right)) {
        return false;
    }
    let (readers_a, readers_b) = (sides.a.readers(a), sides.b.readers(b));
    if readers_a.len() != readers_b.len() || readers_a.is_empty() {
        return false;
    }
    let behind: HashSet<(u32, u32, u32)> =
        readers_b.iter().map(|reader| (reader.place, reader.slot, reader.output)).collect();
    readers_a.iter().all(|reader| {
        let place = if reader.place == NONE { NONE } else { matching.b(reader.place) };
        let is_free = reader.place != NONE && place == NONE;
        !is_free && behind.contains(&(place, reader.slot, reader.output))
    })
}

/// Exchanges the counterparts of nodes where that makes the edit smaller, or keeps more names.
pub(crate) fn exchange(sides: Sides<'_>, matching: &mut Matching) {
    // Only nodes that are part of the edit can gain.
    let mut loose: Vec<(u32, u32)> = Vec::new();
    {
        let wiring = Wiring { sides, matching };
        for (a, b) in matching.pairs() {
            if wiring.differences(a, b).any() {
                loose.push((a, b));
            }
        }
    }
    let mut alike: HashMap<u64, Vec<u32>> = HashMap::new();
    for a in matching.free_a().chain(loose.iter().map(|(a, _)| *a)) {
        alike.entry(sides.a.labels.exact[a as usize]).or_default().push(a);
    }
    let mut trials = 0;
    let targets: Vec<u32> = matching.free_b().chain(loose.iter().map(|(_, b)| *b)).collect();
    for b in targets {
        let candidates =
            alike.get(&sides.b.labels.exact[b as usize]).map_or(&[][..], Vec::as_slice);
        for a in candidates.iter().take(MAX_ALIKE) {
            trials += 1;
            if trials > MAX_TRIALS {
                return;
            }
            try_exchange(sides, matching, *a, b);
        }
    }
}

/// Makes `a` and `b` a pair, and their former counterparts one if they are alike; takes it back
/// where it does not help.
fn try_exchange(sides: Sides<'_>, matching: &mut Matching, a: u32, b: u32) {
    let (old_b, old_a) = (matching.b(a), matching.a(b));
    if old_b == b {
        return;
    }
    let (near_a, near_b) = near(sides, matching, &[a, old_a], &[b, old_b]);
    let score = |matching: &Matching| score_near(sides, matching, &near_a, &near_b);
    let before = score(matching);
    if old_b != NONE {
        matching.part(a, old_b);
    }
    if old_a != NONE {
        matching.part(old_a, b);
    }
    matching.pair(a, b);
    let may_pair = old_a != NONE
        && old_b != NONE
        && sides.a.labels.op[old_a as usize] == sides.b.labels.op[old_b as usize];
    if may_pair {
        matching.pair(old_a, old_b);
    }
    if score(matching) < before {
        return;
    }
    if may_pair {
        matching.part(old_a, old_b);
    }
    matching.part(a, b);
    if old_b != NONE {
        matching.pair(a, old_b);
    }
    if old_a != NONE {
        matching.pair(old_a, b);
    }
}

/// Matches nodes that are wired another way with what is in their place now, another operator, where
/// that makes the edit smaller. What they were matched with may be in the place of another node.
pub(crate) fn settle(sides: Sides<'_>, matching: &mut Matching) {
    let wiring = Wiring { sides, matching };
    let moved = matching.pairs().filter(|(a, b)| wiring.differences(*a, *b).wiring);
    let moved: Vec<(u32, u32)> = moved.take(MAX_TRIALS).collect();
    for (a, b) in moved {
        let Some(place) = substitute_of(sides, matching, a) else { continue };
        let (near_a, near_b) = near(sides, matching, &[a], &[b, place]);
        matching.part(a, b);
        matching.pair(a, place);
        let other = substituted_by(sides, matching, b);
        // The other node was free, so that it counted for itself alone.
        let near_a: Vec<u32> = near_a.into_iter().chain(other).collect();
        if let Some(other) = other {
            matching.pair(other, b);
        }
        let after = score_near(sides, matching, &near_a, &near_b);
        if let Some(other) = other {
            matching.part(other, b);
        }
        matching.part(a, place);
        matching.pair(a, b);
        if after >= score_near(sides, matching, &near_a, &near_b) {
            continue;
        }
        matching.part(a, b);
        matching.pair(a, place);
        if let Some(other) = other {
            matching.pair(other, b);
        }
    }
}

/// Nodes whose differences an exchange can change: the nodes themselves and what reads them.
fn near(sides: Sides<'_>, matching: &Matching, of_a: &[u32], of_b: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut near_a, mut near_b): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for a in of_a.iter().filter(|a| **a != NONE) {
        near_a.push(*a);
        let readers = sides.a.readers(*a).iter().take(MAX_NEIGHBORS);
        near_a.extend(readers.map(|reader| reader.place).filter(|place| *place != NONE));
    }
    for b in of_b.iter().filter(|b| **b != NONE) {
        near_b.push(*b);
        let readers = sides.b.readers(*b).iter().take(MAX_NEIGHBORS);
        let readers = readers.map(|reader| reader.place).filter(|place| *place != NONE);
        near_a.extend(readers.map(|place| matching.a(place)).filter(|place| *place != NONE));
    }
    near_a.sort_unstable();
    near_a.dedup();
    near_b.sort_unstable();
    near_b.dedup();
    (near_a, near_b)
}

/// The size of the edit at these nodes.
fn score_near(sides: Sides<'_>, matching: &Matching, near_a: &[u32], near_b: &[u32]) -> Score {
    Score::new(sides, matching, near_a.iter().copied(), near_b.iter().copied())
}
