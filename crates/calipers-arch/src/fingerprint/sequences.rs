//! What two sequences of shapes have in common.

use hashbrown::{HashMap, HashSet};

use super::library::{ShapeId, counted};

/// The length of the layer that a sequence ends with, when the one before it is the same.
fn layer(sequence: &(impl Iterator<Item = ShapeId> + Clone)) -> Option<usize> {
    /// Weights of the longest layer.
    const MOST: usize = 32;
    let is_layer = |length: &usize| {
        let (last, before) = (sequence.clone().take(*length), sequence.clone().skip(*length));
        before.clone().count() >= *length && last.eq(before.take(*length))
    };
    (1..=MOST).rev().find(is_layer)
}

/// Whether another layer like the last ones follows: then it is a shorter network, not a part.
pub(super) fn continues(ours: &[ShapeId], rest: &[ShapeId]) -> bool {
    layer(&ours.iter().rev().copied())
        .is_some_and(|length| rest.starts_with(&ours[ours.len() - length..]))
}

/// Whether another layer like the first ones comes before.
pub(super) fn precedes(rest: &[ShapeId], ours: &[ShapeId]) -> bool {
    layer(&ours.iter().copied()).is_some_and(|length| rest.ends_with(&ours[..length]))
}

/// Places of the shapes that the other side has fewer of, counted from the end.
pub(super) fn unmatched(sequence: &[ShapeId], other: &HashMap<ShapeId, usize>) -> Vec<usize> {
    let mut left = other.clone();
    let mut places = Vec::new();
    for (at, id) in sequence.iter().enumerate() {
        match left.get_mut(id).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => places.push(at),
        }
    }
    places
}

/// The places whose shapes another list lacks. `computed` counts the shapes that the other network
/// computes with: one of those has a role there already, and so has the last layer.
pub(super) fn without(
    sequence: &[ShapeId],
    places: &[usize],
    other: &[ShapeId],
    computed: &HashMap<ShapeId, usize>,
) -> Vec<usize> {
    /// Tables come first.
    const FIRST: usize = 6;
    let mut left = counted(other);
    let mut kept = places.to_vec();
    kept.retain(|at| {
        let id = &sequence[*at];
        let is_last = *at + 1 == sequence.len();
        let has_role = *at >= FIRST && (is_last || computed.contains_key(id));
        match left.get_mut(id).filter(|count| **count > 0 && !has_role) {
            Some(count) => {
                *count -= 1;
                false
            }
            None => true,
        }
    });
    kept
}

/// How many more shapes of the first list the second one has than it lacks, and how many it has.
pub(super) fn balance(theirs: &[ShapeId], ours: &[ShapeId]) -> (i64, usize) {
    let ours: HashSet<ShapeId> = ours.iter().copied().collect();
    let theirs: HashSet<ShapeId> = theirs.iter().copied().collect();
    let balance = theirs.iter().map(|id| if ours.contains(id) { 1 } else { -1 }).sum();
    (balance, theirs.intersection(&ours).count())
}

/// The one dimension in which two shapes differ, 1 where one of them lacks it.
pub(super) fn one_difference(a: &[i64], b: &[i64]) -> Option<(i64, i64)> {
    let only = |these: &[i64], others: &[i64]| {
        let mut others = others.to_vec();
        let mut only = Vec::new();
        for dim in these {
            match others.iter().position(|other| other == dim) {
                Some(at) => drop(others.swap_remove(at)),
                None => only.push(*dim),
            }
        }
        only
    };
    match (&only(a, b)[..], &only(b, a)[..]) {
        ([from], [to]) => Some((*from, *to)),
        ([from], []) => Some((*from, 1)),
        ([], [to]) => Some((1, *to)),
        _ => None,
    }
}

/// The length of the longest common subsequence, in steps of 64 places (Hyyrö's bit vectors).
pub(super) fn common_in_order(a: &[ShapeId], b: &[ShapeId]) -> usize {
    /// Weights that are looked at: order says no more after thousands of layers.
    const MOST: usize = 4096;
    let (a, b) = (&a[..a.len().min(MOST)], &b[..b.len().min(MOST)]);
    let words = a.len().div_ceil(64);
    let mut places: HashMap<ShapeId, Vec<u64>> = HashMap::new();
    for (at, id) in a.iter().enumerate() {
        let bits = places.entry(*id).or_insert_with(|| vec![0; words]);
        bits[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; words];
    for id in b {
        let Some(bits) = places.get(id) else { continue };
        let mut carry = false;
        for (word, bits) in row.iter_mut().zip(bits) {
            let both = *word & bits;
            let (sum, first) = word.overflowing_add(both);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *word = sum | (*word & !bits);
        }
    }
    (0..a.len()).filter(|at| row[at / 64] >> (at % 64) & 1 == 0).count()
}
