//! Hashes that are computed once, when an expression is built.
//!
//! Maps of expressions would otherwise hash every name in them at every lookup.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

/// Random per process: a file cannot aim at buckets.
static SEED: LazyLock<(RandomState, u64)> = LazyLock::new(|| {
    let state = RandomState::new();
    let seed = state.hash_one(0_u64);
    (state, seed)
});

/// The hash of a name.
pub(crate) fn name(name: &str) -> u64 {
    SEED.0.hash_one(name)
}

/// The hash that a sequence starts with.
pub(crate) fn start(kind: u64) -> u64 {
    SEED.1 ^ kind
}

/// A hash with one more value in it.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    // The halves of a 128-bit product depend on all bits of both factors.
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(value ^ SEED.1 | 1);
    #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
    let halves = (product as u64, (product >> 64) as u64);
    (halves.0 ^ halves.1).rotate_left(23)
}

/// A hash with one more wide number in it.
#[inline]
pub(crate) fn mix_wide(hash: u64, value: i128) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both halves are used"
    )]
    let halves = (value as u64, (value >> 64) as u64);
    mix(mix(hash, halves.0), halves.1)
}
