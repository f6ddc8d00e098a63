//! Signatures of weight shapes, by which variants of one network are found among many models.
//!
//! A signature is a MinHash of the multiset of shapes: the share of equal entries of two signatures estimates the
//! Jaccard similarity of the multisets, with a standard error of at most 0.09. Types do not count, nor the order of
//! dimensions, so a quantized or transposed copy of a weight is the same entry.

use std::collections::HashMap;

use calipers::Model;

/// Entries of a signature, and hexadecimal digits of each.
const ENTRIES: usize = 32;
const DIGITS: usize = 4;

/// Elements of a weight that counts, and weights below which a signature says nothing.
const LARGE: u64 = 1_024;
const FEWEST: usize = 4;

/// A signature: the low bits of the smallest hash under each of several hash functions.
pub(crate) type Signature = [u16; ENTRIES];

/// The signature of a model's weight shapes as text; `None` where it has too few large weights.
pub(crate) fn shape_signature(model: &Model) -> Option<String> {
    let tensors = model.ir().tensors().map(|(_, tensor)| tensor);
    let shapes = tensors.filter(|it| it.dims.len() >= 2).filter_map(|tensor| {
        let mut dims = tensor.dims.to_vec();
        dims.sort_unstable();
        (tensor.elements().ok()? >= LARGE).then_some(dims)
    });
    Some(encoded(&signature(shapes)?))
}

fn signature(shapes: impl Iterator<Item = Vec<i64>>) -> Option<Signature> {
    let mut repeats: HashMap<Vec<i64>, u64> = HashMap::new();
    let (mut minima, mut count) = ([u64::MAX; ENTRIES], 0);
    for shape in shapes {
        let repeat = repeats.entry(shape.clone()).or_default();
        // The second weight of a shape is another entry than the first one.
        let start =
            shape.iter().fold(mixed(*repeat), |hash, dim| mixed(hash ^ dim.cast_unsigned()));
        *repeat += 1;
        count += 1;
        for (number, minimum) in (1_u64..).zip(&mut minima) {
            *minimum = (*minimum).min(mixed(start.wrapping_add(mixed(number))));
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are what is kept")]
    let low = |minimum: u64| minimum as u16;
    (count >= FEWEST).then(|| minima.map(low))
}

/// The finalizer of SplitMix64: every bit of the input changes about half of the output.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn encoded(signature: &Signature) -> String {
    signature.iter().map(|entry| format!("{entry:04x}")).collect()
}

/// The signature that a text encodes; `None` for other texts.
pub(crate) fn decoded(text: &str) -> Option<Signature> {
    let mut signature = [0; ENTRIES];
    if !text.is_ascii() || text.len() != ENTRIES * DIGITS {
        return None;
    }
    for (number, entry) in signature.iter_mut().enumerate() {
        *entry = u16::from_str_radix(&text[number * DIGITS..][..DIGITS], 16).ok()?;
    }
    Some(signature)
}

/// Equal entries of two signatures, of 32.
fn agreement(one: &Signature, other: &Signature) -> usize {
    one.iter().zip(other).filter(|(a, b)| a == b).count()
}

/// Equal entries of models that are alike: three quarters.
const ALIKE: usize = 24;

/// Entries that are looked up together. Of two signatures that agree in 24 entries at random places, one of the eight
/// bands agrees with a probability of 99 %.
const BAND: usize = 4;

/// Groups that are compared for one band of a signature: hostile signatures share bands and nothing else.
const CANDIDATES: usize = 64;

/// Groups of signatures: each is in the group whose first member it agrees with most, or begins one.
///
/// Signatures are given in the order in which they may begin groups. Returns the group of each.
pub(crate) fn groups<'a>(signatures: impl Iterator<Item = &'a Signature>) -> Vec<usize> {
    let mut firsts: Vec<&Signature> = Vec::new();
    let mut bands: HashMap<(usize, &[u16]), Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for signature in signatures {
        let keys = || signature.chunks(BAND).enumerate();
        let candidates = keys().filter_map(|key| bands.get(&key)).flatten();
        let best = candidates
            .map(|group| (agreement(signature, firsts[*group]), *group))
            .max_by_key(|(equal, group)| (*equal, std::cmp::Reverse(*group)));
        let group = match best {
            Some((equal, group)) if equal >= ALIKE => group,
            _ => {
                for key in keys() {
                    let groups = bands.entry(key).or_default();
                    if groups.len() < CANDIDATES {
                        groups.push(firsts.len());
                    }
                }
                firsts.push(signature);
                firsts.len() - 1
            }
        };
        found.push(group);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network of blocks: `depth` weights of each of three shapes, and a head.
    fn network(depth: usize, classes: i64) -> Signature {
        let block = [vec![768, 768], vec![768, 3072], vec![768, 768]];
        let body = (0..depth).flat_map(|_| block.clone());
        signature(body.chain([vec![768, classes], vec![768, 30_522]])).unwrap()
    }

    #[test]
    fn equal_entries_estimate_the_share_of_common_weights() {
        // 38 of 40 weights are common: a similarity of 38 / 40 with other heads.
        let (one, other) = (network(12, 1000), network(12, 10));
        assert!((26..=32).contains(&agreement(&one, &other)), "{}", agreement(&one, &other));
        // 20 of 38 are common: 0.53, which is 17 of 32.
        let shallow = network(6, 1000);
        assert!((8..=23).contains(&agreement(&one, &shallow)), "{}", agreement(&one, &shallow));
        assert_eq!(decoded(&encoded(&one)), Some(one));
        assert_eq!(decoded("zz"), None);
    }

    #[test]
    fn few_weights_have_no_signature() {
        assert_eq!(signature([vec![64, 64], vec![64, 64], vec![64, 64]].into_iter()), None);
    }

    #[test]
    fn variants_are_one_group_and_depths_are_not() {
        let signatures = [network(12, 1000), network(12, 10), network(6, 10), network(12, 2)];
        assert_eq!(groups(signatures.iter()), [0, 0, 1, 0]);
    }
}
