//! Improving a matching node by node: nodes in the same place with another operator, and pairs that
//! are better the other way around.

use hashbrown::{HashMap, HashSet};

use super::matcher::{Matching, Sides};
use super::network::{NONE, Source};
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

fn substitute_of(sides: Sides<'_>, matching: &Matching, a: u32) -> Option<u32> {
    let mut candidates: Vec<u32> = Vec::new();
    let mut add = |b: u32| {
        if matching.a(b) == NONE && !candidates.contains(&b) {
            candidates.push(b);
        }
    };
    for reader in sides.a.readers(a).iter().take(MAX_NEIGHBORS) {
        let source = match reader.place {
            NONE => sides.b.outputs.get(reader.slot as usize).copied(),
            place => Some(matching.b(place))
                .filter(|behind| *behind != NONE)
                .map(|behind| sides.b.input(behind, reader.slot as usize)),
        };
        if let Some(Source::Node { place, .. }) = source {
            add(place);
        }
    }
    candidates.into_iter().find(|b| is_same_place(sides, matching, a, *b))
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
    if reads_a.len() != reads_b.len() || reads_a.is_empty() {
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
    let before = cost(sides, matching, &near_a, &near_b);
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
    if cost(sides, matching, &near_a, &near_b) < before {
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

/// What the edit costs at these nodes: free nodes and changed pairs, then names that changed.
fn cost(sides: Sides<'_>, matching: &Matching, near_a: &[u32], near_b: &[u32]) -> (u32, u32, u32) {
    let wiring = Wiring { sides, matching };
    let (mut edits, mut kinds, mut renamed) = (0, 0, 0);
    for a in near_a {
        match matching.b(*a) {
            NONE => edits += 1,
            b => {
                let differences = wiring.differences(*a, b);
                edits += u32::from(differences.any());
                kinds += differences.count();
                let (mine, other) = (&sides.a.labels.name, &sides.b.labels.name);
                renamed += u32::from(mine[*a as usize] != other[b as usize]);
            }
        }
    }
    let free = near_b.iter().filter(|b| matching.a(**b) == NONE).count();
    (edits + u32::try_from(free).unwrap_or(u32::MAX), kinds, renamed)
}
