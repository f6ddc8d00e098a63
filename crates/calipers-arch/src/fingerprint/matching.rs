//! Comparing a signature with the networks of the library.
//!
//! A network keeps the shapes of its weights through export, fusion, folding and quantization.
//! What people change is at the ends: the channels of the input, and the classes or the whole
//! head. So the comparison counts equal shapes, and looks at where the others are.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::{HashMap, HashSet};

use super::library::{Entry, Library, ShapeId, counted};
use super::sequences::{
    balance, common_in_order, continues, one_difference, precedes, unmatched, without,
};
use super::signature::Signature;

/// How a network relates to one of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relation {
    /// The network holds the other one, and more.
    Contains,
    /// The network is the first or the last part of the other one: its encoder or decoder.
    Part,
    /// Nearly all weights are equal.
    Near,
    /// All weights are equal up to the channels of the input and the classifier.
    Exact,
}

/// What was found at the last layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Head {
    /// The same.
    Same,
    /// The same with another number of classes.
    Classes { from: i64, to: i64 },
    /// Left out.
    Removed,
    /// Other layers.
    Other,
}

/// A network of the library that resembles the signature.
#[derive(Clone)]
pub(crate) struct Match {
    pub entry: Entry,
    pub relation: Relation,
    /// Equal shapes out of those of the larger network, from 0 to 1.
    pub similarity: f64,
    /// Weights of the library's network that were found.
    pub found: usize,
    /// All weights of the library's network that count: without a head that was left out.
    pub of: usize,
    /// Weights of the signature that have no counterpart.
    pub extra: usize,
    pub head: Head,
    /// Channels of the input, where they differ.
    pub channels: Option<(i64, i64)>,
    /// Tables and other parameters: how many more are equal than were not found, then how many are
    /// equal. Exporters resize and fold tables, so one that was found says more.
    pub others: (i64, usize),
    /// Whether equal weights are in the same order.
    pub in_order: bool,
    /// Whether the vocabulary is the same.
    pub has_words: bool,
    /// Whether networks of many families have these shapes: layers of the same few widths, and
    /// no vocabulary that sets them apart.
    pub is_common: bool,
}

/// Weights that a network must have to be named.
const FEWEST: usize = 5;

/// Weights that a network must have to be named when all of them are equal.
const FEWEST_EXACT: usize = 3;

/// Different shapes that a network must have to be named as part of another.
const FEWEST_SHAPES: usize = 6;

/// Weights that a network must have to be named as part of another.
const FEWEST_CONTAINED: usize = 16;

/// Different shapes that the first or last part of a network must have to be named.
const FEWEST_PART_SHAPES: usize = 3;

/// The least share of a network that is named as its first or last part.
const LEAST_PART: f64 = 0.2;

/// From here on two networks are near.
const NEAR: f64 = 0.9;

/// From here on they are near even when all their layers are alike.
const NEAR_UNIFORM: f64 = 0.97;

/// From here on they are near when only the last layers differ.
const NEAR_WITH_ANOTHER_HEAD: f64 = 0.7;

/// The first weights, which a near network has too.
const STEM: usize = 2;

/// Weights that a head may have more than another one.
const MOST_LONGER: usize = 3;

/// From here on a network is part of another.
const CONTAINED: f64 = 0.97;

/// The share of a network, counted from its end, that is its head.
const HEAD_SHARE: f64 = 0.4;

/// Networks that are compared in full.
const CANDIDATES: usize = 400;

/// The networks of the library that resemble a signature, the best first.
pub(crate) fn matches(library: Library, signature: &Signature) -> Vec<Match> {
    matches_among(library, signature, |_| true)
}

/// As [`matches`], among the networks that pass a test.
pub(crate) fn matches_among(
    library: Library,
    signature: &Signature,
    keep: impl Fn(Entry) -> bool,
) -> Vec<Match> {
    if signature.weights.len() < FEWEST_EXACT {
        return Vec::new();
    }
    let model = Model::new(library, signature);
    let mut found: Vec<Match> = candidates(library, &model, keep)
        .into_iter()
        .filter_map(|entry| model.compare(entry))
        .collect();
    found.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
    found
}

/// Relation, size, whether the vocabulary is the same, how little was changed, other parameters, and
/// whether equal weights are in order.
pub(crate) type Rank = (Relation, f64, bool, u8, (i64, usize), bool);

