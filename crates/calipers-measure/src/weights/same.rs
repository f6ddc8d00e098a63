//! Which tensors hold the same bytes.
//!
//! Tensors that differ in size or in any figure differ; only those that are left are compared by a
//! digest of all their bytes. So nothing is read twice, but what is stored twice.

use std::collections::{BTreeMap, HashMap};

use calipers_weights::{digest, on_every_core};

use super::{Place, Seen};

/// Smaller tensors are the same by chance, and cost nothing.
const MIN_BYTES: u64 = 1024;

/// Groups of tensors with the same bytes and the same type, in order.
pub(super) fn groups(tensors: &[Seen], places: &[Place<'_>]) -> Vec<Vec<usize>> {
    let mut alike: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, seen) in tensors.iter().enumerate().filter(|(_, seen)| seen.bytes >= MIN_BYTES) {
        let stats = &seen.found.stats;
        let key = (
            seen.dtype,
            seen.bytes,
            [stats.min, stats.max, stats.mean, stats.squares].map(f64::to_bits),
            [stats.nan, stats.zeros, stats.elements],
        );
        alike.entry(key).or_default().push(at);
    }
    let mut perhaps: Vec<usize> =
        alike.into_values().filter(|group| group.len() > 1).flatten().collect();
    perhaps.sort_unstable();
    let digests = on_every_core(&perhaps, |at| match &places[*at] {
        Place::Run { source, span } => digest(source, *span),
        Place::Unpacked(digest) => Some(*digest),
    });
    let mut same: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (at, digest) in perhaps.into_iter().zip(digests) {
        if let Some(digest) = digest {
            same.entry((tensors[at].dtype, digest)).or_default().push(at);
        }
    }
    let mut groups: Vec<Vec<usize>> = same.into_values().filter(|group| group.len() > 1).collect();
    groups.sort_unstable();
    groups
}