/// What orders matches: the relation, then how much is equal, then how little was changed.
pub(crate) fn rank(found: &Match) -> Rank {
    let size = match found.relation {
        // Of two networks that are contained, the larger one is the backbone.
        Relation::Contains => found.found as f64,
        _ => found.similarity,
    };
    let head = match found.head {
        Head::Same => 4,
        Head::Classes { .. } => 2,
        Head::Removed => 1,
        Head::Other => 0,
    };
    let unchanged = head + u8::from(found.channels.is_none());
    (found.relation, size, found.has_words, unchanged, found.others, found.in_order)
}

/// Networks that share at least half of their different shapes with the signature.
fn candidates(library: Library, model: &Model<'_>, keep: impl Fn(Entry) -> bool) -> Vec<Entry> {
    let mut shared = vec![0_u32; library.len()];
    let known = model.counts.keys().filter(|id| (**id as usize) < library.shapes());
    for id in known {
        for user in library.users(*id) {
            shared[user] += 1;
        }
    }
    let mut found: Vec<(u64, Entry)> = shared
        .iter()
        .enumerate()
        .filter(|(_, shared)| **shared > 0)
        .map(|(at, shared)| (u64::from(*shared), library.entry(at)))
        .filter(|(shared, entry)| shared * 2 >= entry.distinct() as u64 && model.may_match(*entry))
        .filter(|(_, entry)| keep(*entry))
        .collect();
    // Those of about the same size first.
    found.sort_by_key(|(shared, entry)| {
        let share = shared * 100 / (entry.distinct() as u64).max(1);
        (Reverse(share), entry.weight_count().abs_diff(model.length_near(entry.weight_count())))
    });
    found.into_iter().take(CANDIDATES).map(|(_, entry)| entry).collect()
}

/// The weights of a network with the input channels of another one.
struct Stem {
    /// The channels of the other one.
    from: i64,
    /// Its own.
    to: i64,
    weights: Vec<ShapeId>,
}

/// The signature with its shapes counted.
struct Model<'s> {
    library: Library,
    signature: &'s Signature,
    counts: HashMap<ShapeId, usize>,
}

impl<'s> Model<'s> {
    fn new(library: Library, signature: &'s Signature) -> Self {
        Self { library, signature, counts: counted(&signature.weights) }
    }

    /// How many weights there are: with or without those that are used again, as is nearer.
    fn length_near(&self, length: usize) -> usize {
        let most = self.signature.weights.len();
        length.clamp(most - self.signature.repeated.len(), most)
    }

    /// The weights as a network of the library counts them: once where it has fewer.
    fn counted_once(&self, theirs: &HashMap<ShapeId, usize>) -> Cow<'s, [ShapeId]> {
        let Signature { weights, repeated, .. } = self.signature;
        let mut more: HashMap<ShapeId, usize> = HashMap::new();
        let mut dropped: HashSet<usize> = HashSet::new();
        for at in repeated.iter().rev() {
            let id = weights[*at];
            let of = || self.counts[&id].saturating_sub(theirs.get(&id).copied().unwrap_or(0));
            let more = more.entry(id).or_insert_with(of);
            if *more > 0 {
                *more -= 1;
                dropped.insert(*at);
            }
        }
        if dropped.is_empty() {
            return Cow::Borrowed(weights);
        }
        let kept = weights.iter().enumerate().filter(|(at, _)| !dropped.contains(at));
        Cow::Owned(kept.map(|(_, id)| *id).collect())
    }

    /// Whether the sizes allow a match, before anything is compared.
    fn may_match(&self, entry: Entry) -> bool {
        let theirs = entry.weight_count();
        let ours = self.length_near(theirs);
        let is_smaller = ours >= FEWEST_CONTAINED && ours < theirs;
        if is_smaller && self.counts.len() >= FEWEST_PART_SHAPES {
            return true;
        }
        // A reader of words is not one of images, whatever its layers.
        if entry.has_vocabulary() && !self.signature.vocabulary {
            return false;
        }
        let alike = theirs.min(ours) as f64 >= NEAR_WITH_ANOTHER_HEAD * theirs.max(ours) as f64;
        let part = theirs >= FEWEST_CONTAINED && entry.distinct() >= FEWEST_SHAPES;
        alike || theirs.abs_diff(ours) <= FEWEST || part && theirs <= ours
    }

    fn compare(&self, entry: Entry) -> Option<Match> {
        let theirs = entry.weights();
        let counts = counted(&theirs);
        let written = self.counted_once(&counts);
        // With the channels of the library's network, the first weights are the same.
        let stem = self.stem(&theirs, &written);
        let channels = stem.as_ref().map(|stem| (stem.from, stem.to));
        let ours = stem.map_or(written, |stem| Cow::Owned(stem.weights));
        let ours = &ours[..];
        let our_counts = match ours.len() == self.signature.weights.len() && channels.is_none() {
            true => Cow::Borrowed(&self.counts),
            false => Cow::Owned(counted(ours)),
        };
        let our_counts = &*our_counts;
        let equal: usize = counts
            .iter()
            .map(|(id, count)| (*count).min(our_counts.get(id).copied().unwrap_or(0)))
            .sum();
        if self.is_far(equal, theirs.len(), ours.len()) {
            return None;
        }
        // A table that one file looks up is multiplied with one-hot rows in another, and a matrix
        // may be added: a difference of role alone does not count.
        let their_others = entry.others();
        let missing_all = unmatched(&theirs, our_counts);
        let missing = without(&theirs, &missing_all, &self.signature.others, our_counts);
        let extra_all = unmatched(ours, &counts);
        let extra = without(ours, &extra_all, &their_others, &counts);
        let (unused, reused) = (missing_all.len() - missing.len(), extra_all.len() - extra.len());

        let (head, added) = self.head(&theirs, ours, &missing, &extra);
        let replaced = usize::from(matches!(head, Head::Classes { .. }));
        let found = equal + replaced;
        let of = theirs.len() - unused - usize::from(head == Head::Removed);
        let own = ours.len() - reused - added;
        let similarity = found as f64 / of.max(own).max(1) as f64;

        let at_end = |places: &[usize], length: usize| {
            let start = length as f64 * (1.0 - HEAD_SHARE);
            places.iter().all(|at| *at as f64 >= start)
        };
        let only_head = at_end(&missing, theirs.len()) && at_end(&extra, ours.len());
        let words = entry.has_vocabulary() == self.signature.vocabulary;
        let in_order = || common_in_order(&theirs, ours) == equal;
        // Layers of the same few shapes are in many networks.
        let varied = entry.distinct() >= FEWEST_SHAPES || entry.distinct() * 2 >= theirs.len();
        // A head of the same size with other widths; a longer one makes another network.
        let alike = missing.len().abs_diff(extra.len()) <= MOST_LONGER;
        let other_head = only_head && varied && alike && similarity >= NEAR_WITH_ANOTHER_HEAD;
        // Networks of one lineage begin alike.
        let begins = channels.is_some() || missing.first().is_none_or(|at| *at >= STEM);
        let words = words && begins;
        let relation = match () {
            () if found == of && found == own && words => Relation::Exact,
            () if similarity >= NEAR && words && (varied || only_head) => Relation::Near,
            () if similarity >= NEAR_UNIFORM && words => Relation::Near,
            () if other_head && words && in_order() => Relation::Near,
            () if self.is_part(&theirs, ours) => Relation::Part,
            () if self.contains(entry, found, of) && in_order() => Relation::Contains,
            () => return None,
        };
        let in_order = in_order();
        let is_changed = channels.is_some() || head != Head::Same;
        let is_plain = relation != Relation::Exact || is_changed;
        let is_varied = entry.distinct() == theirs.len() && in_order;
        if of < FEWEST && (is_plain || !is_varied) {
            return None;
        }
        let is_plain_part = relation == Relation::Part && self.counts.len() < FEWEST_SHAPES;
        let has_words = entry.has_vocabulary() && self.has_table(&their_others);
        let others = balance(&their_others, &self.signature.others);
        Some(Match {
            entry,
            relation,
            similarity,
            found,
            of,
            extra: (ours.len() - reused).saturating_sub(found),
            head,
            channels,
            others,
            in_order,
            has_words,
            is_common: (!varied || is_plain_part) && !has_words,
        })
    }

    /// Whether too few shapes are equal for any relation, whatever role the others have.
    fn is_far(&self, equal: usize, theirs: usize, ours: usize) -> bool {
        let unused = (theirs - equal).min(self.signature.others.len());
        // The last layer may be replaced, or left out.
        let least = theirs.saturating_sub(unused + 1);
        ours > theirs && ((equal + 1) as f64) < NEAR_WITH_ANOTHER_HEAD * least as f64
    }

    /// Whether the signature has the vocabulary of a network: its largest table.
    fn has_table(&self, theirs: &[ShapeId]) -> bool {
        let size = |id: &ShapeId| {
            self.dims(*id)
                .map_or(0, |dims| dims.iter().fold(1_i64, |all, dim| all.saturating_mul(*dim)))
        };
        let largest = theirs.iter().max_by_key(|id| size(id));
        largest.is_some_and(|table| self.signature.others.contains(table))
    }

    /// Whether the signature is the beginning or the end of a network, up to the last layer.
    fn is_part(&self, theirs: &[ShapeId], ours: &[ShapeId]) -> bool {
        let enough = ours.len() as f64 >= LEAST_PART * theirs.len() as f64;
        if ours.len() < FEWEST_CONTAINED || self.counts.len() < FEWEST_PART_SHAPES || !enough {
            return false;
        }
        let headless = &ours[..ours.len() - 1];
        [ours, headless].into_iter().any(|ours| {
            let rest = theirs.len() - ours.len().min(theirs.len());
            let first = theirs.starts_with(ours) && !continues(ours, &theirs[ours.len()..]);
            first || theirs.ends_with(ours) && !precedes(&theirs[..rest], ours)
        })
    }

    fn contains(&self, entry: Entry, found: usize, of: usize) -> bool {
        of >= FEWEST_CONTAINED
            && entry.distinct() >= FEWEST_SHAPES
            && found as f64 >= CONTAINED * of as f64
    }

    /// The channels of the input on both sides, when the first weights differ in nothing else:
    /// several convolutions may read the input.
    fn stem(&self, theirs: &[ShapeId], ours: &[ShapeId]) -> Option<Stem> {
        /// Channels of an image, a stack of images or a satellite's bands.
        const MOST: i64 = 32;
        /// Channels of a color image whose blocks of 4x4 pixels are one.
        const BLOCKS: i64 = 48;
        /// Weights that may read the input.
        const FIRST: usize = 8;
        let difference = |theirs: ShapeId, ours: ShapeId| {
            if theirs == ours {
                return None;
            }
            let (theirs, ours) = (self.dims(theirs)?, self.dims(ours)?);
            let (from, to) = one_difference(&theirs, &ours)?;
            let few = from <= MOST && to <= MOST || from == BLOCKS && to % (BLOCKS / 3) == 0;
            few.then_some((from, to))
        };
        let is_pointwise =
            |id: ShapeId| self.dims(id).is_some_and(|dims| dims.len() == 2 && dims[0] <= MOST);
        // A 1x1 convolution of one channel is a vector.
        let vanishes = |theirs: ShapeId, (from, to): (i64, i64)| {
            let first = self.dims(theirs).and_then(|dims| dims.first().copied());
            to == 1 && is_pointwise(theirs) && first == Some(from)
        };
        // 1x1 convolutions may come first. One with a window shows what differs.
        let start = theirs.iter().take(FIRST).take_while(|id| is_pointwise(**id)).count();
        let window = *theirs.get(start)?;
        if self.dims(window)?.len() < 3 {
            return None;
        }
        let channels = [0, start].into_iter().find_map(|at| {
            let found = difference(window, *ours.get(at)?)?;
            let before = theirs[..start].iter().enumerate();
            let mut agree = before.map(|(place, id)| match at {
                0 => vanishes(*id, found),
                _ => difference(*id, ours[place]) == Some(found),
            });
            agree.all(|agrees| agrees).then_some(found)
        })?;
        let mut weights = Vec::with_capacity(ours.len() + start);
        let mut rest = ours;
        for id in theirs.iter().take(FIRST) {
            let Some((next, after)) = rest.split_first() else { break };
            let changed = difference(*id, *next) == Some(channels);
            if next != id && !changed && vanishes(*id, channels) {
                weights.push(*id);
                continue;
            }
            weights.push(if changed { *id } else { *next });
            rest = after;
        }
        weights.extend(rest);
        Some(Stem { from: channels.0, to: channels.1, weights })
    }

    /// What is at the end, and how many weights of the signature are a head of its own.
    fn head(
        &self,
        theirs: &[ShapeId],
        ours: &[ShapeId],
        missing: &[usize],
        extra: &[usize],
    ) -> (Head, usize) {
        /// Layers of a head that somebody put on.
        const ADDED: usize = 3;
        let is_last_missing = missing.last().is_some_and(|at| *at + 1 == theirs.len());
        // Extra weights behind all others.
        let mut added = 0;
        while added < extra.len() && extra[extra.len() - 1 - added] + 1 + added == ours.len() {
            added += 1;
        }
        if !is_last_missing {
            let own = if added <= ADDED { added } else { 0 };
            return (if own > 0 { Head::Other } else { Head::Same }, own);
        }
        if added == 1
            && let Some(theirs) = theirs.last().and_then(|id| self.dims(*id))
            && let Some(ours) = ours.last().and_then(|id| self.dims(*id))
            && let Some((from, to)) = one_difference(&theirs, &ours)
        {
            return (Head::Classes { from, to }, 0);
        }
        let own = if added <= ADDED { added } else { 0 };
        (if own > 0 { Head::Other } else { Head::Removed }, own)
    }

    fn dims(&self, id: ShapeId) -> Option<Vec<i64>> {
        Some(self.signature.shape(self.library, id)?.dims())
    }
}
